//! [`GitDir`]: the folder in which git keeps a repository, found as git finds it. Read only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use disk::Dir;
use model::{EntryKind, WorkspacePath};

use crate::small_file;

/// The folder behind a `.git`, and the one it shares with other worktrees of the same repository.
pub(crate) struct GitDir {
    own: Dir,
    shared: Dir,
}

impl GitDir {
    /// Finds git's folder for the worktree `folder`, held open as `dir`: `.git` itself, or where the file `.git` points.
    /// None if there is none or it cannot be read.
    pub(crate) fn open(dir: &Dir, folder: &Path) -> Option<GitDir> {
        let (own, place) = match dir.stat(b".git").ok()??.kind {
            EntryKind::Dir => (dir.open_child(b".git").ok()?, folder.join(".git")),
            EntryKind::File => {
                let place = folder.join(pointed_at(&read(dir, b".git")?)?);
                (Dir::open(&place).ok()?, place)
            }
            _ => return None,
        };
        let shared = match read(&own, b"commondir") {
            Some(bytes) => Dir::open(&place.join(trimmed_path(&bytes))).ok()?,
            None => own.try_clone().ok()?,
        };
        Some(GitDir { own, shared })
    }

    /// A folder that all worktrees of the repository share.
    pub(crate) fn open_shared(&self, name: &[u8]) -> Option<Dir> {
        self.shared.open_child(name).ok()
    }

    /// The branch and its commit, or what of it is known.
    pub(super) fn head(&self) -> Option<String> {
        let head = text(read(&self.own, b"HEAD")?)?;
        let Some(branch) = head.strip_prefix("ref:").map(str::trim) else { return Some(head) };
        let commit = self.loose_ref(branch).or_else(|| self.packed_ref(branch)).or_else(|| self.table_list());
        Some(commit.map_or_else(|| branch.to_owned(), |commit| format!("{branch} {commit}")))
    }

    fn loose_ref(&self, branch: &str) -> Option<String> {
        let path = WorkspacePath::new(branch).ok()?;
        let folder = self.shared.open_beneath(&path.parent()?).ok()?;
        text(read(&folder, path.name()?)?)
    }

    fn packed_ref(&self, branch: &str) -> Option<String> {
        let packed = text(read(&self.shared, b"packed-refs")?)?;
        packed.lines().find_map(|line| Some(line.strip_suffix(branch)?.strip_suffix(' ')?.to_owned()))
    }

    /// Repositories that keep their refs in tables: the list of tables changes with every commit.
    fn table_list(&self) -> Option<String> {
        let tables = self.open_shared(b"reftable")?;
        Some(text(read(&tables, b"tables.list")?)?.replace('\n', " "))
    }
}

/// The path in a `.git` file.
fn pointed_at(bytes: &[u8]) -> Option<PathBuf> {
    bytes.strip_prefix(b"gitdir:").map(trimmed_path)
}

fn trimmed_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes.trim_ascii()))
}

fn read(dir: &Dir, name: &[u8]) -> Option<Vec<u8>> {
    small_file::read(dir, name).ok().flatten()
}

fn text(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}
