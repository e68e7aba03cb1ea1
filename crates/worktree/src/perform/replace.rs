//! Replacing a file or link: what will be there is staged beside it, the two are exchanged, and what came out is looked
//! at. What is mounted over its name cannot be exchanged and is written in place.

use disk::Stat;
use model::{Entry, Reason, WorkspacePath};

use super::failure::Halt;
use super::hand::Hand;
use super::reach::Place;
use super::stage::{Staging, discard, stage};
use super::thing::Thing;

/// What is replaced by what.
pub(super) struct Replacement<'s> {
    pub(super) before: &'s Entry,
    pub(super) after: &'s Entry,
    pub(super) staged: &'s [u8],
    pub(super) linked_to: Option<&'s WorkspacePath>,
}

/// Replaces what is at `place`. Afterwards what it displaced lies under the staged name.
///
/// On failure the place holds what it held. If somebody saved there in the very instant of the exchange, and again before
/// it was taken back, both versions stay: the newest at the place, the other under the name the failure gives.
pub(super) fn replace(hand: &mut Hand<'_>, place: &Place<'_>, replacement: &Replacement<'_>) -> Result<(), Halt> {
    let Replacement { before, after, staged, linked_to } = *replacement;
    let target = Thing::at(place)?;
    target.must_look_like(before)?;
    hand.must_keep(before)?;
    target.must_be_settled()?;
    let ours = stage(hand, place, &Staging { after, staged, linked_to, displaced: Some(before.kind()) })?;
    match place.dir.exchange(staged, place.name) {
        Ok(()) => {
            let displaced = Thing::beside(place, staged).and_then(|thing| thing.must_be(before));
            displaced.map_err(|halt| give_back(place, replacement, &ours, halt))
        }
        Err(error) if error.is_mount_point() => {
            let written = must_be_writable_in_place(place, before, after)
                .and_then(|()| write_in_place(hand, place, before, after));
            written.map_err(|halt| withdraw(place, replacement, &ours, halt))
        }
        Err(error) => {
            // Without the system's own call the exchange has several steps and may have stopped between them.
            _ = place.dir.mend_exchange(staged, place.name);
            Err(give_back(place, replacement, &ours, error.into()))
        }
    }
}

/// Overwrites a file that cannot be renamed, and the bytes that were there if that fails. Both must be kept.
///
/// A crash leaves a beginning of the new bytes, which the way back knows from the copy under the staged name.
pub(super) fn write_in_place(hand: &Hand<'_>, place: &Place<'_>, before: &Entry, after: &Entry) -> Result<(), Halt> {
    hand.must_keep(before)?;
    overwrite(hand, place, after).inspect_err(|_| {
        // If this fails too, the journal is still open and the way back tries again.
        _ = overwrite(hand, place, before);
    })
}

fn overwrite(hand: &Hand<'_>, place: &Place<'_>, entry: &Entry) -> Result<(), Halt> {
    let Entry::File { content, mode, .. } = entry else { return Err(Reason::Permission.into()) };
    let mut file = place.dir.overwrite_file(place.name, *mode)?;
    hand.supply().copy(content, &mut file)?;
    // It lies on a file system of its own, which the sync at the end does not reach.
    file.sync()?;
    Ok(file.finish()?)
}

/// The content is compared before anything is written: there is no way to look afterwards.
fn must_be_writable_in_place(place: &Place<'_>, before: &Entry, after: &Entry) -> Result<(), Halt> {
    match (before, after) {
        (Entry::File { .. }, Entry::File { .. }) => Thing::at(place)?.must_be(before),
        _ => Err(Reason::Permission.into()),
    }
}

/// Exchanges back after something unexpected came out, and removes what was staged.
pub(super) fn give_back(place: &Place<'_>, replacement: &Replacement<'_>, ours: &Stat, halt: Halt) -> Halt {
    let Replacement { after, staged, .. } = *replacement;
    let is_ours = Thing::at(place).and_then(|there| Ok(there.is_same_thing(ours) && there.is(after)?));
    match is_ours {
        Ok(true) if place.dir.exchange(staged, place.name).is_ok() => withdraw(place, replacement, ours, halt),
        Ok(true) => halt.keeping_second(),
        // Somebody saved over it since: the newest version stays where it was saved, the other beside it.
        Ok(false) | Err(_) => withdraw(place, replacement, ours, halt),
    }
}

/// Removes what was staged, unless it is somebody's by now, or what somebody saved came out under its name.
fn withdraw(place: &Place<'_>, replacement: &Replacement<'_>, ours: &Stat, halt: Halt) -> Halt {
    halt.keeping_unless(discard(place, replacement.staged, ours, replacement.after))
}
