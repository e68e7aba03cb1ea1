//! Removing what a list of steps displaced, once it is committed that it stays displaced.

use std::collections::BTreeMap;

use model::{Act, Entry, EntryKind, Mode, Reason, WorkspacePath, WriteStep};

use super::failure::{Halt, Stuck};
use super::hand::Hand;
use super::reach::Place;
use super::temporary::waiting_place;
use super::thing::Thing;

pub(super) fn remove_displaced(hand: &mut Hand<'_>, steps: &[WriteStep]) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let Some(waiting) = waiting_place(steps, index) else { continue };
        if let Err(halt) = remove(hand, &waiting, &known(step)) {
            stuck.push(halt.keeping_second().of_path(&step.path, Some(waiting)));
        }
    }
    for (path, mode) in final_folder_modes(steps) {
        if let Err(halt) = close_again(hand, path, mode) {
            stuck.push(halt.of_path(path, None));
        }
    }
    stuck
}

/// The right to write into a folder and to reach what is in it.
const LIFTED_BITS: u32 = 0o300;

/// The modes that the steps leave, by path.
fn final_folder_modes<'s>(steps: &'s [WriteStep]) -> BTreeMap<&'s WorkspacePath, Mode> {
    let mode =
        |step: &'s WriteStep| if let Act::SetMode { after, .. } = step.act { Some((&step.path, after)) } else { None };
    steps.iter().filter_map(mode).collect()
}

/// Takes back the right to write into a folder that a clean-up gave itself and was killed before it could take it back.
fn close_again(hand: &mut Hand<'_>, path: &WorkspacePath, mode: Mode) -> Result<(), Halt> {
    let lifted = Mode::new(mode.bits() | LIFTED_BITS);
    let Some(place) = hand.place_if_any(path).unwrap_or_default() else { return Ok(()) };
    match Thing::at(&place)?.stat() {
        Some(stat) if stat.kind == EntryKind::Dir && stat.mode == lifted && lifted != mode => {
            Ok(place.dir.set_mode(place.name, mode)?)
        }
        Some(_) | None => Ok(()),
    }
}

/// What may lie at the temporary path of a step. A write in place leaves the copy of what it wrote there instead of what
/// it displaced.
fn known(step: &WriteStep) -> Vec<&Entry> {
    match &step.act {
        Act::Remove { before, .. } => vec![before],
        Act::Replace { before, after, .. } => vec![before, after],
        Act::Create { after, .. } => vec![after],
        Act::Lift { .. } | Act::RemoveDir { .. } | Act::MakeDir | Act::MoveFrom { .. } | Act::SetMode { .. } => {
            Vec::new()
        }
    }
}

/// Removes what waits there if it is one of `known`. That nobody can write into it is made sure of before its content is
/// compared, so that nothing can change between the comparison and its end.
fn remove(hand: &mut Hand<'_>, waiting: &WorkspacePath, known: &[&Entry]) -> Result<(), Halt> {
    let Some(place) = hand.place_if_any(waiting)? else { return Ok(()) };
    let thing = Thing::at(&place)?;
    if thing.is_absent() {
        return Ok(());
    }
    thing.must_be_settled()?;
    for entry in known {
        if thing.holds(entry)? {
            hand.must_keep(entry)?;
            return unlink(&place);
        }
    }
    Err(Reason::Unsettled.into())
}

/// Removes a name, also from a folder whose final mode forbids that: it is lifted for this moment.
fn unlink(place: &Place<'_>) -> Result<(), Halt> {
    match place.dir.unlink(place.name) {
        Err(error) if error.is_permission() => {}
        result => return Ok(result?),
    }
    let mode = place.dir.stat_self()?.mode;
    place.dir.set_mode_self(Mode::new(mode.bits() | LIFTED_BITS))?;
    let removed = place.dir.unlink(place.name);
    place.dir.set_mode_self(mode)?;
    Ok(removed?)
}
