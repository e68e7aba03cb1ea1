//! Capture: compares the workspace with what is known of it, takes new content in, and says what is different.
//!
//! Writes nothing in the workspace and keeps nothing of its own: the caller records what it gives back.

mod apply;
mod moves;
mod read;
mod readers;
mod settle;

use disk::{DiskError, Intake};
use model::{Gap, Index, Known, Move, WorkspacePath};

pub(crate) use read::{Reading, read_file};
pub(crate) use settle::{Judgement, judge};

use crate::rules::Coverage;
use crate::scan::{Found, Ground, Suspects, WalkError};
use crate::{Root, RootError, Rules};

/// Which part of the workspace is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaptureScope {
    /// All of it.
    Whole {
        /// Give up when there are more entries than this.
        entries_max: Option<u64>,
    },
    /// One folder with everything below it, and the folders above it; or one file.
    Below(WorkspacePath),
    /// Exactly these paths and the folders above them. Of a folder that is named only the folder itself is looked at.
    Paths(Vec<WorkspacePath>),
    /// What may have changed, by the word of somebody who has watched; everything else is taken to be as it is known.
    Suspects(Suspects),
}

/// What a capture found. Everything is sorted by path, and each path is in `differences` or `refreshed` at most once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The paths that hold something else than was known.
    pub differences: Vec<Difference>,
    /// The paths that hold what was known, under a new stamp. A file that somebody is writing to is here with its old
    /// entry and a stamp that makes the next capture look again.
    pub refreshed: Vec<(WorkspacePath, Known)>,
    /// What could not be looked at or taken in this time. Also each path that was named and not stored: a file that is
    /// left out, or whatever lies inside something that is left out or behind a link.
    pub troubles: Vec<Gap>,
    /// What it cost.
    pub counts: Counts,
}

/// One path that holds something else than was known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Where.
    pub path: WorkspacePath,
    /// What was known; none if nothing was there.
    pub before: Option<Known>,
    /// What is there now; none if nothing is. Below a folder that is not covered any more every known path is said to
    /// be uncovered too, but is not kept in the index, see [`Captured::apply_to`].
    pub after: Option<Known>,
    /// The other end, if the thing that was here or is here now moved.
    pub moved: Option<Move>,
}

/// What a capture cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Names that were listed in covered folders.
    pub entries: u64,
    /// Names that were looked at.
    pub stats: u64,
    /// Folders that were opened.
    pub folders: u64,
    /// Files that were read.
    pub files_read: u64,
    /// Bytes that were read from them.
    pub bytes_read: u64,
}

/// Why a capture found nothing out. Nothing was recorded.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// The workspace is not there.
    #[error(transparent)]
    Root(#[from] RootError),
    /// There are more entries than the caller wants to take.
    #[error("There are more than {found} files and folders")]
    TooMany {
        /// How many were seen before the capture gave up.
        found: u64,
    },
    /// The root folder could not be listed.
    #[error("The workspace folder could not be listed")]
    Disk(#[source] DiskError),
}

/// Compares the workspace with `index` and puts new content into `intake`.
///
/// On success every difference within `scope` is named, and the bytes of every file among them are in `intake`. Trouble
/// with one path never keeps the others from being captured. On an error nothing is to be recorded, though content may
/// have been taken in. Never follows a link, opens a special file, writes in the workspace or runs git.
///
/// The folder is the one that lies at the root's path now. Cost: one look at each name in `scope`, one listing of each
/// folder, and a read of each file whose stamp does not prove that it is unchanged.
pub fn capture(
    root: &Root,
    index: &Index,
    rules: &Rules,
    intake: &dyn Intake,
    scope: &CaptureScope,
) -> Result<Captured, CaptureError> {
    let root = root.reopen()?;
    let coverage = Coverage::new(&root, rules);
    let found = look_around(&root, index, &coverage, scope)?;
    let moves = moves::pair(&found.sightings);
    let readings = readers::read_all(&root, &found.sightings, &moves, intake);
    Ok(settle::settle(found, moves, readings))
}

fn look_around<'a>(
    root: &'a Root,
    index: &'a Index,
    coverage: &'a Coverage<'a>,
    scope: &CaptureScope,
) -> Result<Found<'a>, CaptureError> {
    let walked = match scope {
        CaptureScope::Whole { entries_max } => Ground::new(root, index, coverage, *entries_max).walk_whole(),
        CaptureScope::Below(top) => Ground::new(root, index, coverage, None).walk_below(top),
        CaptureScope::Paths(paths) => Ground::new(root, index, coverage, None).visit(paths).map_err(WalkError::Disk),
        CaptureScope::Suspects(suspects) => Ground::new(root, index, coverage, None).search(suspects),
    };
    walked.map_err(|error| match error {
        WalkError::TooMany(found) => CaptureError::TooMany { found },
        WalkError::Disk(error) => CaptureError::Disk(error),
    })
}

impl Counts {
    /// Adds what another worker has cost.
    pub(crate) fn add(&mut self, other: &Counts) {
        self.entries += other.entries;
        self.stats += other.stats;
        self.folders += other.folders;
        self.files_read += other.files_read;
        self.bytes_read += other.bytes_read;
    }
}
