//! Doing one step. Each act checks first, changes by one rename wherever it can, looks at what it got, and puts things
//! back if that is not what it expected.

use model::{Act, Entry, EntryKind, Mode, Reason, WorkspacePath, WriteStep};

use super::failure::Halt;
use super::hand::{Hand, UNFINISHED_FOLDER_BITS};
use super::reach::Place;
use super::replace::{Replacement, replace};
use super::stage::{Staging, discard, stage};
use super::thing::Thing;

/// Does one step, or nothing of it.
pub(super) fn act(hand: &mut Hand<'_>, step: &WriteStep) -> Result<(), Halt> {
    let path = &step.path;
    match &step.act {
        Act::Lift { before, lifted } => set_mode(hand, path, *before, *lifted),
        Act::SetMode { before, after } => set_mode(hand, path, *before, *after),
        Act::Remove { before, aside } => remove(hand, path, before, aside),
        Act::RemoveDir { .. } => remove_dir(hand, path),
        Act::MakeDir => make_dir(hand, path),
        Act::MoveFrom { from, before } => move_here(hand, path, from, before),
        Act::Create { after, staged, linked_to } => {
            let staging = Staging { after, staged, linked_to: linked_to.as_ref(), displaced: None };
            create(hand, path, &staging)
        }
        Act::Replace { before, after, staged, linked_to } => {
            let replacement = Replacement { before, after, staged, linked_to: linked_to.as_ref() };
            let place = hand.place(path)?;
            replace(hand, &place, &replacement)
        }
    }
}

/// A folder that these steps made has no mode before that could have drifted.
fn set_mode(hand: &mut Hand<'_>, path: &WorkspacePath, before: Mode, after: Mode) -> Result<(), Halt> {
    let is_expected = |mode: Mode, hand: &Hand<'_>| mode == before || hand.makes(path);
    if path.is_root() {
        let mode = hand.reach.root().stat_self()?.mode;
        return if is_expected(mode, hand) {
            Ok(hand.reach.root().set_mode_self(after)?)
        } else {
            Err(Reason::Drift.into())
        };
    }
    let place = hand.place(path)?;
    let stat = *Thing::at(&place)?.stat().ok_or(Reason::Drift)?;
    match stat.kind {
        EntryKind::File | EntryKind::Dir if is_expected(stat.mode, hand) => {
            Ok(place.dir.set_mode(place.name, after)?)
        }
        EntryKind::File | EntryKind::Dir => Err(Reason::Drift.into()),
        EntryKind::Link | EntryKind::Special | EntryKind::Absent => Err(Reason::TypeChange.into()),
    }
}

fn remove(hand: &mut Hand<'_>, path: &WorkspacePath, before: &Entry, aside: &WorkspacePath) -> Result<(), Halt> {
    let (aside, place) = (hand.place(aside)?, hand.place(path)?);
    let target = Thing::at(&place)?;
    target.must_look_like(before)?;
    hand.must_keep(before)?;
    target.must_be_settled()?;
    rename(&place, &aside)?;
    let displaced = Thing::at(&aside).and_then(|thing| thing.must_be(before));
    displaced.map_err(|halt| halt.keeping_unless(rename(&aside, &place)))
}

/// Removes an empty folder. Its mode is not compared, since it may have been lifted for what was in it.
fn remove_dir(hand: &mut Hand<'_>, path: &WorkspacePath) -> Result<(), Halt> {
    hand.reach.let_go();
    let place = hand.place(path)?;
    match Thing::at(&place)?.stat().map(|stat| stat.kind) {
        Some(EntryKind::Dir) => Ok(place.dir.remove_dir(place.name)?),
        Some(_) => Err(Reason::TypeChange.into()),
        None => Err(Reason::Drift.into()),
    }
}

fn make_dir(hand: &mut Hand<'_>, path: &WorkspacePath) -> Result<(), Halt> {
    let place = hand.place(path)?;
    Ok(place.dir.make_dir(place.name, Mode::new(UNFINISHED_FOLDER_BITS))?)
}

fn move_here(hand: &mut Hand<'_>, path: &WorkspacePath, from: &WorkspacePath, before: &Entry) -> Result<(), Halt> {
    let source = hand.place(from)?;
    let place = hand.place(path)?;
    let moving = Thing::at(&source)?;
    moving.must_be(before)?;
    let moving = *moving.stat().ok_or(Reason::Drift)?;
    hand.reach.let_go();
    rename(&source, &place)?;
    if Thing::at(&place)?.is_same_thing(&moving) {
        return Ok(());
    }
    Err(Halt::from(Reason::Drift).keeping_unless(rename(&place, &source)))
}

/// Renames without replacing. What would have to cross to another file system is left: it could only be copied.
pub(super) fn rename(source: &Place<'_>, place: &Place<'_>) -> Result<(), Halt> {
    source.dir.rename_no_replace(source.name, &place.dir, place.name).map_err(|error| {
        let crosses = error.is_mount_point();
        let halt = Halt::from(error);
        if crosses { Halt { reason: Some(Reason::Permission), ..halt } } else { halt }
    })
}

fn create(hand: &mut Hand<'_>, path: &WorkspacePath, staging: &Staging<'_>) -> Result<(), Halt> {
    let place = hand.place(path)?;
    Thing::at(&place)?.must_look_like(&Entry::Absent)?;
    let ours = stage(hand, &place, staging)?;
    place
        .dir
        .rename_no_replace(staging.staged, &place.dir, place.name)
        .map_err(|error| Halt::from(error).keeping_unless(discard(&place, staging.staged, &ours, staging.after)))
}
