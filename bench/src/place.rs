//! [`Place`]: a scratch folder on the disk that is measured, which is that of the target folder. It goes with its value.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Fault;

/// A scratch folder with a work tree, a home and room for stores.
pub(crate) struct Place {
    folder: TempDir,
}

/// The folder that cargo builds into, which this program lies in.
pub(crate) fn target_folder() -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.ancestors().nth(2).map_or_else(|| PathBuf::from("target"), Path::to_path_buf)
}

impl Place {
    /// Makes the folders. The work tree is a git repository of its own, so that no folder above it is taken for it.
    pub(crate) fn new() -> Result<Self, Fault> {
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(target_folder())?;
        let place = Self { folder };
        for folder in [place.work_tree(), place.home(), place.temporary()] {
            std::fs::create_dir(folder)?;
        }
        let made = Command::new("git").args(["init", "--quiet"]).arg(place.work_tree()).status()?;
        if made.success() { Ok(place) } else { Err("git init failed".into()) }
    }

    /// The user's files.
    pub(crate) fn work_tree(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Stands for the user's home folder.
    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Stands for the folder of temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.folder.path().join("temporary")
    }

    /// All state of takeback.
    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The repository of shadow git.
    pub(crate) fn shadow(&self) -> PathBuf {
        self.folder.path().join("shadow.git")
    }
}

/// What the files below a folder take on disk, in allocated blocks.
pub(crate) fn allocated_bytes(folder: &Path) -> Result<u64, Fault> {
    use std::os::unix::fs::MetadataExt as _;
    let mut bytes = std::fs::symlink_metadata(folder)?.blocks() * 512;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { allocated_bytes(&entry.path())? } else { about.blocks() * 512 };
    }
    Ok(bytes)
}
