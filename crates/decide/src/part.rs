//! Taking back single stretches of what was done to a file. Which transitions are taken back whole is
//! [`crate::reversal`]'s business, and so is everything that happens to a path besides; here a change is only cut up.
//!
//! The cut is a pair of made-up transitions right after the change: one that takes the stretches away, kept like
//! everything else, and one that brings them again, chosen to be taken back. So later edits are merged with as usual.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use model::{ContentHash, Contents, Entry, Plan, Seq, Transition, Tree, limits};

use crate::merge::{DiffHunk, DiffSide, diff_text};
use crate::reversal::{Reversal, reverse};

/// Some stretches of what was done to one path without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The last of the transitions that made the change.
    pub last: Seq,
    /// What was there before the change.
    pub before: Entry,
    /// What was there after it.
    pub after: Entry,
    /// The stretches to take back, by their number in the difference of the two, from 1.
    pub hunks: BTreeSet<usize>,
}

/// A change cannot be cut up. Nothing was planned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartError {
    /// One side is no text, or is too large to be compared.
    NotText,
    /// The content of one side is not there.
    MissingContent,
    /// There are not so many stretches.
    NoSuchHunk {
        /// How many there are.
        count: usize,
        /// Which was asked for.
        asked: usize,
    },
}

impl fmt::Display for PartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartError::NotText => f.write_str("it is not text on both sides, so it has no hunks"),
            PartError::MissingContent => f.write_str("its content is missing from the store"),
            PartError::NoSuchHunk { count, asked } => write!(f, "it has {count} hunk(s), there is no number {asked}"),
        }
    }
}

impl std::error::Error for PartError {}

/// How many stretches the difference of two entries has: the numbers that a [`Part`] of them may name.
pub fn count_hunks(before: &Entry, after: &Entry, contents: &dyn Contents) -> Result<usize, PartError> {
    Ok(difference(before, after, contents)?.0.len())
}

/// Plans to take parts of changes back along with the chosen transitions. See [`reverse`], which this is without parts.
///
/// A transition of which only a part is taken back still stands: no change of the plan lists it for that part.
pub fn reverse_parts(
    request: &Reversal<'_>,
    parts: &[Part],
    tree: &dyn Tree,
    contents: &dyn Contents,
) -> Result<Plan, PartError> {
    if parts.is_empty() {
        return Ok(reverse(request, tree, contents));
    }
    let mut cut = Cut::of(request, contents);
    for part in parts {
        cut.add(part)?;
    }
    let Cut { ledger, made_up, texts, .. } = cut;
    let chosen = request.chosen.union(&made_up).copied().collect();
    let texts = Texts { contents, texts };
    let mut plan = reverse(&Reversal { ledger: &ledger, chosen: &chosen, ..*request }, tree, &texts);
    for change in &mut plan.changes {
        change.reverses.retain(|seq| !made_up.contains(seq));
        if let Some((hash, bytes)) = change.after.content().and_then(|hash| texts.texts.get_key_value(hash)) {
            plan.merged.entry(*hash).or_insert_with(|| bytes.clone());
        }
    }
    Ok(plan)
}

/// A ledger in which changes are being cut up.
struct Cut<'a> {
    contents: &'a dyn Contents,
    ledger: Vec<Transition>,
    /// The transitions that never happened and are to be taken back.
    made_up: BTreeSet<Seq>,
    texts: BTreeMap<ContentHash, Vec<u8>>,
    next: Seq,
}

impl<'a> Cut<'a> {
    fn of(request: &Reversal<'_>, contents: &'a dyn Contents) -> Self {
        let newest = request.ledger.iter().map(|transition| transition.seq.0).max().unwrap_or(0);
        Self {
            contents,
            ledger: request.ledger.to_vec(),
            made_up: BTreeSet::new(),
            texts: BTreeMap::new(),
            next: Seq(newest.saturating_add(1)),
        }
    }

    fn add(&mut self, part: &Part) -> Result<(), PartError> {
        let rest = self.rest(part)?;
        let Some(at) = self.ledger.iter().position(|transition| transition.seq == part.last) else { return Ok(()) };
        let last = Transition { moved: None, after: part.after.clone(), ..self.ledger[at].clone() };
        let (away, again) = (self.take_number(), self.take_number());
        let taken = Transition { seq: away, before: part.after.clone(), after: rest.clone(), ..last.clone() };
        let brought = Transition { seq: again, before: rest, ..last };
        self.made_up.insert(again);
        self.ledger.splice(at + 1..at + 1, [taken, brought]);
        Ok(())
    }

    fn take_number(&mut self) -> Seq {
        let number = self.next;
        self.next = Seq(number.0.saturating_add(1));
        number
    }

    /// What the path would hold after the change if the stretches were not in it.
    fn rest(&mut self, part: &Part) -> Result<Entry, PartError> {
        let (hunks, after) = difference(&part.before, &part.after, self.contents)?;
        if let Some(asked) = part.hunks.iter().find(|number| !(1..=hunks.len()).contains(number)) {
            return Err(PartError::NoSuchHunk { count: hunks.len(), asked: *asked });
        }
        let is_everything = part.hunks.len() == hunks.len();
        let Some(mode) = part.after.mode().filter(|_| !(is_everything && part.before.content().is_none())) else {
            return Ok(part.before.clone());
        };
        let bytes = without(&hunks, &after, &part.hunks);
        let (content, size_bytes) = (self.contents.name(&bytes), bytes.len() as u64);
        self.texts.insert(content, bytes);
        Ok(Entry::File { content, size_bytes, mode })
    }
}

/// Content as it is stored, and as it was cut.
struct Texts<'a> {
    contents: &'a dyn Contents,
    texts: BTreeMap<ContentHash, Vec<u8>>,
}

impl Contents for Texts<'_> {
    fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.texts.get(hash).cloned().or_else(|| self.contents.read(hash))
    }

    fn name(&self, bytes: &[u8]) -> ContentHash {
        self.contents.name(bytes)
    }
}

/// The stretches between two entries, and the text after. A side without a file is an empty text.
fn difference(before: &Entry, after: &Entry, contents: &dyn Contents) -> Result<(Vec<DiffHunk>, Vec<u8>), PartError> {
    let text = |entry: &Entry| match entry {
        Entry::File { size_bytes, .. } if *size_bytes > limits::MERGE_SIZE_BYTES_MAX => Err(PartError::NotText),
        Entry::File { content, .. } => contents.read(content).ok_or(PartError::MissingContent),
        Entry::Absent => Ok(Vec::new()),
        Entry::Link { .. } | Entry::Dir { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => {
            Err(PartError::NotText)
        }
    };
    let (before, after) = (text(before)?, text(after)?);
    let hunks = diff_text(&before, &after).ok_or(PartError::NotText)?;
    Ok((hunks, after))
}

/// A text after a change, with some stretches of the change as they were before.
fn without(hunks: &[DiffHunk], after: &[u8], numbers: &BTreeSet<usize>) -> Vec<u8> {
    let lines: Vec<&[u8]> = after.split_inclusive(|byte| *byte == b'\n').collect();
    let mut text = Vec::new();
    let mut at = 0;
    for (hunk, _) in hunks.iter().zip(1..).filter(|(_, number)| numbers.contains(number)) {
        let start = if hunk.after_lines == 0 { hunk.after_start } else { hunk.after_start - 1 };
        lines[at..start].iter().for_each(|line| text.extend_from_slice(line));
        let before = hunk.lines.iter().filter(|line| line.side != DiffSide::After);
        before.for_each(|line| text.extend_from_slice(&line.bytes));
        at = start + hunk.after_lines;
    }
    lines[at..].iter().for_each(|line| text.extend_from_slice(line));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(changed: &[(u32, &str)]) -> String {
        let line = |number: u32| {
            let changed = changed.iter().find(|(line, _)| *line == number);
            changed.map_or_else(|| format!("{number}\n"), |(_, text)| (*text).to_owned())
        };
        (1..=40).map(line).collect()
    }

    fn left(before: &str, after: &str, taken: &[usize]) -> String {
        let hunks = diff_text(before.as_bytes(), after.as_bytes()).expect("text");
        let text = without(&hunks, after.as_bytes(), &taken.iter().copied().collect());
        String::from_utf8(text).expect("text")
    }

    #[test]
    fn a_stretch_goes_and_the_others_stay() {
        let (before, after) = (numbers(&[]), numbers(&[(1, "one\n"), (20, ""), (40, "40\n41")]));
        assert_eq!(left(&before, &after, &[1]), numbers(&[(20, ""), (40, "40\n41")]));
        assert_eq!(left(&before, &after, &[2]), numbers(&[(1, "one\n"), (40, "40\n41")]));
        assert_eq!(left(&before, &after, &[3]), numbers(&[(1, "one\n"), (20, "")]));
        assert_eq!(left(&before, &after, &[1, 2, 3]), before);
        assert_eq!(left(&before, &after, &[]), after);
    }

    #[test]
    fn a_text_that_came_or_went_is_one_stretch() {
        assert_eq!(left("", "a\nb", &[1]), "");
        assert_eq!(left("a\nb", "", &[1]), "a\nb");
    }
}
