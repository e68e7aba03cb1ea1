//! Leaves out of the search what cannot, or should not, be matched.

use std::collections::HashMap;

use super::{Line, Side};

/// Lines that occur this often on the other side are common, whatever its length.
const COMMON_COUNT_MAX: usize = 1024;

/// How many lines around a common one are looked at.
const WINDOW_LINES: usize = 100;

/// Among this many lines around a common one, fewer than one may be common itself for it to be left out.
const LINES_PER_COMMON_ONE: usize = 4;

/// What is left of both sides for the search.
pub(super) struct Sieved {
    pub(super) before: Remains,
    pub(super) after: Remains,
}

/// Some of the lines of a side, and where they are.
pub(super) struct Remains {
    pub(super) lines: Vec<Line>,
    pub(super) places: Vec<usize>,
}

/// How a line fares on the other side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Matches {
    None,
    Some,
    /// So many that a match says little.
    Common,
}

/// Sieves both sides. What both begin and end with is left out as unchanged; lines that do not occur on the other side,
/// and common ones in the midst of such lines, are left out as changed.
pub(super) fn sieve(before: &mut Side<'_>, after: &mut Side<'_>) -> Sieved {
    let start = count_common(before.lines.iter(), after.lines.iter());
    let end = count_common(before.lines[start..].iter().rev(), after.lines[start..].iter().rev());
    let before_matches = matches(before, after, start, end);
    let after_matches = matches(after, before, start, end);
    Sieved { before: remains(before, &before_matches, start), after: remains(after, &after_matches, start) }
}

fn count_common<'l>(one: impl Iterator<Item = &'l Line>, other: impl Iterator<Item = &'l Line>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

fn matches(side: &Side<'_>, other: &Side<'_>, start: usize, end: usize) -> Vec<Matches> {
    let mut counts: HashMap<Line, usize> = HashMap::new();
    other.lines.iter().for_each(|&line| *counts.entry(line).or_default() += 1);
    let common_count = rough_root(side.lines.len()).min(COMMON_COUNT_MAX);
    let judge = |line| match counts.get(line).copied().unwrap_or(0) {
        0 => Matches::None,
        count if count >= common_count => Matches::Common,
        _ => Matches::Some,
    };
    side.lines[start..side.lines.len() - end].iter().map(judge).collect()
}

fn remains(side: &mut Side<'_>, matches: &[Matches], start: usize) -> Remains {
    let mut remains = Remains { lines: Vec::new(), places: Vec::new() };
    for (at, &matched) in matches.iter().enumerate() {
        let place = start + at;
        if matched == Matches::Some || (matched == Matches::Common && !is_lost(matches, at)) {
            remains.lines.push(side.lines[place]);
            remains.places.push(place);
        } else {
            side.is_changed[place] = true;
        }
    }
    remains
}

/// Whether a common line lies in the midst of lines without any match, on both sides.
fn is_lost(matches: &[Matches], at: usize) -> bool {
    let before = count_run(matches[at.saturating_sub(WINDOW_LINES)..at].iter().rev());
    let after = count_run(matches[at + 1..].iter().take(WINDOW_LINES));
    let (unmatched, common) = (before.unmatched + after.unmatched, before.common + after.common + 2);
    before.unmatched > 0 && after.unmatched > 0 && common * LINES_PER_COMMON_ONE < common + unmatched
}

struct Run {
    unmatched: usize,
    common: usize,
}

fn count_run<'m>(matches: impl Iterator<Item = &'m Matches>) -> Run {
    let mut run = Run { unmatched: 0, common: 0 };
    for matched in matches.take_while(|&&matched| matched != Matches::Some) {
        match matched {
            Matches::None => run.unmatched += 1,
            Matches::Common | Matches::Some => run.common += 1,
        }
    }
    run
}

/// About the square root: the power of two that has half as many digits.
pub(super) fn rough_root(number: usize) -> usize {
    1 << (usize::BITS - number.leading_zeros()).div_ceil(2)
}
