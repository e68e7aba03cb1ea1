//! The walk: compares what lies in the workspace with what is known of it, without reading any content.
//!
//! What is left for others: reading the files that may have changed, and telling moves.

mod elsewhere;
mod enter;
mod found;
pub(crate) mod freshness;
mod named;
mod scanner;
mod suspected;
mod walk;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use disk::{Dir, DiskError, Stat};
use model::{Index, Known, WorkspacePath};

pub(crate) use found::{Found, Now, Sighting};
pub use suspected::Suspects;

use crate::Root;
use crate::rules::{Coverage, Reach};
use elsewhere::LeftOut;

/// What all workers of one walk share.
pub(crate) struct Ground<'a> {
    root: &'a Root,
    index: &'a Index,
    coverage: &'a Coverage<'a>,
    left_out: OnceLock<LeftOut<'a>>,
    entries: AtomicU64,
    entries_max: u64,
}

/// Why a walk gave up.
pub(crate) enum WalkError {
    /// There are more entries than were asked for; so many were seen by then.
    TooMany(u64),
    /// The root itself could not be listed.
    Disk(DiskError),
}

impl From<DiskError> for WalkError {
    fn from(error: DiskError) -> Self {
        WalkError::Disk(error)
    }
}

/// A covered folder, open.
struct Place {
    path: WorkspacePath,
    dir: Dir,
    depth: usize,
    reach: Reach,
}

/// A folder that was seen from above and is covered as far as that tells.
struct Folder<'a> {
    above: Arc<Place>,
    path: WorkspacePath,
    stat: Stat,
    before: Option<&'a Known>,
    reach: Reach,
}

impl<'a> Ground<'a> {
    /// A walk over the whole workspace or parts of it, which gives up beyond `entries_max` entries.
    pub(crate) fn new(root: &'a Root, index: &'a Index, coverage: &'a Coverage<'a>, entries_max: Option<u64>) -> Self {
        let entries_max = entries_max.unwrap_or(u64::MAX);
        Self { root, index, coverage, left_out: OnceLock::new(), entries: AtomicU64::new(0), entries_max }
    }

    /// Looks at every name in the workspace.
    pub(crate) fn walk_whole(&self) -> Result<Found<'a>, WalkError> {
        walk::from_root(self)
    }

    /// Looks at `top`, at the folders above it and at everything below it.
    pub(crate) fn walk_below(&self, top: &WorkspacePath) -> Result<Found<'a>, WalkError> {
        if top.is_root() { self.walk_whole() } else { walk::from_folder(self, top) }
    }

    /// Looks at exactly these paths and the folders above them; their number is not limited.
    pub(crate) fn visit(&self, paths: &[WorkspacePath]) -> Result<Found<'a>, DiskError> {
        named::visit_all(self, paths)
    }

    /// Looks at what is suspected alone.
    pub(crate) fn search(&self, suspects: &Suspects) -> Result<Found<'a>, WalkError> {
        suspected::look_at(self, suspects)
    }

    fn root_place(&self) -> Result<Arc<Place>, DiskError> {
        let dir = self.root.dir().try_clone()?;
        Ok(Arc::new(Place { path: WorkspacePath::root(), dir, depth: 0, reach: Reach::Ordinary }))
    }

    /// Counts entries that were seen; false once there are too many.
    fn admit(&self, count: usize) -> bool {
        let seen = self.entries.fetch_add(count as u64, Ordering::Relaxed) + count as u64;
        seen <= self.entries_max
    }

    fn has_too_many(&self) -> bool {
        self.entries.load(Ordering::Relaxed) > self.entries_max
    }

    fn finish(&self, mut found: Found<'a>) -> Result<Found<'a>, WalkError> {
        if self.has_too_many() {
            return Err(WalkError::TooMany(self.entries.load(Ordering::Relaxed)));
        }
        found.arrange();
        Ok(found)
    }
}

impl Place {
    fn child(&self, name: &[u8]) -> WorkspacePath {
        self.path.child(name).expect("because a name that was looked at is a single name")
    }
}
