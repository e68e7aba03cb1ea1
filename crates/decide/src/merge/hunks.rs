//! The difference of two texts as people read it: changed lines with a few unchanged ones around them. The lines that
//! count as changed are the same as in a merge.

use std::ops::Range;

use super::is_text;
use super::lines::{Hunk, Line, Texts, hunks};

/// One stretch of a difference. The line numbers count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// The first line before; of a stretch without any, the line it comes after.
    pub before_start: usize,
    /// How many lines it has before.
    pub before_lines: usize,
    /// The first line after; of a stretch without any, the line it comes after.
    pub after_start: usize,
    /// How many lines it has after.
    pub after_lines: usize,
    /// Its lines, in the order in which they are read.
    pub lines: Vec<DiffLine>,
}

/// One line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// Where it stands.
    pub side: DiffSide,
    /// Its bytes, with the newline if it has one.
    pub bytes: Vec<u8>,
}

/// Where a line of a difference stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DiffSide {
    /// Before and after.
    Both,
    /// Only before: it was removed.
    Before,
    /// Only after: it was added.
    After,
}

/// How many unchanged lines are shown around what changed.
const CONTEXT_LINES: usize = 3;

/// What leads from one text to another, in order. None if one of them is not text; see [`super::Merge::NotText`].
///
/// Equal texts have no hunks. Cost: one line diff.
pub fn diff_text(before: &[u8], after: &[u8]) -> Option<Vec<DiffHunk>> {
    if !is_text(before) || !is_text(after) {
        return None;
    }
    let texts = Texts::new(before, after, b"");
    let (before, after) = (texts.base.as_slice(), texts.mine.as_slice());
    let changes = hunks(before, after);
    let near = |one: &Hunk, next: &Hunk| next.before.start - one.before.end <= 2 * CONTEXT_LINES;
    Some(changes.chunk_by(near).map(|near| shown(&texts, before, after, near)).collect())
}

/// Changes that lie near each other, as one stretch.
fn shown(texts: &Texts<'_>, before: &[Line], after: &[Line], changes: &[Hunk]) -> DiffHunk {
    let (before_span, after_span) = spans(changes, before.len());
    let mut lines = Vec::new();
    let mut add = |side: DiffSide, from: &[Line]| {
        lines.extend(from.iter().map(|line| DiffLine { side, bytes: texts.bytes(*line).to_vec() }));
    };
    let mut at = before_span.start;
    for change in changes {
        add(DiffSide::Both, &before[at..change.before.start]);
        add(DiffSide::Before, &before[change.before.clone()]);
        add(DiffSide::After, &after[change.after.clone()]);
        at = change.before.end;
    }
    add(DiffSide::Both, &before[at..before_span.end]);
    DiffHunk {
        before_start: first_line(&before_span),
        before_lines: before_span.len(),
        after_start: first_line(&after_span),
        after_lines: after_span.len(),
        lines,
    }
}

/// The lines that some changes and the unchanged ones around them take, before and after.
fn spans(changes: &[Hunk], before_lines: usize) -> (Range<usize>, Range<usize>) {
    let (Some(first), Some(last)) = (changes.first(), changes.last()) else { return (0..0, 0..0) };
    let above = first.before.start.min(CONTEXT_LINES);
    let below = (before_lines - last.before.end).min(CONTEXT_LINES);
    (first.before.start - above..last.before.end + below, first.after.start - above..last.after.end + below)
}

fn first_line(span: &Range<usize>) -> usize {
    if span.is_empty() { span.start } else { span.start + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hunks as `diff -u` prints them.
    fn diff(before: &str, after: &str) -> String {
        let mut text = String::new();
        for hunk in diff_text(before.as_bytes(), after.as_bytes()).expect("text") {
            let DiffHunk { before_start, before_lines, after_start, after_lines, .. } = hunk;
            text.push_str(&format!("@@ -{before_start},{before_lines} +{after_start},{after_lines} @@\n"));
            for line in hunk.lines {
                let sign = match line.side {
                    DiffSide::Both => ' ',
                    DiffSide::Before => '-',
                    DiffSide::After => '+',
                };
                text.push(sign);
                text.push_str(&String::from_utf8(line.bytes).expect("text"));
            }
        }
        text
    }

    fn numbers(range: Range<u32>) -> String {
        range.map(|number| format!("{number}\n")).collect()
    }

    #[test]
    fn changed_lines_are_shown_with_three_lines_around_them() {
        let before = numbers(1..20);
        let after = before.replace("10\n", "ten\n");
        assert_eq!(diff(&before, &after), "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n");
    }

    #[test]
    fn changes_near_each_other_are_one_hunk_and_others_are_two() {
        let before = numbers(1..30);
        assert_eq!(diff(&before, &before.replace("5\n6\n", "6\n").replace("12\n", "")).matches("@@ -").count(), 1);
        assert_eq!(diff(&before, &before.replace("\n5\n", "\n").replace("\n13\n", "\n")).matches("@@ -").count(), 2);
    }

    #[test]
    fn a_text_that_comes_or_goes_begins_at_line_zero_on_the_other_side() {
        assert_eq!(diff("", "a\n"), "@@ -0,0 +1,1 @@\n+a\n");
        assert_eq!(diff("a\n", ""), "@@ -1,1 +0,0 @@\n-a\n");
    }

    #[test]
    fn equal_texts_have_no_hunks_and_bytes_have_no_answer() {
        assert_eq!(diff("a\n", "a\n"), "");
        assert_eq!(diff_text(b"a\0", b"a"), None);
    }
}
