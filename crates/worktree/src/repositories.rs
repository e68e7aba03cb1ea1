//! What the repositories of the workspace say about themselves: where their heads stand. Reads a few small files of git;
//! never runs it, never writes, and never stores what it reads as content.

mod git_dir;

use model::{Index, WorkspacePath};

pub(crate) use git_dir::GitDir;

use crate::Root;

/// Where the head of one repository stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Head {
    /// The folder that holds `.git`.
    pub folder: WorkspacePath,
    /// The branch and its commit, as `refs/heads/main 1a2b…`; the commit alone when no branch is checked out; the
    /// branch alone when it has no commit yet.
    pub head: String,
}

/// Where the heads of all known repositories stand, sorted by folder.
///
/// A repository that cannot be read is passed over; this never fails and never follows a link inside the workspace.
/// Cost: three small reads for each repository.
pub fn observe_repositories(root: &Root, index: &Index) -> Vec<Head> {
    let mut heads: Vec<Head> = index
        .folders()
        .filter(|(_, known)| known.get(b".git").is_some())
        .filter_map(|(folder, _)| Some(Head { folder: folder.clone(), head: head_of(root, folder)? }))
        .collect();
    heads.sort();
    heads
}

fn head_of(root: &Root, folder: &WorkspacePath) -> Option<String> {
    let dir = root.folder(folder).ok()??;
    GitDir::open(&dir, &root.absolute(folder))?.head()
}
