//! The hand: does journalled write steps to the user's files, checks them, takes them back and cleans up after them.
//!
//! The steps are values made elsewhere; nothing is decided here. The disk alone tells how far a list of steps got, so
//! the way back works after a crash in any place. Nothing is overwritten or removed unless the keeper says in the same
//! call that its bytes are kept, and what others changed meanwhile is left and named.

use disk::Supply;
use model::{Keeper, WorkspacePath, WriteStep};

use crate::Root;

mod back;
mod clean;
mod expected;
mod failure;
mod forward;
mod hand;
mod reach;
mod replace;
mod stage;
mod temporary;
mod thing;
mod verify;

#[cfg(test)]
mod tests;

pub use failure::{PerformError, PerformFailure, Stuck};
pub use verify::{Mismatch, Progress};

use hand::Hand;
use reach::Reach;

/// Where bytes come from, and who says that they are kept.
#[derive(Clone, Copy)]
pub struct Doors<'a> {
    /// Gives the content that is to be written.
    pub supply: &'a dyn Supply,
    /// Asked before anything is overwritten or removed.
    pub keeper: &'a dyn Keeper,
}

/// Performs `steps` in order; `progress` is told after each how many are done.
///
/// On success every step is done and on the disk, and what was displaced waits at the temporary path of its step, to be
/// checked by [`verify`] and removed by [`clean`]. On failure the steps before the named one are done, the named one is
/// not and nothing of it is left, except where the failure names a second version that had to stay; [`compensate`] leads
/// back. Never follows a link, never replaces something other than what a step expects.
///
/// Cost: per replaced file one new file, one exchange and one reading of what came out; one opening of a folder per run
/// of its entries; one sync per file system.
pub fn perform(
    root: &Root,
    steps: &[WriteStep],
    doors: &Doors<'_>,
    progress: &mut dyn FnMut(usize),
) -> Result<(), PerformFailure> {
    let mut hand = Hand::new(root, steps, doors);
    for (index, step) in steps.iter().enumerate() {
        forward::act(&mut hand, step).map_err(|halt| halt.of_step(index, &step.path, step.temporary()))?;
        progress(index + 1);
    }
    hand.reach.sync().map_err(|halt| halt.of_step(steps.len(), &WorkspacePath::root(), None))
}

/// Reads again everything that performed `steps` should have made: every path must hold exactly what its last step left
/// there, and what was displaced must still be what it was. Empty if all is well; otherwise sorted by path.
///
/// Changes nothing. Cost: one reading of every file written and of every file displaced.
pub fn verify(root: &Root, steps: &[WriteStep], doors: &Doors<'_>) -> Vec<Mismatch> {
    verify::mismatches(&mut Reach::new(root), steps, doors.keeper)
}

/// Takes `steps` back, the newest first, however far they got and whatever stopped them, also when they were partly taken
/// back before. Says what it could not take back.
///
/// The displaced thing itself goes back, with its inode and times; a removed folder is made again. What somebody
/// changed meanwhile is left, and named; no version of anything is lost. What came back is on the disk.
pub fn compensate(root: &Root, steps: &[WriteStep], doors: &Doors<'_>) -> Vec<Stuck> {
    back::take_back(Hand::new(root, steps, doors), steps)
}

/// How far `steps` got, found out by looking at the disk. Changes nothing.
pub fn progress(root: &Root, steps: &[WriteStep]) -> Progress {
    verify::progress(&mut Reach::new(root), steps)
}

/// Removes what `steps` displaced, after their commit; says what it had to leave.
///
/// What waits is removed only if it still is what its step displaced, nobody holds it open for writing, and the keeper
/// holds its bytes. May be repeated.
pub fn clean(root: &Root, steps: &[WriteStep], doors: &Doors<'_>) -> Vec<Stuck> {
    clean::remove_displaced(&mut Hand::new(root, steps, doors), steps)
}
