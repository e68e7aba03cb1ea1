//! A link in a document leads to a file of this repository, or out into the world; the world is not looked at.

use super::finding::Finding;
use crate::repository::Repository;

/// Looks at every link of every page.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let pages = repository.texts.iter().filter(|text| text.path.ends_with(".md"));
    pages.flat_map(|page| check_page(repository, &page.path, &page.text)).collect()
}

fn check_page(repository: &Repository, path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for target in targets(line).filter(|target| !is_there(repository, path, target)) {
            findings.push(Finding::of_line(path, number + 1, format!("the link to `{target}` leads nowhere")));
        }
    }
    findings
}

/// The targets of the links in a line that lead to files, without the place in the file.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

fn is_there(repository: &Repository, page: &str, target: &str) -> bool {
    let wanted = resolve(page, target);
    let as_folder = format!("{wanted}/");
    repository.paths().any(|path| path == wanted || path.starts_with(&as_folder))
}

/// The path from the root of what a page links.
fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match part {
            ".." => _ = parts.pop(),
            name => parts.push(name),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_line(line: &str, findings: usize) {
        let files = [("docs/formats/README.md", line), ("docs/formats/packs.md", ""), ("STYLE.md", "")];
        let owned = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        assert_eq!(check(&Repository::from_files(owned)).len(), findings, "{line}");
    }

    #[test]
    fn links_to_files_and_folders_are_followed() {
        check_line("[a](packs.md), [b](../../STYLE.md#words), [c](../formats/)", 0);
        check_line("[a](frames.md), [b](../STYLE.md)", 2);
    }

    #[test]
    fn the_world_and_the_same_page_are_not() {
        check_line("[a](https://example.org/frames.md) [b](#below) [c] (d.md)", 0);
    }
}
