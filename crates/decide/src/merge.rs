//! Three-way merge of text by lines, with the answers of `git merge-file`.
//!
//! Text is any bytes without NUL: no encoding is assumed, line ends and a missing newline at the end are kept as they
//! are. Nothing here knows files, modes or the store.

mod hunks;
mod lines;
mod regions;
mod render;

use model::limits;

pub use hunks::{DiffHunk, DiffLine, DiffSide, diff_text};

use lines::Texts;
use regions::Origin;

/// What became of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// Both changes are in these bytes.
    Clean(Vec<u8>),
    /// Both sides changed the same lines; these bytes hold both, between markers.
    Conflict(Vec<u8>),
    /// At least one of the three holds a NUL byte or is over [`limits::MERGE_SIZE_BYTES_MAX`].
    NotText,
}

/// The words behind the conflict markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeLabels<'a> {
    /// Behind `<<<<<<<`.
    pub mine: &'a str,
    /// Behind `>>>>>>>`.
    pub theirs: &'a str,
}

impl Default for MergeLabels<'static> {
    /// The words for taking something back: what is there now, and what was there before.
    fn default() -> Self {
        Self { mine: "mine: now", theirs: "theirs: before" }
    }
}

/// Merges what led from `base` to `mine` with what led from `base` to `theirs`.
///
/// Changes that touch or overlap are a conflict unless they are the same. Cost: three line diffs at most.
pub fn merge_text(base: &[u8], mine: &[u8], theirs: &[u8]) -> Merge {
    merge_text_labelled(base, mine, theirs, MergeLabels::default())
}

/// The same with other words behind the markers.
pub fn merge_text_labelled(base: &[u8], mine: &[u8], theirs: &[u8], labels: MergeLabels<'_>) -> Merge {
    if ![base, mine, theirs].into_iter().all(is_text) {
        return Merge::NotText;
    }
    let texts = Texts::new(base, mine, theirs);
    let regions = regions::find(&texts);
    let merged = render::render(&texts, &regions, labels);
    if regions.iter().any(|region| region.origin == Origin::Conflict) {
        Merge::Conflict(merged)
    } else {
        Merge::Clean(merged)
    }
}

fn is_text(bytes: &[u8]) -> bool {
    bytes.len() as u64 <= limits::MERGE_SIZE_BYTES_MAX && !bytes.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(base: &str, mine: &str, theirs: &str) -> String {
        match merge_text(base.as_bytes(), mine.as_bytes(), theirs.as_bytes()) {
            Merge::Clean(bytes) => String::from_utf8(bytes).expect("text"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn changes_in_different_places_are_both_kept() {
        assert_eq!(clean("1\n2\n3\n4\n", "one\n2\n3\n4\n", "1\n2\n3\nfour\n"), "one\n2\n3\nfour\n");
    }

    #[test]
    fn one_side_alone_is_taken_as_it_is() {
        assert_eq!(clean("a\n", "a\n", "b"), "b");
        assert_eq!(clean("a\n", "b\r\n", "a\n"), "b\r\n");
        assert_eq!(clean("a\n", "", "a\n"), "");
    }

    #[test]
    fn the_same_change_on_both_sides_is_no_conflict() {
        assert_eq!(clean("1\n2\n", "1\nx\n", "1\nx\n"), "1\nx\n");
    }

    #[test]
    fn changes_of_neighbouring_lines_are_a_conflict_with_both_sides_shown() {
        let merged = merge_text(b"1\r\n2\r\n", b"one\r\n2\r\n", b"1\r\ntwo");
        let expected = b"<<<<<<< mine: now\r\none\r\n2\r\n=======\r\n1\r\ntwo\r\n>>>>>>> theirs: before\r\n";
        assert_eq!(merged, Merge::Conflict(expected.to_vec()));
    }

    #[test]
    fn what_holds_a_nul_byte_or_is_too_large_is_not_text() {
        let large = vec![b'a'; limits::MERGE_SIZE_BYTES_MAX as usize + 1];
        assert_eq!(merge_text(b"a\0", b"a", b"b"), Merge::NotText);
        assert_eq!(merge_text(b"a", &large, b"b"), Merge::NotText);
    }
}
