//! The search for a short way from one list of lines to another, after Myers, "An O(ND) Difference Algorithm and Its
//! Variations": two searches run towards each other, where they meet the problem falls into two smaller ones.
//!
//! A point says how many lines of either side lie behind it; a diagonal is the difference of the two. Where the way is
//! long, the search is content with a way that is good enough.

mod frontier;

use std::ops::Range;

use super::sieve::{Sieved, rough_root};
use super::{Line, Side};
use frontier::{Backward, Forward, Frontier};

/// Below this cost a search is never cut short.
const COST_MIN: usize = 256;

/// A point on a way through both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Point {
    before: isize,
    after: isize,
}

/// The part of both sides that a search is about.
#[derive(Debug, Clone)]
struct Area<'l> {
    before: &'l [Line],
    after: &'l [Line],
    start: Point,
    end: Point,
}

/// Whether a search may be cut short.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effort {
    /// Only the shortest way will do: it is known to be short.
    Full,
    Bounded,
}

/// Where an area falls into two.
struct Split {
    at: Point,
    first: Effort,
    second: Effort,
}

/// Marks the lines that have no partner on the other side.
pub(super) fn mark_changes(sieved: &Sieved, before: &mut Side<'_>, after: &mut Side<'_>) {
    let (old, new) = (&sieved.before, &sieved.after);
    let mut search = Search::new(old.lines.len(), new.lines.len());
    let start = Point { before: 0, after: 0 };
    let end = Point { before: old.lines.len() as isize, after: new.lines.len() as isize };
    let mut areas = vec![(Area { before: &old.lines, after: &new.lines, start, end }, Effort::Bounded)];
    while let Some((mut area, effort)) = areas.pop() {
        area.shrink();
        if area.before_lines().is_empty() {
            new.places[area.after_lines()].iter().for_each(|&place| after.is_changed[place] = true);
        } else if area.after_lines().is_empty() {
            old.places[area.before_lines()].iter().for_each(|&place| before.is_changed[place] = true);
        } else {
            let split = search.split(&area, effort);
            areas.push((Area { end: split.at, ..area.clone() }, split.first));
            areas.push((Area { start: split.at, ..area }, split.second));
        }
    }
}

impl Point {
    fn on(diagonal: isize, before: isize) -> Self {
        Self { before, after: before - diagonal }
    }

    fn diagonal(self) -> isize {
        self.before - self.after
    }

    fn sum(self) -> isize {
        self.before + self.after
    }
}

impl Area<'_> {
    /// Leaves out what both sides begin and end with.
    fn shrink(&mut self) {
        let ahead = self.common_ahead(self.start);
        self.start = Point { before: self.start.before + ahead, after: self.start.after + ahead };
        let behind = self.common_behind(self.end);
        self.end = Point { before: self.end.before - behind, after: self.end.after - behind };
    }

    fn before_lines(&self) -> Range<usize> {
        self.start.before as usize..self.end.before as usize
    }

    fn after_lines(&self) -> Range<usize> {
        self.start.after as usize..self.end.after as usize
    }

    /// How many lines behind this point are the same on both sides.
    fn common_ahead(&self, point: Point) -> isize {
        let before = lines(self.before, point.before, self.end.before).iter();
        let after = lines(self.after, point.after, self.end.after).iter();
        before.zip(after).take_while(|(a, b)| a == b).count() as isize
    }

    /// How many lines before this point are the same on both sides.
    fn common_behind(&self, point: Point) -> isize {
        let before = lines(self.before, self.start.before, point.before).iter().rev();
        let after = lines(self.after, self.start.after, point.after).iter().rev();
        before.zip(after).take_while(|(a, b)| a == b).count() as isize
    }
}

/// The lines between two counts; none where the counts lie outside.
fn lines(side: &[Line], start: isize, end: isize) -> &[Line] {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    let end = usize::try_from(end).unwrap_or(0);
    side.get(start..end).unwrap_or_default()
}

struct Search {
    forward: Frontier<Forward>,
    backward: Frontier<Backward>,
    cost_max: usize,
}

impl Search {
    fn new(before_count: usize, after_count: usize) -> Self {
        let diagonals = before_count + after_count + 3;
        Self {
            forward: Frontier::new(before_count, after_count),
            backward: Frontier::new(before_count, after_count),
            cost_max: rough_root(diagonals).max(COST_MIN),
        }
    }

    /// Splits an area whose sides begin and end differently and are not empty.
    fn split(&mut self, area: &Area<'_>, effort: Effort) -> Split {
        self.forward.begin(area);
        self.backward.begin(area);
        let is_odd = (area.start.diagonal() - area.end.diagonal()) % 2 != 0;
        let mut cost = 0;
        loop {
            cost += 1;
            let ahead = self.forward.advance(area, is_odd.then_some(&self.backward));
            if let Some(at) = ahead.meeting {
                return Split { at, first: Effort::Full, second: Effort::Full };
            }
            let back = self.backward.advance(area, (!is_odd).then_some(&self.forward));
            if let Some(at) = back.meeting {
                return Split { at, first: Effort::Full, second: Effort::Full };
            }
            let has_snake = ahead.has_snake || back.has_snake;
            if let Some(split) = self.cut_short(area, cost, has_snake).filter(|_| effort == Effort::Bounded) {
                return split;
            }
        }
    }

    /// A split that is good enough for what the search has cost so far.
    fn cut_short(&self, area: &Area<'_>, cost: usize, has_snake: bool) -> Option<Split> {
        let ahead = |at| Split { at, first: Effort::Full, second: Effort::Bounded };
        let back = |at| Split { at, first: Effort::Bounded, second: Effort::Full };
        if has_snake && cost > COST_MIN {
            let promising = self.forward.promising(area, cost).map(ahead);
            let promising = promising.or_else(|| self.backward.promising(area, cost).map(back));
            if promising.is_some() {
                return promising;
            }
        }
        if cost < self.cost_max {
            return None;
        }
        let (furthest, nearest) = (self.forward.furthest(area), self.backward.furthest(area));
        let (done, left) = (furthest.sum() - area.start.sum(), area.end.sum() - nearest.sum());
        Some(if left < done { ahead(furthest) } else { back(nearest) })
    }
}
