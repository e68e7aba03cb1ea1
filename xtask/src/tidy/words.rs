//! The project speaks of itself alone: no unfinished notes, no places of one machine, no numbers of somebody's list.

use super::finding::Finding;
use crate::repository::Repository;
use crate::rust::is_word_at;

/// What may stand in no text. In two halves, so that this file may stand too.
const FORBIDDEN: &[(&str, &str, &str)] = &[
    ("TO", "DO", "do it, or write down in `docs/` why not"),
    ("FIX", "ME", "fix it, or write down in `docs/` why not"),
    ("/wo", "rk/", "a path of one machine"),
    ("/tmp/", "tb", "a path of one machine"),
    ("issue ", "#", "a text explains itself without a list elsewhere"),
];

/// Looks at every text of the repository.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let sources = repository.sources.iter().map(|source| (source.path.as_str(), source.text.as_str()));
    let texts = repository.texts.iter().map(|text| (text.path.as_str(), text.text.as_str()));
    sources.chain(texts).flat_map(|(path, text)| check_text(path, text)).collect()
}

fn check_text(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for (first, second, advice) in FORBIDDEN {
            let word = format!("{first}{second}");
            if contains(line, &word) {
                findings.push(Finding::of_line(path, number + 1, format!("`{word}`: {advice}")));
            }
        }
    }
    findings
}

/// A word counts where it stands alone; a path counts where it begins.
fn contains(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| match word.strip_prefix('/') {
        Some(_) => !line[..at].ends_with(|before: char| before.is_alphanumeric() || "._-/~$}".contains(before)),
        None => is_word_at(line, at, word.len()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_line(halves: [&str; 3], is_found: bool) {
        assert_eq!(check_text("a.md", &halves.concat()).len(), usize::from(is_found), "{halves:?}");
    }

    #[test]
    fn unfinished_notes_are_found() {
        check_line(["// TO", "DO", ": later"], true);
        check_line(["x FIX", "ME", ""], true);
        check_line(["a TO", "DOs", " list"], false);
    }

    #[test]
    fn places_and_numbers_from_elsewhere_are_found() {
        check_line(["see /wo", "rk/", "main"], true);
        check_line(["(see issue ", "#", "12)"], true);
        check_line(["/home/me/wo", "rk/", "main"], false);
    }
}
