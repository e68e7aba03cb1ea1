//! The documents are complete: every format and every decision is listed where one looks for it, the change log has a
//! place for what comes next, and a new machine runs the command that the README names.

use super::finding::Finding;
use crate::repository::Repository;

/// The documents a reader may count on.
const REQUIRED: &[&str] = &["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SAFETY.md", "STYLE.md"];

/// The one command, and the texts that give it.
const COMMAND: &str = "cargo xtask check";
const COMMAND_TEXTS: &[&str] = &["README.md", "CONTRIBUTING.md", ".ci/run"];

/// The parts of a decision, in this order.
const DECISION_PARTS: &[&str] = &["## Context", "## Decision", "## Alternatives", "## Consequences"];

/// Looks at the documents.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let missing = REQUIRED.iter().filter(|path| repository.text(path).is_none());
    let mut findings: Vec<Finding> = missing.map(|path| Finding::of_file(path, "is missing")).collect();
    for folder in ["docs/formats", "docs/decisions"] {
        findings.extend(check_listed(repository, folder));
    }
    findings.extend(check_changelog(repository));
    findings.extend(check_decisions(repository));
    findings.extend(check_command(repository));
    findings
}

/// Every page of a folder is linked from the folder's README.
fn check_listed(repository: &Repository, folder: &str) -> Vec<Finding> {
    let index = format!("{folder}/README.md");
    let Some(list) = repository.text(&index) else { return vec![Finding::of_file(&index, "is missing")] };
    let pages = pages(repository, folder).filter(|(name, _)| !list.contains(&format!("({name})")));
    pages.map(|(name, _)| Finding::of_file(&index, format!("does not link `{name}`"))).collect()
}

fn check_changelog(repository: &Repository) -> Option<Finding> {
    let text = repository.text("CHANGELOG.md")?;
    let has_place = text.lines().any(|line| line.trim() == "## [Unreleased]");
    (!has_place).then(|| Finding::of_file("CHANGELOG.md", "has no `## [Unreleased]`"))
}

fn check_decisions(repository: &Repository) -> Vec<Finding> {
    let incomplete = pages(repository, "docs/decisions").filter(|(_, text)| {
        let parts: Vec<&str> = text.lines().filter(|line| line.starts_with("## ")).map(str::trim).collect();
        parts != DECISION_PARTS
    });
    let message = format!("a decision has these parts: {}", DECISION_PARTS.join(", "));
    incomplete.map(|(name, _)| Finding::of_file(&format!("docs/decisions/{name}"), message.clone())).collect()
}

/// The command stands on a line of its own, where it can be copied from and run.
fn check_command(repository: &Repository) -> Vec<Finding> {
    let texts = COMMAND_TEXTS.iter().filter_map(|path| Some((*path, repository.text(path)?)));
    let silent = texts.filter(|(_, text)| !text.lines().any(|line| line.trim() == COMMAND));
    silent.map(|(path, _)| Finding::of_file(path, format!("has no line `{COMMAND}`"))).collect()
}

/// The pages directly in a folder, its README left out, with what they say.
fn pages<'a>(repository: &'a Repository, folder: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    repository.texts.iter().filter_map(move |text| {
        let name = text.path.strip_prefix(folder)?.strip_prefix('/')?;
        let is_page = name.ends_with(".md") && !name.contains('/') && name != "README.md";
        is_page.then_some((name, text.text.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_texts(rule: impl Fn(&Repository) -> Vec<Finding>, texts: &[(&str, &str)], findings: usize) {
        let owned = texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let found = rule(&Repository::from_files(owned));
        assert_eq!(found.len(), findings, "{found:?}");
    }

    #[test]
    fn a_page_that_is_not_listed_fails() {
        let rule = |repository: &Repository| check_listed(repository, "docs/formats");
        check_texts(rule, &[("docs/formats/README.md", "[packs](packs.md)"), ("docs/formats/packs.md", "")], 0);
        check_texts(rule, &[("docs/formats/README.md", "packs.md"), ("docs/formats/packs.md", "")], 1);
        check_texts(rule, &[("docs/formats/packs.md", "")], 1);
    }

    #[test]
    fn a_change_log_without_a_place_for_the_next_fails() {
        let rule = |repository: &Repository| check_changelog(repository).into_iter().collect();
        check_texts(rule, &[("CHANGELOG.md", "# Changes\n\n## [Unreleased]\n")], 0);
        check_texts(rule, &[("CHANGELOG.md", "# Changes\n\n## 1.0.0\n")], 1);
    }

    #[test]
    fn a_decision_without_alternatives_fails() {
        let whole = DECISION_PARTS.join("\n\nWords.\n\n");
        let partial = whole.replace("## Alternatives", "Alternatives");
        check_texts(check_decisions, &[("docs/decisions/0001-a.md", &whole), ("docs/decisions/README.md", "")], 0);
        check_texts(check_decisions, &[("docs/decisions/0001-a.md", &partial)], 1);
    }

    #[test]
    fn a_text_that_gives_another_command_fails() {
        check_texts(check_command, &[("README.md", "```\ncargo xtask check\n```"), (".ci/run", "cargo test\n")], 1);
    }

    #[test]
    fn a_missing_document_is_named() {
        let present: Vec<_> = REQUIRED[1..].iter().map(|path| (*path, "## [Unreleased]")).collect();
        check_texts(|r| check(r).into_iter().filter(|f| f.path == REQUIRED[0]).collect(), &present, 1);
    }
}
