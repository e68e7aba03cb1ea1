//! [`Reach`]: the way to a path's folder, beneath the root, through no link.

use std::collections::BTreeMap;
use std::sync::Arc;

use disk::{Dir, DiskError};
use model::{Reason, WorkspacePath};

use super::failure::Halt;
use crate::Root;

/// Reaches folders of the workspace, each run of siblings with one opening.
pub(super) struct Reach<'a> {
    root: &'a Root,
    /// The folders of the last paths, the latest first, since steps come in runs of siblings.
    held: Vec<(WorkspacePath, Arc<Dir>)>,
    /// One folder on each file system that was reached.
    file_systems: BTreeMap<u64, Arc<Dir>>,
}

/// An act reaches into two folders at most.
const HELD_MAX: usize = 2;

/// A path, as its open folder and its name there.
pub(super) struct Place<'s> {
    pub(super) dir: Arc<Dir>,
    pub(super) name: &'s [u8],
}

impl<'a> Reach<'a> {
    pub(super) fn new(root: &'a Root) -> Self {
        Self { root, held: Vec::new(), file_systems: BTreeMap::new() }
    }

    pub(super) fn root(&self) -> &Dir {
        self.root.dir()
    }

    /// The place of a path. Fails if its folder is not there or cannot be reached without a link.
    pub(super) fn place<'s>(&mut self, path: &'s WorkspacePath) -> Result<Place<'s>, Halt> {
        let name = path.name().ok_or(Reason::UnsafePath)?;
        let folder = path.parent().ok_or(Reason::UnsafePath)?;
        Ok(Place { dir: self.folder(folder)?, name })
    }

    /// The same, or none if its folder is not there.
    pub(super) fn place_if_any<'s>(&mut self, path: &'s WorkspacePath) -> Result<Option<Place<'s>>, Halt> {
        match self.place(path) {
            Ok(place) => Ok(Some(place)),
            Err(Halt { reason: Some(Reason::Drift), .. }) => Ok(None),
            Err(halt) => Err(halt),
        }
    }

    /// Forgets the folders it holds open; to be called before a folder itself is moved or removed.
    pub(super) fn let_go(&mut self) {
        self.held.clear();
    }

    /// Waits until everything done so far is on the disk.
    pub(super) fn sync(&self) -> Result<(), Halt> {
        self.file_systems.values().try_for_each(|dir| dir.sync_file_system()).map_err(Halt::from)
    }

    fn folder(&mut self, path: WorkspacePath) -> Result<Arc<Dir>, DiskError> {
        if let Some(at) = self.held.iter().position(|(held, _)| *held == path) {
            self.held.swap(0, at);
            return Ok(Arc::clone(&self.held[0].1));
        }
        let dir = Arc::new(self.root.dir().open_beneath(&path)?);
        self.file_systems.entry(dir.stat_self()?.stamp.device).or_insert_with(|| Arc::clone(&dir));
        self.held.truncate(HELD_MAX - 1);
        self.held.insert(0, (path, Arc::clone(&dir)));
        Ok(dir)
    }
}
