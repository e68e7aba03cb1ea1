//! [`Home`]: where all state lives, and which workspace a folder or a session belongs to. Knows folders and names, no
//! ledger.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use disk::{DiskError, state};

/// The folder that holds all state: one folder per workspace, one small file per agent session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    /// Names the folder; nothing is made yet.
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Makes the folders if they are missing, for the owner alone.
    pub(crate) fn prepare(&self) -> Result<(), DiskError> {
        state::create_dir(&self.folder)?;
        state::create_dir(&self.folder.join("workspaces"))?;
        state::create_dir(&self.folder.join("sessions"))
    }

    /// The folder of the workspace with this root, whether it exists or not.
    pub(crate) fn workspace_folder(&self, root: &Path) -> PathBuf {
        self.folder.join("workspaces").join(short_name(root.as_os_str().as_bytes()))
    }

    /// Whether this root has a workspace.
    pub(crate) fn knows(&self, root: &Path) -> bool {
        let database = self.workspace_folder(root).join("takeback.db");
        matches!(state::size(&database), Ok(Some(_)))
    }

    /// Writes down which root a workspace folder is for, so that it is found without opening its store.
    pub(crate) fn note_root(&self, root: &Path) -> Result<(), DiskError> {
        let file = self.workspace_folder(root).join("root");
        match state::size(&file)? {
            Some(_) => Ok(()),
            None => state::write_atomic(&file, root.as_os_str().as_bytes()),
        }
    }

    /// The roots of all workspaces. One that cannot be read is passed over.
    pub(crate) fn roots(&self) -> Vec<PathBuf> {
        let folders = state::list(&self.folder.join("workspaces")).unwrap_or_default();
        let root = |folder: PathBuf| state::read(&folder.join("root")).ok().flatten();
        folders.into_iter().filter_map(root).map(|bytes| PathBuf::from(OsString::from_vec(bytes))).collect()
    }

    /// The root that an agent's session was bound to by its first event.
    pub(crate) fn root_of_session(&self, agent: &str, native: &str) -> Result<Option<PathBuf>, DiskError> {
        let bytes = state::read(&self.session_file(agent, native))?;
        Ok(bytes.map(|bytes| PathBuf::from(OsString::from_vec(bytes))))
    }

    /// Binds a session to a root. The first binding stays; returns the one in force.
    pub(crate) fn bind_session(&self, agent: &str, native: &str, root: &Path) -> Result<PathBuf, DiskError> {
        let file = self.session_file(agent, native);
        match state::write_new(&file, root.as_os_str().as_bytes()) {
            Ok(()) => Ok(root.to_owned()),
            Err(error) if error.is_exists() => {
                Ok(self.root_of_session(agent, native)?.unwrap_or_else(|| root.to_owned()))
            }
            Err(error) => Err(error),
        }
    }

    fn session_file(&self, agent: &str, native: &str) -> PathBuf {
        self.folder.join("sessions").join(short_name(format!("{agent}\0{native}").as_bytes()))
    }
}

/// A file name for any bytes: the first sixteen bytes of their BLAKE3 hash in hex.
fn short_name(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex()[..32].to_owned()
}
