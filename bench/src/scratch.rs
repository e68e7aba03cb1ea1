//! [`Scratch`]: the folder everything is measured in. It lies in the target folder, on a real disk, and goes in the end.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::Fault;

/// A folder of our own. Removed with everything in it when dropped.
#[derive(Debug)]
pub(crate) struct Scratch {
    target: PathBuf,
    folder: TempDir,
}

impl Scratch {
    /// Makes one in the target folder that this program was built into.
    pub(crate) fn beside_program() -> Result<Self, Fault> {
        let program = std::env::current_exe()?;
        let target = program.ancestors().nth(2).ok_or("the bench program lies in no target folder")?.to_owned();
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(&target)?;
        Ok(Self { target, folder })
    }

    /// The target folder.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The folder itself.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// An empty folder of this name; what was in it goes.
    pub(crate) fn empty(&self, name: &str) -> Result<PathBuf, Fault> {
        let path = self.path().join(name);
        if path.exists() {
            fs::remove_dir_all(&path)?;
        }
        fs::create_dir(&path)?;
        Ok(path)
    }
}
