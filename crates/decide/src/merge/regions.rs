//! The regions of a merge: the stretches where the result is not simply what all three texts share.
//!
//! Every region is given by lines of `mine` and of `theirs`; what lies between two regions is the same in both.

use std::ops::Range;

use super::lines::{self, Hunk, Texts};

/// Two conflicts with this many lines or fewer between them are shown as one.
const LINES_BETWEEN_MAX: usize = 3;

/// One stretch of the merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) origin: Origin,
    pub(super) mine: Range<usize>,
    pub(super) theirs: Range<usize>,
}

/// Where the lines of a region come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Only `mine` changed here.
    Mine,
    /// Only `theirs` changed here.
    Theirs,
    /// Both changed, to the same lines.
    Same,
    /// Both changed, to different lines.
    Conflict,
}

/// Finds the regions, in order.
pub(super) fn find(texts: &Texts<'_>) -> Vec<Region> {
    let mine = lines::hunks(&texts.base, &texts.mine);
    let theirs = lines::hunks(&texts.base, &texts.theirs);
    let refined = pair(&mine, &theirs, texts).into_iter().flat_map(|region| refine(region, texts)).collect();
    join_near_conflicts(refined, texts)
}

/// How far a line of `base` lies from the same line of a side, behind the hunks seen so far.
#[derive(Clone, Copy)]
struct Shift(isize);

impl Shift {
    fn before(hunk: &Hunk) -> Self {
        Self(hunk.after.start as isize - hunk.before.start as isize)
    }

    fn behind(hunk: &Hunk) -> Self {
        Self(hunk.after.end as isize - hunk.before.end as isize)
    }

    fn apply(self, lines: &Range<usize>) -> Range<usize> {
        self.line(lines.start)..self.line(lines.end)
    }

    fn line(self, line: usize) -> usize {
        line.saturating_add_signed(self.0)
    }
}

/// Walks both lists of hunks side by side.
fn pair(mine: &[Hunk], theirs: &[Hunk], texts: &Texts<'_>) -> Vec<Region> {
    let mut regions = Vec::new();
    let (mut mine_at, mut theirs_at) = (0, 0);
    while let (Some(a), Some(b)) = (mine.get(mine_at), theirs.get(theirs_at)) {
        if a.before.end < b.before.start {
            append(&mut regions, only_mine(a, Shift::before(b)));
            mine_at += 1;
        } else if b.before.end < a.before.start {
            append(&mut regions, only_theirs(b, Shift::before(a)));
            theirs_at += 1;
        } else {
            if !is_same_change(a, b, texts) {
                append(&mut regions, clash(a, b));
            }
            mine_at += usize::from(a.before.end <= b.before.end);
            theirs_at += usize::from(b.before.end <= a.before.end);
        }
    }
    let (mine_end, theirs_end) = (end_shift(mine), end_shift(theirs));
    mine[mine_at..].iter().for_each(|hunk| append(&mut regions, only_mine(hunk, theirs_end)));
    theirs[theirs_at..].iter().for_each(|hunk| append(&mut regions, only_theirs(hunk, mine_end)));
    regions
}

fn end_shift(hunks: &[Hunk]) -> Shift {
    hunks.last().map_or(Shift(0), Shift::behind)
}

fn only_mine(hunk: &Hunk, theirs: Shift) -> Region {
    Region { origin: Origin::Mine, mine: hunk.after.clone(), theirs: theirs.apply(&hunk.before) }
}

fn only_theirs(hunk: &Hunk, mine: Shift) -> Region {
    Region { origin: Origin::Theirs, mine: mine.apply(&hunk.before), theirs: hunk.after.clone() }
}

fn is_same_change(a: &Hunk, b: &Hunk, texts: &Texts<'_>) -> bool {
    a.before == b.before && texts.mine[a.after.clone()] == texts.theirs[b.after.clone()]
}

/// The region of two hunks that touch: all that either of them covers in `base`, as it is on each side.
fn clash(a: &Hunk, b: &Hunk) -> Region {
    let (start, end) = (a.before.start.min(b.before.start), a.before.end.max(b.before.end));
    Region {
        origin: Origin::Conflict,
        mine: Shift::before(a).line(start)..Shift::behind(a).line(end),
        theirs: Shift::before(b).line(start)..Shift::behind(b).line(end),
    }
}

/// Adds a region, or widens the last one if they touch on either side.
fn append(regions: &mut Vec<Region>, new: Region) {
    match regions.last_mut() {
        Some(last) if new.mine.start <= last.mine.end || new.theirs.start <= last.theirs.end => {
            if last.origin != new.origin {
                last.origin = Origin::Conflict;
            }
            last.mine.end = new.mine.end;
            last.theirs.end = new.theirs.end;
        }
        _ => regions.push(new),
    }
}

/// Narrows a conflict to the lines that really differ between the sides.
fn refine(region: Region, texts: &Texts<'_>) -> Vec<Region> {
    if region.origin != Origin::Conflict || region.mine.is_empty() || region.theirs.is_empty() {
        return vec![region];
    }
    let hunks = lines::hunks(&texts.mine[region.mine.clone()], &texts.theirs[region.theirs.clone()]);
    if hunks.is_empty() {
        return vec![Region { origin: Origin::Same, ..region }];
    }
    let narrowed = |hunk: Hunk| Region {
        origin: Origin::Conflict,
        mine: region.mine.start + hunk.before.start..region.mine.start + hunk.before.end,
        theirs: region.theirs.start + hunk.after.start..region.theirs.start + hunk.after.end,
    };
    hunks.into_iter().map(narrowed).collect()
}

/// Makes one conflict of two that have next to nothing between them.
fn join_near_conflicts(regions: Vec<Region>, texts: &Texts<'_>) -> Vec<Region> {
    let mut joined: Vec<Region> = Vec::with_capacity(regions.len());
    for region in regions {
        match joined.last_mut() {
            Some(last) if are_near_conflicts(last, &region, texts) => {
                last.mine.end = region.mine.end;
                last.theirs.end = region.theirs.end;
            }
            _ => joined.push(region),
        }
    }
    joined
}

fn are_near_conflicts(first: &Region, second: &Region, texts: &Texts<'_>) -> bool {
    let between = first.mine.end..second.mine.start;
    let holds_words = |lines: Range<usize>| {
        texts.mine[lines].iter().any(|&line| texts.bytes(line).iter().any(u8::is_ascii_alphanumeric))
    };
    first.origin == Origin::Conflict
        && second.origin == Origin::Conflict
        && (between.len() <= LINES_BETWEEN_MAX || !holds_words(between))
}
