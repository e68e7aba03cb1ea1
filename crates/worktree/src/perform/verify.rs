//! Reading again what was written, and telling from the disk how far a list of steps got. Changes nothing.

use std::collections::BTreeMap;

use model::{Act, Entry, Keeper, Reason, WorkspacePath, WriteStep};

use super::expected::{Expected, ends, starts};
use super::failure::Halt;
use super::hand::must_keep;
use super::reach::Reach;
use super::temporary::waiting_place;
use super::thing::Thing;

/// A path that is not as its steps should have left it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("`{path}` is not as it was written: {}", reason.code())]
pub struct Mismatch {
    /// Where.
    pub path: WorkspacePath,
    /// Why: [`Reason::Drift`] if it holds something else, [`Reason::Unsettled`] if somebody went on writing into what it
    /// displaced, [`Reason::MissingContent`] if that is not kept.
    pub reason: Reason,
}

/// How far a list of steps got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// Every path is as it was before the first step, and nothing is staged.
    None,
    /// Something in between, or somebody else changed something.
    Some,
    /// Every path is as the last step leaves it.
    All,
}

pub(super) fn mismatches(reach: &mut Reach<'_>, steps: &[WriteStep], keeper: &dyn Keeper) -> Vec<Mismatch> {
    let mut found: BTreeMap<WorkspacePath, Reason> = BTreeMap::new();
    for (index, step) in steps.iter().enumerate() {
        match displaced_is_whole(reach, step, waiting_place(steps, index), keeper) {
            Ok(true) => {}
            Ok(false) => _ = found.insert(step.path.clone(), Reason::Unsettled),
            Err(halt) => _ = found.insert(step.path.clone(), halt.reason.unwrap_or(Reason::Unreadable)),
        }
    }
    for (path, expected) in ends(steps) {
        match is_met(reach, path, &expected) {
            Ok(true) => {}
            Ok(false) => _ = found.insert(path.clone(), Reason::Drift),
            Err(halt) => _ = found.insert(path.clone(), halt.reason.unwrap_or(Reason::Unreadable)),
        }
    }
    found.into_iter().map(|(path, reason)| Mismatch { path, reason }).collect()
}

pub(super) fn progress(reach: &mut Reach<'_>, steps: &[WriteStep]) -> Progress {
    let is_untouched = all_met(reach, &starts(steps))
        && steps.iter().filter_map(WriteStep::temporary).all(|path| is_free(reach, &path));
    if is_untouched {
        Progress::None
    } else if all_met(reach, &ends(steps)) {
        Progress::All
    } else {
        Progress::Some
    }
}

/// Whether what a step displaced still holds what it held; its mode may have been set under another name of it. What is
/// gone was removed by somebody and is kept in the store; the copy that a write in place leaves is no displaced thing.
fn displaced_is_whole(
    reach: &mut Reach<'_>,
    step: &WriteStep,
    waiting: Option<WorkspacePath>,
    keeper: &dyn Keeper,
) -> Result<bool, Halt> {
    let (before, after) = match &step.act {
        Act::Remove { before, .. } => (before, None),
        Act::Replace { before, after, .. } => (before, Some(after)),
        Act::Lift { .. }
        | Act::RemoveDir { .. }
        | Act::MakeDir
        | Act::MoveFrom { .. }
        | Act::Create { .. }
        | Act::SetMode { .. } => return Ok(true),
    };
    let Some(waiting) = waiting else { return Ok(true) };
    let Some(place) = reach.place_if_any(&waiting)? else { return Ok(true) };
    let thing = Thing::at(&place)?;
    if thing.holds(before)? {
        // Asked before it was displaced, and again before that is made final.
        return must_keep(keeper, before).map(|()| true);
    }
    Ok(thing.is_absent() || is_copy_in_place(&thing, after)?)
}

fn is_copy_in_place(waiting: &Thing<'_>, after: Option<&Entry>) -> Result<bool, Halt> {
    after.map_or(Ok(false), |after| waiting.is(after))
}

fn all_met(reach: &mut Reach<'_>, expected: &BTreeMap<&WorkspacePath, Expected>) -> bool {
    expected.iter().all(|(path, expected)| is_met(reach, path, expected).unwrap_or(false))
}

fn is_met(reach: &mut Reach<'_>, path: &WorkspacePath, expected: &Expected) -> Result<bool, Halt> {
    if path.is_root() {
        let mode = reach.root().stat_self()?.mode;
        return Ok(*expected == Expected::Mode(mode));
    }
    match reach.place_if_any(path) {
        Ok(Some(place)) => expected.is_met_by(&Thing::at(&place)?),
        Ok(None) => Ok(expected.is_absent()),
        // Where a folder was there is a file or a link now: nothing of the workspace lies below it.
        Err(Halt { reason: Some(Reason::UnsafePath), .. }) => Ok(expected.is_absent()),
        Err(halt) => Err(halt),
    }
}

fn is_free(reach: &mut Reach<'_>, path: &WorkspacePath) -> bool {
    match reach.place_if_any(path) {
        Ok(Some(place)) => {
            let is_absent = Thing::at(&place).is_ok_and(|thing| thing.is_absent());
            is_absent && !place.dir.has_unfinished_exchange(place.name).unwrap_or(true)
        }
        Ok(None) | Err(_) => true,
    }
}
