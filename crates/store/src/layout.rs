//! Where things lie in the folder of a store.

use std::path::{Path, PathBuf};

/// The folder of one store.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    folder: PathBuf,
}

impl Layout {
    /// The layout of this folder; looks at nothing.
    pub(crate) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The folder itself.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The database.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join("takeback.db")
    }

    /// What was written to the database and is not yet in its file.
    pub(crate) fn write_ahead_log(&self) -> PathBuf {
        self.folder.join("takeback.db-wal")
    }

    /// A database that is being made, with what SQLite may have put beside it.
    pub(crate) fn unfinished(&self) -> [PathBuf; 4] {
        ["", "-journal", "-wal", "-shm"].map(|end| self.folder.join(format!("takeback.db.new{end}")))
    }

    /// The lock that every writer takes.
    pub(crate) fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// The folder of the packs.
    pub(crate) fn packs(&self) -> PathBuf {
        self.folder.join("packs")
    }

    /// One pack.
    pub(crate) fn pack(&self, number: u32) -> PathBuf {
        self.packs().join(format!("{number:08}.pack"))
    }

    /// The lock that everybody who appends to one pack takes.
    pub(crate) fn pack_lock(&self, number: u32) -> PathBuf {
        self.packs().join(format!("{number:08}.lock"))
    }

    /// The number of the pack that a file in the folder of the packs belongs to: a pack, its lock or the queue of that.
    pub(crate) fn number_of(path: &Path) -> Option<PackFile> {
        let name = path.file_name()?.to_str()?;
        let (digits, end) = name.split_once('.')?;
        let number = digits.parse().ok().filter(|_| digits.len() >= 8)?;
        Some(PackFile { number, is_pack: end == "pack" })
    }
}

/// What a file in the folder of the packs is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PackFile {
    /// The pack it belongs to.
    pub(crate) number: u32,
    /// Whether it is the pack itself.
    pub(crate) is_pack: bool,
}
