//! A picture of a folder: what every path in it holds, to be compared with a later one. Follows no link.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};

use disk::{Dir, DiskError};
use model::{EntryKind, Mode, WorkspacePath};
use thiserror::Error;

/// Everything in a folder, by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Picture(BTreeMap<WorkspacePath, Thing>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Thing {
    kind: EntryKind,
    /// None for a link, whose mode means nothing.
    mode: Option<Mode>,
    /// The bytes of a file or the target of a link.
    bytes: Vec<u8>,
}

/// A picture could not be taken.
#[derive(Debug, Error)]
pub enum PictureError {
    /// The system refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file could not be read.
    #[error("A file could not be read")]
    Read(#[from] io::Error),
}

impl Picture {
    /// Looks at everything in a folder.
    pub(super) fn take(dir: &Dir) -> Result<Picture, PictureError> {
        let mut picture = Picture::default();
        picture.add_folder(dir, &WorkspacePath::root())?;
        Ok(picture)
    }

    /// The paths that differ between two pictures, sorted.
    pub(super) fn differences(&self, other: &Picture) -> Vec<WorkspacePath> {
        let paths: BTreeSet<&WorkspacePath> = self.0.keys().chain(other.0.keys()).collect();
        paths.into_iter().filter(|path| self.0.get(path) != other.0.get(path)).cloned().collect()
    }

    /// This picture with one path as another has it.
    pub(super) fn with(mut self, path: &WorkspacePath, other: &Picture) -> Picture {
        match other.0.get(path) {
            Some(thing) => self.0.insert(path.clone(), thing.clone()),
            None => self.0.remove(path),
        };
        self
    }

    fn add_folder(&mut self, dir: &Dir, folder: &WorkspacePath) -> Result<(), PictureError> {
        for listed in dir.list()? {
            let Some(stat) = dir.stat(&listed.name)? else { continue };
            let Ok(path) = folder.child(&listed.name) else { continue };
            let bytes = match stat.kind {
                EntryKind::File => read(dir, &listed.name)?,
                EntryKind::Link => dir.read_link(&listed.name)?,
                EntryKind::Absent | EntryKind::Dir | EntryKind::Special => Vec::new(),
            };
            if stat.kind == EntryKind::Dir {
                self.add_folder(&dir.open_child(&listed.name)?, &path)?;
            }
            let mode = Some(stat.mode).filter(|_| stat.kind != EntryKind::Link);
            self.0.insert(path, Thing { kind: stat.kind, mode, bytes });
        }
        Ok(())
    }
}

fn read(dir: &Dir, name: &[u8]) -> Result<Vec<u8>, PictureError> {
    let mut bytes = Vec::new();
    dir.open_file(name)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}
