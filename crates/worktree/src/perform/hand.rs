//! [`Hand`]: what all acts share: the way to a path, the source of bytes, and the question whether bytes are kept.

use std::collections::HashSet;

use disk::Supply;
use model::{Act, Entry, Keeper, Reason, WorkspacePath, WriteStep};

use super::Doors;
use super::failure::Halt;
use super::reach::{Place, Reach};
use crate::Root;

/// The mode of a folder that these steps make, until its final one is set: nobody else looks in meanwhile.
pub(super) const UNFINISHED_FOLDER_BITS: u32 = 0o700;

/// Works in the workspace for one list of steps.
pub(super) struct Hand<'a> {
    pub(super) reach: Reach<'a>,
    doors: &'a Doors<'a>,
    made: HashSet<&'a WorkspacePath>,
    moved: HashSet<&'a WorkspacePath>,
}

impl<'a> Hand<'a> {
    pub(super) fn new(root: &'a Root, steps: &'a [WriteStep], doors: &'a Doors<'a>) -> Self {
        Self { reach: Reach::new(root), doors, made: made(steps), moved: moved(steps) }
    }

    pub(super) fn supply(&self) -> &'a dyn Supply {
        self.doors.supply
    }

    /// Whether these steps make a folder at `path`.
    pub(super) fn makes(&self, path: &WorkspacePath) -> bool {
        self.made.contains(path)
    }

    /// Whether these steps make, or move something to, this path.
    pub(super) fn brings(&self, path: &WorkspacePath) -> bool {
        self.made.contains(path) || self.moved.contains(path)
    }

    /// The place of a path. Fails if its folder is not there or cannot be reached without a link.
    pub(super) fn place<'s>(&mut self, path: &'s WorkspacePath) -> Result<Place<'s>, Halt> {
        self.reach.place(path)
    }

    /// The same, or none if its folder is not there.
    pub(super) fn place_if_any<'s>(&mut self, path: &'s WorkspacePath) -> Result<Option<Place<'s>>, Halt> {
        self.reach.place_if_any(path)
    }

    /// Fails unless the bytes of `entry` are kept, so that it may be overwritten or removed.
    pub(super) fn must_keep(&self, entry: &Entry) -> Result<(), Halt> {
        must_keep(self.doors.keeper, entry)
    }
}

/// Fails unless the keeper holds the bytes of `entry`. What we do not know well enough to keep is never kept.
pub(super) fn must_keep(keeper: &dyn Keeper, entry: &Entry) -> Result<(), Halt> {
    match entry {
        Entry::File { content, .. } if !keeper.holds(content) => Err(Reason::MissingContent.into()),
        Entry::File { .. } | Entry::Link { .. } | Entry::Absent | Entry::Dir { .. } => Ok(()),
        Entry::Special { .. } | Entry::Uncovered { .. } => Err(entry.gap().unwrap_or(Reason::Special).into()),
    }
}

/// The folders that `steps` make.
fn made(steps: &[WriteStep]) -> HashSet<&WorkspacePath> {
    steps.iter().filter(|step| step.act == Act::MakeDir).map(|step| &step.path).collect()
}

/// Where `steps` move something to.
fn moved(steps: &[WriteStep]) -> HashSet<&WorkspacePath> {
    steps.iter().filter(|step| matches!(step.act, Act::MoveFrom { .. })).map(|step| &step.path).collect()
}
