//! Texts as lines, and the hunks that lead from one to another.
//!
//! The hunks are those that git finds with its default algorithm, line for line: which of several equally short
//! answers is taken decides whether two changes touch, so a merge agrees with git only if its diffs do.

mod sieve;
mod slide;
mod trace;

use std::collections::HashMap;
use std::ops::Range;

/// A line; equal lines of the texts of one merge are the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Line(u32);

/// The three texts of a merge, cut into lines. A line has its newline, so that one without is another line.
pub(super) struct Texts<'a> {
    pub(super) base: Vec<Line>,
    pub(super) mine: Vec<Line>,
    pub(super) theirs: Vec<Line>,
    words: Vec<&'a [u8]>,
}

/// A stretch of lines that was put in the place of another one; at least one of the two is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hunk {
    pub(super) before: Range<usize>,
    pub(super) after: Range<usize>,
}

/// One side of a diff: its lines, and which of them have no partner on the other side.
struct Side<'l> {
    lines: &'l [Line],
    is_changed: Vec<bool>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(base: &'a [u8], mine: &'a [u8], theirs: &'a [u8]) -> Self {
        let mut known: HashMap<&[u8], Line> = HashMap::new();
        let mut words = Vec::new();
        let mut number = |word: &'a [u8]| {
            *known.entry(word).or_insert_with(|| {
                words.push(word);
                Line(words.len() as u32 - 1)
            })
        };
        let mut cut = |text: &'a [u8]| text.split_inclusive(|&byte| byte == b'\n').map(&mut number).collect();
        let (base, mine, theirs) = (cut(base), cut(mine), cut(theirs));
        Self { base, mine, theirs, words }
    }

    /// The bytes of a line.
    pub(super) fn bytes(&self, line: Line) -> &'a [u8] {
        self.words[line.0 as usize]
    }
}

/// The hunks that lead from one list of lines to another, in order; no two of them touch.
pub(super) fn hunks(before: &[Line], after: &[Line]) -> Vec<Hunk> {
    let (mut before, mut after) = (Side::new(before), Side::new(after));
    let sieved = sieve::sieve(&mut before, &mut after);
    trace::mark_changes(&sieved, &mut before, &mut after);
    slide::slide(&mut before, &mut after);
    slide::slide(&mut after, &mut before);
    pair(&before, &after)
}

impl<'l> Side<'l> {
    fn new(lines: &'l [Line]) -> Self {
        Self { lines, is_changed: vec![false; lines.len()] }
    }

    fn is_changed(&self, at: usize) -> bool {
        self.is_changed.get(at).copied().unwrap_or(false)
    }

    /// The end of the changed lines that begin at `start`.
    fn end_of_changes(&self, start: usize) -> usize {
        start + self.is_changed[start.min(self.lines.len())..].iter().take_while(|&&changed| changed).count()
    }
}

/// The unchanged lines of both sides are partners in order; what lies between two pairs is a hunk.
fn pair(before: &Side<'_>, after: &Side<'_>) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut before_at, mut after_at) = (0, 0);
    while before_at < before.lines.len() || after_at < after.lines.len() {
        let (before_end, after_end) = (before.end_of_changes(before_at), after.end_of_changes(after_at));
        if before_end > before_at || after_end > after_at {
            hunks.push(Hunk { before: before_at..before_end, after: after_at..after_end });
        }
        (before_at, after_at) = (before_end + 1, after_end + 1);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(before: &str, after: &str) -> Vec<(Range<usize>, Range<usize>)> {
        let (before, after) = (before.replace(' ', "\n"), after.replace(' ', "\n"));
        let texts = Texts::new(before.as_bytes(), after.as_bytes(), b"");
        hunks(&texts.base, &texts.mine).into_iter().map(|hunk| (hunk.before, hunk.after)).collect()
    }

    #[test]
    fn equal_texts_have_no_hunks() {
        assert_eq!(diff("a b c ", "a b c "), []);
        assert_eq!(diff("", ""), []);
    }

    #[test]
    fn a_hunk_slides_down_as_far_as_it_can() {
        assert_eq!(diff("a b b c ", "a b b b c "), [(3..3, 3..4)]);
    }

    #[test]
    fn a_line_without_its_newline_is_another_line() {
        assert_eq!(diff("a b ", "a b"), [(1..2, 1..2)]);
    }

    #[test]
    fn texts_with_nothing_in_common_are_one_hunk() {
        assert_eq!(diff("a b ", "c d e "), [(0..2, 0..3)]);
        assert_eq!(diff("", "c "), [(0..0, 0..1)]);
    }
}
