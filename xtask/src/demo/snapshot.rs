//! [`Snapshot`]: a whole folder as values, to be compared byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::Fault;

/// What every path of a folder holds.
pub(crate) struct Snapshot {
    paths: BTreeMap<PathBuf, Held>,
}

#[derive(PartialEq, Eq)]
enum Held {
    File { content: Vec<u8>, mode: u32 },
    Link(PathBuf),
    Folder { mode: u32 },
}

impl Snapshot {
    /// Reads a folder.
    pub(crate) fn of(folder: &Path) -> Result<Self, Fault> {
        let mut paths = BTreeMap::new();
        read(folder, folder, &mut paths)?;
        Ok(Self { paths })
    }

    /// How many files and links there are.
    pub(crate) fn files(&self) -> usize {
        self.paths.values().filter(|held| !matches!(held, Held::Folder { .. })).count()
    }

    /// Whether there was anything at a path.
    pub(crate) fn holds(&self, path: &str) -> bool {
        self.paths.contains_key(Path::new(path))
    }

    /// The paths that are not the same in both.
    pub(crate) fn differences(&self, other: &Self) -> Vec<String> {
        let all = self.paths.keys().chain(other.paths.keys().filter(|path| !self.paths.contains_key(*path)));
        all.filter(|path| self.paths.get(*path) != other.paths.get(*path))
            .map(|path| path.display().to_string())
            .collect()
    }
}

fn read(top: &Path, folder: &Path, paths: &mut BTreeMap<PathBuf, Held>) -> Result<(), Fault> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let metadata = fs::symlink_metadata(&path)?;
        let mode = metadata.permissions().mode() & 0o7777;
        let held = if metadata.is_symlink() {
            Held::Link(fs::read_link(&path)?)
        } else if metadata.is_dir() {
            read(top, &path, paths)?;
            Held::Folder { mode }
        } else {
            Held::File { content: fs::read(&path)?, mode }
        };
        paths.insert(path.strip_prefix(top)?.to_owned(), held);
    }
    Ok(())
}
