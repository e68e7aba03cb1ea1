//! Brings together what was seen, what was read and what moved: the differences a capture gives back.

use model::{Entry, EntryKind, Gap, Known, Move, Reason, Stamp};

use super::moves::{self, Moves};
use super::readers::Readings;
use super::{Captured, Difference, Reading};
use crate::scan::{Found, Now, Sighting};

/// What a path turned out to hold.
pub(crate) enum Judgement {
    /// This; none is nothing.
    Holds(Option<Known>),
    /// Nobody knows yet: this was known and stays, to be looked at again.
    LookAgain(Known),
}

/// Makes the result of a capture. Everything in `found` is sorted by path.
pub(super) fn settle(found: Found<'_>, moves: Moves, mut readings: Readings) -> Captured {
    let Found { sightings, mut refreshed, mut troubles, mut counts } = found;
    counts.add(&readings.counts);
    let judgements: Vec<Judgement> = sightings
        .iter()
        .enumerate()
        .map(|(at, sighting)| {
            let from = moves.partner(at).map(|from| &sightings[from]);
            let reading = readings.by_sighting.remove(&at);
            let (judgement, trouble) = judge(sighting, reading, from);
            troubles.extend(trouble.map(|reason| Gap { path: sighting.path.clone(), reason }));
            judgement
        })
        .collect();
    let mut differences = Vec::new();
    for (at, sighting) in sightings.iter().enumerate() {
        let other = moves.partner(at).filter(|&other| is_move(&judgements[at], &judgements[other]));
        let moved = other.map(|other| move_to_or_from(&judgements[at], &sightings[other]));
        match record(sighting, &judgements[at], moved) {
            Record::Difference(difference) => differences.push(difference),
            Record::Refresh(known) => refreshed.push((sighting.path.clone(), known)),
            Record::Nothing => {}
        }
    }
    refreshed.sort_by(|a, b| a.0.cmp(&b.0));
    troubles.sort();
    troubles.dedup();
    Captured { differences, refreshed, troubles, counts }
}

/// What a path holds by what was seen, what was read and where the thing lay before; and what is the trouble with it.
pub(crate) fn judge(
    sighting: &Sighting<'_>,
    reading: Option<Reading>,
    from: Option<&Sighting<'_>>,
) -> (Judgement, Option<Reason>) {
    match &sighting.now {
        Now::Gone => (Judgement::Holds(None), None),
        Now::Holds(known) => (Judgement::Holds(Some(known.clone())), None),
        Now::Unread(seen) => match reading {
            Some(reading) => judge_reading(sighting, seen, reading, from),
            None => (Judgement::Holds(holds_moved_content(sighting, seen, from)), None),
        },
    }
}

fn judge_reading(
    sighting: &Sighting<'_>,
    seen: &disk::Stat,
    reading: Reading,
    from: Option<&Sighting<'_>>,
) -> (Judgement, Option<Reason>) {
    match reading {
        Reading::Content(content, stat) => (Judgement::Holds(Some(file(content, &stat))), None),
        Reading::Vanished => (Judgement::Holds(None), None),
        Reading::NotTaken(content, stat) => {
            let known = file(content, &stat);
            let is_old = sighting.before.is_some_and(|before| before.entry.content() == Some(&content));
            let judgement = if is_old { known } else { uncovered(Reason::NotCapturedYet, Stamp::UNKNOWN) };
            (Judgement::Holds(Some(judgement)), Some(Reason::NotCapturedYet))
        }
        Reading::Unsettled => {
            let judgement = match sighting.before.filter(|known| is_file(known)) {
                Some(known) => Judgement::LookAgain(to_look_again(known)),
                None => Judgement::Holds(Some(to_look_again(&uncovered(Reason::Unsettled, seen.stamp)))),
            };
            (judgement, Some(Reason::Unsettled))
        }
        Reading::Unreadable => match content_known_from_outside(sighting, seen, from) {
            Some(known) => (Judgement::Holds(Some(known)), None),
            None => (Judgement::Holds(Some(uncovered(Reason::Unreadable, seen.stamp))), Some(Reason::Unreadable)),
        },
    }
}

/// A file that may not be read any more, but looks as when it was read: only its mode can be another.
fn content_known_from_outside(
    sighting: &Sighting<'_>,
    seen: &disk::Stat,
    from: Option<&Sighting<'_>>,
) -> Option<Known> {
    let known = [sighting.before, from.and_then(|from| from.before)].into_iter().flatten().find(|known| {
        let (then, now) = (&known.stamp, &seen.stamp);
        known.entry.content().is_some()
            && (then.device, then.inode) == (now.device, now.inode)
            && (then.size_bytes, then.modified_ns) == (now.size_bytes, now.modified_ns)
    })?;
    Some(Known { entry: known.entry.clone().with_mode(seen.mode), stamp: seen.stamp })
}

fn holds_moved_content(sighting: &Sighting<'_>, seen: &disk::Stat, from: Option<&Sighting<'_>>) -> Option<Known> {
    let known = moves::content_moved_along(from?, sighting)?;
    Some(Known { entry: known.entry.clone().with_mode(seen.mode), stamp: seen.stamp })
}

fn to_look_again(known: &Known) -> Known {
    Known { entry: known.entry.clone(), stamp: Stamp { looked_ns: 0, ..known.stamp } }
}

fn file(content: model::ContentHash, stat: &disk::Stat) -> Known {
    let entry = Entry::File { content, size_bytes: stat.stamp.size_bytes, mode: stat.mode };
    Known { entry, stamp: stat.stamp }
}

fn uncovered(reason: Reason, stamp: Stamp) -> Known {
    Known { entry: Entry::Uncovered { kind: EntryKind::File, reason }, stamp }
}

fn is_file(known: &Known) -> bool {
    matches!(known.entry, Entry::File { .. })
}

/// Whether one end turned out empty and the other did not.
fn is_move(one: &Judgement, other: &Judgement) -> bool {
    matches!(
        (one, other),
        (Judgement::Holds(None), Judgement::Holds(Some(_))) | (Judgement::Holds(Some(_)), Judgement::Holds(None))
    )
}

fn move_to_or_from(here: &Judgement, other: &Sighting<'_>) -> Move {
    match here {
        Judgement::Holds(None) => Move::To(other.path.clone()),
        Judgement::Holds(Some(_)) | Judgement::LookAgain(_) => Move::From(other.path.clone()),
    }
}

/// What is recorded of one path.
enum Record {
    Difference(Difference),
    Refresh(Known),
    Nothing,
}

fn record(sighting: &Sighting<'_>, judgement: &Judgement, moved: Option<Move>) -> Record {
    let before = sighting.before;
    let after = match judgement {
        Judgement::Holds(after) => after.clone(),
        Judgement::LookAgain(known) => return Record::Refresh(known.clone()),
    };
    let is_same = before.map(|known| &known.entry) == after.as_ref().map(|known| &known.entry);
    match after {
        after if !is_same || moved.is_some() => {
            Record::Difference(Difference { path: sighting.path.clone(), before: before.cloned(), after, moved })
        }
        Some(known) if before.is_some_and(|before| says_the_same(before, &known)) => Record::Nothing,
        Some(known) => Record::Refresh(known),
        None => Record::Nothing,
    }
}

/// Whether nothing is gained by keeping the new stamp of something uncovered, which is looked at each time anyhow.
fn says_the_same(before: &Known, now: &Known) -> bool {
    let is_unknown = before.stamp == Stamp::UNKNOWN && now.stamp == Stamp::UNKNOWN;
    !now.entry.is_covered() && (is_unknown || before.stamp.is_unchanged(&now.stamp))
}
