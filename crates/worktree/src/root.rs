//! [`Root`]: the one folder of the user that a workspace is, held open.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use disk::{Dir, DiskError};
use model::WorkspacePath;

use crate::links;

/// The root folder of a workspace, held open: every look and every write starts here.
pub struct Root {
    dir: Dir,
    path: PathBuf,
}

/// Why a path cannot be the root of a workspace. Nothing was touched.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// Nothing is there.
    #[error("There is nothing at `{}`", path.display())]
    Missing {
        /// Where.
        path: PathBuf,
    },
    /// Something else than a folder is there.
    #[error("`{}` is not a folder", path.display())]
    NotAFolder {
        /// Where.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("The workspace folder could not be opened")]
    Disk(#[source] DiskError),
}

impl Root {
    /// Opens the folder at `path` as a root; a relative path starts at the current folder, links on the way to it are
    /// followed.
    ///
    /// On success [`Root::path`] is absolute and free of links. Never creates anything. Cost: two calls for each
    /// component of the path.
    pub fn open(path: &Path) -> Result<Root, RootError> {
        let absolute = std::path::absolute(path).map_err(|_| RootError::Missing { path: path.to_owned() })?;
        let end =
            links::follow(&absolute).map_err(RootError::Disk)?.end.ok_or(RootError::Missing { path: absolute })?;
        Self::open_resolved(end)
    }

    /// The folder behind the same path as it is now, which need not be the folder that this handle holds.
    pub(crate) fn reopen(&self) -> Result<Root, RootError> {
        Self::open_resolved(self.path.clone())
    }

    fn open_resolved(path: PathBuf) -> Result<Root, RootError> {
        match Dir::open(&path) {
            Ok(dir) => Ok(Root { dir, path }),
            Err(error) if error.is_not_found() => Err(RootError::Missing { path }),
            Err(error) if error.leads_astray() => Err(RootError::NotAFolder { path }),
            Err(error) => Err(RootError::Disk(error)),
        }
    }

    /// The open folder.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Its path, absolute and free of links when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder at `path` below the root; none if there is no real folder: nothing, another kind, or a way that
    /// leads through a link.
    pub(crate) fn folder(&self, path: &WorkspacePath) -> Result<Option<Dir>, DiskError> {
        match self.open_folder(path) {
            Ok(dir) => Ok(Some(dir)),
            Err(error) if error.is_not_found() || error.leads_astray() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A path below the root as the operating system spells it. For messages and for git's own files: what lies in the
    /// workspace is reached through [`Root::folder`].
    pub(crate) fn absolute(&self, path: &WorkspacePath) -> PathBuf {
        let below = Path::new(OsStr::from_bytes(path.as_bytes()));
        if path.is_root() { self.path.clone() } else { self.path.join(below) }
    }

    fn open_folder(&self, path: &WorkspacePath) -> Result<Dir, DiskError> {
        match self.dir.open_beneath(path) {
            // The whole path is too long for one call, but each of its names may be sound.
            Err(error) if error.kind() == ErrorKind::InvalidFilename => {
                path.components().try_fold(self.dir.try_clone()?, |dir, name| dir.open_child(name))
            }
            opened => opened,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_behind_a_link_is_known_by_its_real_path() {
        let temp = tempfile::tempdir().unwrap();
        let real = temp.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink("real", temp.path().join("alias")).unwrap();
        assert_eq!(Root::open(&temp.path().join("alias")).unwrap().path(), real);
        assert_eq!(Root::open(&temp.path().join("alias/../real/.")).unwrap().path(), real);
    }

    #[test]
    fn what_is_no_folder_cannot_be_a_root() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("file"), "x").unwrap();
        assert!(matches!(Root::open(&temp.path().join("none")), Err(RootError::Missing { .. })));
        assert!(matches!(Root::open(&temp.path().join("file")), Err(RootError::NotAFolder { .. })));
    }
}
