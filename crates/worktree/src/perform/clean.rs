//! Removing what a list of steps displaced, once it is committed that it stays displaced.

use model::{Act, Entry, Reason, WriteStep};

use super::failure::{Halt, Stuck};
use super::hand::Hand;
use super::thing::Thing;

pub(super) fn remove_displaced(hand: &mut Hand<'_>, steps: &[WriteStep]) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    for step in steps {
        if let Err(halt) = clean(hand, step) {
            stuck.push(halt.keeping(step.act.sibling()).of_path(&step.path));
        }
    }
    stuck
}

fn clean(hand: &mut Hand<'_>, step: &WriteStep) -> Result<(), Halt> {
    match &step.act {
        Act::Remove { before, aside } => remove(hand, step, aside, &[before]),
        // A write in place leaves the copy of what it wrote instead of what it displaced.
        Act::Replace { before, after, staged, .. } => remove(hand, step, staged, &[before, after]),
        Act::Create { after, staged, .. } => remove(hand, step, staged, &[after]),
        Act::Lift { .. } | Act::RemoveDir { .. } | Act::MakeDir | Act::MoveFrom { .. } | Act::SetMode { .. } => Ok(()),
    }
}

/// Removes the sibling if it is one of `known`. That nobody can write into it is made sure of before its content is
/// compared, so that nothing can change between the comparison and its end.
fn remove(hand: &mut Hand<'_>, step: &WriteStep, sibling: &[u8], known: &[&Entry]) -> Result<(), Halt> {
    let Some(place) = hand.place_if_any(&step.path)? else { return Ok(()) };
    let thing = Thing::beside(&place, sibling)?;
    if thing.is_absent() {
        return Ok(());
    }
    thing.must_be_settled()?;
    for entry in known {
        if thing.holds(entry)? {
            hand.must_keep(entry)?;
            return Ok(place.dir.unlink(sibling)?);
        }
    }
    Err(Reason::Unsettled.into())
}
