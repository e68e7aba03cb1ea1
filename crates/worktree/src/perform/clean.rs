//! Removing what a list of steps displaced, once it is committed that it stays displaced.

use model::{Act, Entry, Reason, WorkspacePath, WriteStep};

use super::failure::{Halt, Stuck};
use super::hand::Hand;
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
    stuck
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
            return Ok(place.dir.unlink(place.name)?);
        }
    }
    Err(Reason::Unsettled.into())
}
