//! The way back of a replacement: the one act that leaves two things under two names.

use model::{Entry, Reason};

use super::super::failure::Halt;
use super::super::hand::Hand;
use super::super::reach::Place;
use super::super::replace::{Replacement, replace, write_in_place};
use super::super::thing::Thing;

/// What is found at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Before,
    After,
    /// A beginning of the new bytes, in a file that was written in place.
    Torn,
    Other,
}

/// What is found under the staged name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sibling {
    Absent,
    /// What was displaced.
    Before,
    /// What was staged, whole.
    After,
    /// What was staged, as far as it got.
    Begun,
    Other,
}

pub(super) fn back(hand: &mut Hand<'_>, place: &Place<'_>, replacement: &Replacement<'_>) -> Result<(), Halt> {
    let Replacement { before, after, staged, .. } = *replacement;
    place.dir.mend_exchange(staged, place.name).map_err(|error| Halt::from(error).keeping_second())?;
    let is_mount_point = Thing::at(place)?.is_mount_point()?;
    let sibling = sibling(hand, place, replacement)?;
    match (target(hand, place, replacement, is_mount_point)?, sibling) {
        (Target::Before, Sibling::Absent) => Ok(()),
        (Target::Before, Sibling::After | Sibling::Begun) => unlink(hand, place, staged, after),
        (Target::Before, Sibling::Before) => unlink(hand, place, staged, before),
        (Target::After | Target::Torn, Sibling::After) if is_mount_point => {
            write_in_place(hand, place, after, before)?;
            unlink(hand, place, staged, after)
        }
        // The displaced thing is gone from beside it, but not from the store.
        (Target::After, Sibling::Absent) => restore(hand, place, replacement),
        (Target::After, Sibling::Before | Sibling::Begun | Sibling::Other) => exchange_back(hand, place, replacement),
        (Target::After | Target::Other | Target::Torn, Sibling::After | Sibling::Begun) => {
            unlink(hand, place, staged, after)?;
            Err(Reason::Drift.into())
        }
        (Target::Other | Target::Torn, Sibling::Absent) => Err(Reason::Drift.into()),
        (Target::Before | Target::Other | Target::Torn, Sibling::Before | Sibling::Other) => {
            Err(Halt::from(Reason::Drift).keeping_second())
        }
    }
}

fn target(
    hand: &Hand<'_>,
    place: &Place<'_>,
    replacement: &Replacement<'_>,
    is_mount_point: bool,
) -> Result<Target, Halt> {
    let thing = Thing::at(place)?;
    Ok(if thing.is(replacement.before)? {
        Target::Before
    } else if thing.is(replacement.after)? {
        Target::After
    } else if is_mount_point && thing.is_beginning_of(replacement.after, hand.supply())? {
        Target::Torn
    } else {
        Target::Other
    })
}

fn sibling(hand: &Hand<'_>, place: &Place<'_>, replacement: &Replacement<'_>) -> Result<Sibling, Halt> {
    let thing = Thing::beside(place, replacement.staged)?;
    Ok(if thing.is_absent() {
        Sibling::Absent
    } else if thing.is(replacement.before)? {
        Sibling::Before
    } else if thing.is(replacement.after)? {
        Sibling::After
    } else if thing.is_beginning_of(replacement.after, hand.supply())? {
        Sibling::Begun
    } else {
        Sibling::Other
    })
}

/// Puts the displaced thing itself back, with its inode and times, and removes what it was replaced by.
///
/// A thing that is not what the step expected goes back too: it is somebody's, and its place is the path. Named then.
fn exchange_back(hand: &mut Hand<'_>, place: &Place<'_>, replacement: &Replacement<'_>) -> Result<(), Halt> {
    let Replacement { before, after, staged, .. } = *replacement;
    Thing::at(place)?.must_be_settled()?;
    place.dir.exchange(staged, place.name)?;
    if !Thing::beside(place, staged)?.is(after)? {
        // Somebody saved in this very instant: their version stays beside the one that went back.
        return Err(Halt::from(Reason::Drift).keeping_second());
    }
    unlink(hand, place, staged, after)?;
    Thing::at(place)?.must_be(before)
}

/// Writes from the store what was displaced and is no longer there, as a replacement the other way round.
fn restore(hand: &mut Hand<'_>, place: &Place<'_>, replacement: &Replacement<'_>) -> Result<(), Halt> {
    let Replacement { before, after, staged, .. } = *replacement;
    replace(hand, place, &Replacement { before: after, after: before, staged, linked_to: None })?;
    unlink(hand, place, staged, after)
}

fn unlink(hand: &Hand<'_>, place: &Place<'_>, staged: &[u8], kept: &Entry) -> Result<(), Halt> {
    hand.must_keep(kept)?;
    Ok(place.dir.unlink(staged)?)
}
