//! How far a search has come on every diagonal, in one of the two directions.

use std::marker::PhantomData;

use super::{Area, Point};

/// So many equal lines in a row are a snake that promises a good way.
const SNAKE_LINES: isize = 20;

/// A point promises a good way if it has come this many times as far as it has cost.
const PROGRESS_PER_COST: isize = 4;

/// From the start towards the end.
pub(super) struct Forward;

/// From the end towards the start.
pub(super) struct Backward;

/// What is different in the two directions.
pub(super) trait Direction {
    /// A reach that is worse than any on a diagonal.
    const NOWHERE: isize;

    fn origin(area: &Area<'_>) -> Point;

    /// The better way onto a diagonal from its two neighbours.
    fn step(lower: isize, upper: isize) -> isize;

    /// How many equal lines lie ahead of a point.
    fn snake(area: &Area<'_>, point: Point) -> isize;

    fn go(point: Point, lines: isize) -> Point;

    /// Whether a search that has come to `reach` has met the other one, which has come to `other`.
    fn has_met(reach: isize, other: isize) -> bool;

    /// Whether a snake could lie behind this point within the area.
    fn has_room_behind(area: &Area<'_>, point: Point) -> bool;

    /// How many equal lines lie behind a point, up to a snake's length.
    fn snake_behind(area: &Area<'_>, point: Point) -> isize;

    /// The point on the same diagonal, drawn back into the area.
    fn clamp(area: &Area<'_>, point: Point) -> Point;

    fn is_further(point: Point, other: Point) -> bool;
}

/// The reach of a search on every diagonal between `low` and `high`, of which only every second one is current.
pub(super) struct Frontier<D> {
    reach: Vec<isize>,
    zero: isize,
    low: isize,
    high: isize,
    lowest: isize,
    highest: isize,
    direction: PhantomData<D>,
}

/// What one step of a search has found.
pub(super) struct Advance {
    pub(super) meeting: Option<Point>,
    pub(super) has_snake: bool,
}

impl<D: Direction> Frontier<D> {
    pub(super) fn new(before_count: usize, after_count: usize) -> Self {
        Self {
            reach: vec![0; before_count + after_count + 3],
            zero: after_count as isize + 1,
            low: 0,
            high: 0,
            lowest: 0,
            highest: 0,
            direction: PhantomData,
        }
    }

    pub(super) fn begin(&mut self, area: &Area<'_>) {
        let origin = D::origin(area);
        (self.low, self.high) = (origin.diagonal(), origin.diagonal());
        self.lowest = area.start.before - area.end.after;
        self.highest = area.end.before - area.start.after;
        self.set(origin.diagonal(), origin.before);
    }

    /// Goes one edit further on every diagonal, until it meets `other` if that is given.
    pub(super) fn advance<O: Direction>(&mut self, area: &Area<'_>, other: Option<&Frontier<O>>) -> Advance {
        self.widen();
        let mut has_snake = false;
        for diagonal in self.diagonals() {
            let step = D::step(self.get(diagonal - 1), self.get(diagonal + 1));
            let start = Point::on(diagonal, step);
            let snake = D::snake(area, start);
            has_snake |= snake > SNAKE_LINES;
            let point = D::go(start, snake);
            self.set(diagonal, point.before);
            let meets = |other: &Frontier<O>| other.covers(diagonal) && D::has_met(point.before, other.get(diagonal));
            if other.is_some_and(meets) {
                return Advance { meeting: Some(point), has_snake };
            }
        }
        Advance { meeting: None, has_snake }
    }

    /// The point that has come furthest for its cost and has a snake behind it.
    pub(super) fn promising(&self, area: &Area<'_>, cost: usize) -> Option<Point> {
        let origin = D::origin(area);
        let mut best = None;
        let mut best_progress = PROGRESS_PER_COST * cost as isize;
        for point in self.points() {
            let detour = (point.diagonal() - origin.diagonal()).abs();
            let progress = (point.sum() - origin.sum()).abs() - detour;
            let is_better = progress > best_progress && D::has_room_behind(area, point);
            if is_better && D::snake_behind(area, point) >= SNAKE_LINES {
                (best, best_progress) = (Some(point), progress);
            }
        }
        best
    }

    /// The point that has come furthest.
    pub(super) fn furthest(&self, area: &Area<'_>) -> Point {
        let points = self.points().map(|point| D::clamp(area, point));
        let further = |best: Point, point| if D::is_further(point, best) { point } else { best };
        points.reduce(further).unwrap_or_else(|| D::origin(area))
    }

    /// Takes one more diagonal in at each end, or one less where the area ends.
    fn widen(&mut self) {
        if self.low > self.lowest {
            self.low -= 1;
            self.set(self.low - 1, D::NOWHERE);
        } else {
            self.low += 1;
        }
        if self.high < self.highest {
            self.high += 1;
            self.set(self.high + 1, D::NOWHERE);
        } else {
            self.high -= 1;
        }
    }

    fn diagonals(&self) -> impl Iterator<Item = isize> + use<D> {
        let (low, high) = (self.low, self.high);
        (low..=high).rev().step_by(2)
    }

    fn points(&self) -> impl Iterator<Item = Point> {
        self.diagonals().map(|diagonal| Point::on(diagonal, self.get(diagonal)))
    }

    fn covers(&self, diagonal: isize) -> bool {
        (self.low..=self.high).contains(&diagonal)
    }

    fn get(&self, diagonal: isize) -> isize {
        self.reach[(self.zero + diagonal) as usize]
    }

    fn set(&mut self, diagonal: isize, before: isize) {
        self.reach[(self.zero + diagonal) as usize] = before;
    }
}

impl Direction for Forward {
    const NOWHERE: isize = -1;

    fn origin(area: &Area<'_>) -> Point {
        area.start
    }

    fn step(lower: isize, upper: isize) -> isize {
        if lower >= upper { lower + 1 } else { upper }
    }

    fn snake(area: &Area<'_>, point: Point) -> isize {
        area.common_ahead(point)
    }

    fn go(point: Point, lines: isize) -> Point {
        Point { before: point.before + lines, after: point.after + lines }
    }

    fn has_met(reach: isize, other: isize) -> bool {
        other <= reach
    }

    fn has_room_behind(area: &Area<'_>, point: Point) -> bool {
        (area.start.before + SNAKE_LINES..area.end.before).contains(&point.before)
            && (area.start.after + SNAKE_LINES..area.end.after).contains(&point.after)
    }

    fn snake_behind(area: &Area<'_>, point: Point) -> isize {
        let start = Point { before: point.before - SNAKE_LINES, after: point.after - SNAKE_LINES };
        Area { start, ..area.clone() }.common_behind(point)
    }

    fn clamp(area: &Area<'_>, point: Point) -> Point {
        let drawn = Point::on(point.diagonal(), point.before.min(area.end.before));
        let over = (drawn.after - area.end.after).max(0);
        Forward::go(drawn, -over)
    }

    fn is_further(point: Point, other: Point) -> bool {
        point.sum() > other.sum()
    }
}

impl Direction for Backward {
    const NOWHERE: isize = isize::MAX;

    fn origin(area: &Area<'_>) -> Point {
        area.end
    }

    fn step(lower: isize, upper: isize) -> isize {
        if lower < upper { lower } else { upper - 1 }
    }

    fn snake(area: &Area<'_>, point: Point) -> isize {
        area.common_behind(point)
    }

    fn go(point: Point, lines: isize) -> Point {
        Point { before: point.before - lines, after: point.after - lines }
    }

    fn has_met(reach: isize, other: isize) -> bool {
        reach <= other
    }

    fn has_room_behind(area: &Area<'_>, point: Point) -> bool {
        (area.start.before + 1..=area.end.before - SNAKE_LINES).contains(&point.before)
            && (area.start.after + 1..=area.end.after - SNAKE_LINES).contains(&point.after)
    }

    fn snake_behind(area: &Area<'_>, point: Point) -> isize {
        let end = Point { before: point.before + SNAKE_LINES, after: point.after + SNAKE_LINES };
        Area { end, ..area.clone() }.common_ahead(point)
    }

    fn clamp(area: &Area<'_>, point: Point) -> Point {
        let drawn = Point::on(point.diagonal(), point.before.max(area.start.before));
        let under = (area.start.after - drawn.after).max(0);
        Backward::go(drawn, -under)
    }

    fn is_further(point: Point, other: Point) -> bool {
        point.sum() < other.sum()
    }
}
