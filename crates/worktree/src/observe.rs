//! Observe: one path looked at right now, without the index. For drift checks, for reading again what was written, and
//! for telling where an edit lands. Takes nothing in and changes nothing.

mod claim;
mod closely;
mod folders;

use disk::DiskError;
use model::{EntryKind, Mode, SpecialKind, Stamp, WorkspacePath};

pub use claim::{Claim, resolve};
pub use closely::look_closely;
pub use folders::{is_case_insensitive, list, missing_parents, needs_lift};

use crate::Root;

/// What a path looks like from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// What kind of thing is there; never absent.
    pub kind: EntryKind,
    /// Which kind of special file, if it is one.
    pub special: Option<SpecialKind>,
    /// Its permission bits.
    pub mode: Mode,
    /// The rest.
    pub stamp: Stamp,
}

/// Why a path could not be looked at. Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[error("The workspace could not be looked at")]
pub struct LookError(#[from] pub DiskError);

/// What lies at a path, without opening it.
///
/// None if nothing is there. The way to the path leads through real folders only: behind a link or a file there is
/// nothing of the workspace. The root itself is looked at like any folder. Cost: two calls.
pub fn look(root: &Root, path: &WorkspacePath) -> Result<Option<Seen>, LookError> {
    let stat = match (path.parent(), path.name()) {
        (Some(parent), Some(name)) => match root.folder(&parent)? {
            Some(dir) => dir.stat(name)?,
            None => None,
        },
        _ => Some(root.dir().stat_self()?),
    };
    Ok(stat.map(|stat| Seen { kind: stat.kind, special: stat.special, mode: stat.mode, stamp: stat.stamp }))
}
