//! What is known of the tree: the [`Index`], the last known state of every path with the stamp it was seen under.
//!
//! The index is the state at the end of the ledger. It is a cache of looks, not a second truth: a path that disagrees
//! with the disk is a difference to be recorded, never an error.

use std::collections::HashMap;

use crate::{Entry, EntryKind, Tree, WorkspacePath};

/// What a path held when it was last looked at, and the stamp that says whether it may have changed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// What it held.
    pub entry: Entry,
    /// How it looked from outside.
    pub stamp: Stamp,
}

/// What the operating system tells of a path without opening it. Times are nanoseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// The device it lies on.
    pub device: u64,
    /// Its number on that device.
    pub inode: u64,
    /// How many names it has.
    pub links: u32,
    /// Its length in bytes.
    pub size_bytes: u64,
    /// When its content was last changed.
    pub modified_ns: i64,
    /// When anything of it was last changed.
    pub changed_ns: i64,
    /// When it was made; 0 where the file system does not say.
    pub born_ns: i64,
    /// When we looked; 0 means: look again.
    pub looked_ns: i64,
}

/// One name in a known folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownChild {
    /// The name.
    pub name: Box<[u8]>,
    /// What it held.
    pub known: Known,
}

/// Everything known directly in one folder, sorted by name, each name once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFolder {
    /// The names.
    pub children: Vec<KnownChild>,
}

/// The last known state of every path of a workspace.
///
/// The root itself is no entry of the index. A folder that is uncovered has no known children.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Index {
    folders: HashMap<WorkspacePath, KnownFolder>,
}

impl Stamp {
    /// A stamp that no look can match, so that the path is looked at again.
    pub const UNKNOWN: Stamp =
        Stamp { device: 0, inode: 0, links: 0, size_bytes: 0, modified_ns: 0, changed_ns: 0, born_ns: 0, looked_ns: 0 };

    /// Whether both stamps are of one thing on disk, whatever its name or content: same device and inode, and born at
    /// the same time where that is known (inodes are used again).
    pub fn is_same_thing(&self, other: &Stamp) -> bool {
        self.inode != 0
            && (self.device, self.inode) == (other.device, other.inode)
            && (self.born_ns == other.born_ns)
            && (self.born_ns != 0 || self.modified_ns == other.modified_ns)
    }

    /// Whether nothing that the operating system tells has changed between the two looks.
    pub fn is_unchanged(&self, other: &Stamp) -> bool {
        self.inode != 0
            && (self.device, self.inode, self.size_bytes) == (other.device, other.inode, other.size_bytes)
            && (self.modified_ns, self.changed_ns) == (other.modified_ns, other.changed_ns)
    }
}

impl KnownFolder {
    /// What this name held.
    pub fn get(&self, name: &[u8]) -> Option<&Known> {
        self.place(name).ok().map(|at| &self.children[at].known)
    }

    /// Notes what this name holds.
    pub fn set(&mut self, name: &[u8], known: Known) {
        match self.place(name) {
            Ok(at) => self.children[at].known = known,
            Err(at) => self.children.insert(at, KnownChild { name: name.into(), known }),
        }
    }

    /// Forgets this name.
    pub fn remove(&mut self, name: &[u8]) {
        if let Ok(at) = self.place(name) {
            self.children.remove(at);
        }
    }

    fn place(&self, name: &[u8]) -> Result<usize, usize> {
        self.children.binary_search_by(|child| (*child.name).cmp(name))
    }
}

impl Index {
    /// Takes folders as they were stored.
    pub fn from_folders(folders: impl IntoIterator<Item = (WorkspacePath, KnownFolder)>) -> Self {
        Self { folders: folders.into_iter().collect() }
    }

    /// What is known of a path; none if nothing is there or it is the root.
    pub fn get(&self, path: &WorkspacePath) -> Option<&Known> {
        self.folders.get(&path.parent()?)?.get(path.name()?)
    }

    /// What is known directly in a folder.
    pub fn folder(&self, path: &WorkspacePath) -> Option<&KnownFolder> {
        self.folders.get(path)
    }

    /// Every known folder, in no particular order.
    pub fn folders(&self) -> impl Iterator<Item = (&WorkspacePath, &KnownFolder)> {
        self.folders.iter()
    }

    /// How many paths are known.
    pub fn len(&self) -> usize {
        self.folders.values().map(|folder| folder.children.len()).sum()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Notes what a path holds, or with none that nothing is there. The root is ignored.
    pub fn set(&mut self, path: &WorkspacePath, known: Option<Known>) {
        let (Some(parent), Some(name)) = (path.parent(), path.name()) else { return };
        match known {
            Some(known) => self.folders.entry(parent).or_default().set(name, known),
            None => {
                if let Some(folder) = self.folders.get_mut(&parent) {
                    folder.remove(name);
                    if folder.children.is_empty() {
                        self.folders.remove(&parent);
                    }
                }
            }
        }
    }

    /// Puts one folder in the place of what was known of it; an empty one is forgotten.
    pub fn set_folder(&mut self, path: WorkspacePath, folder: KnownFolder) {
        if folder.children.is_empty() {
            self.folders.remove(&path);
        } else {
            self.folders.insert(path, folder);
        }
    }

    /// Every known path at or below `top`, parents before children, sorted.
    pub fn paths_below(&self, top: &WorkspacePath) -> Vec<WorkspacePath> {
        let mut found = Vec::new();
        self.collect_below(top, &mut found);
        found
    }

    fn collect_below(&self, folder: &WorkspacePath, found: &mut Vec<WorkspacePath>) {
        for path in self.children(folder) {
            found.push(path.clone());
            self.collect_below(&path, found);
        }
    }
}

impl Tree for Index {
    fn entry(&self, path: &WorkspacePath) -> Entry {
        if path.is_root() {
            return Entry::Dir { mode: crate::Mode::FOLDER };
        }
        self.get(path).map_or(Entry::Absent, |known| known.entry.clone())
    }

    fn children(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        let is_dir = path.is_root() || self.get(path).is_some_and(|known| known.entry.kind() == EntryKind::Dir);
        let Some(folder) = self.folders.get(path).filter(|_| is_dir) else { return Vec::new() };
        folder.children.iter().filter_map(|child| path.child(&child.name).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mode;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a good path")
    }

    fn dir() -> Option<Known> {
        Some(Known { entry: Entry::Dir { mode: Mode::FOLDER }, stamp: Stamp::UNKNOWN })
    }

    #[test]
    fn what_was_set_is_found_and_what_was_removed_is_gone() {
        let mut index = Index::default();
        for name in ["b", "a", "a/x", "a/x/y"] {
            index.set(&path(name), dir());
        }
        assert_eq!(index.paths_below(&WorkspacePath::root()), ["a", "a/x", "a/x/y", "b"].map(path));
        assert_eq!(index.len(), 4);
        index.set(&path("a/x/y"), None);
        assert_eq!(index.children(&path("a/x")), []);
        assert_eq!(index.entry(&path("a/x/y")), Entry::Absent);
        assert!(index.folder(&path("a/x")).is_none());
    }

    #[test]
    fn an_unknown_stamp_matches_nothing() {
        assert!(!Stamp::UNKNOWN.is_unchanged(&Stamp::UNKNOWN));
        assert!(!Stamp::UNKNOWN.is_same_thing(&Stamp::UNKNOWN));
    }

    #[test]
    fn an_inode_that_was_used_again_is_another_thing() {
        let old = Stamp { device: 1, inode: 7, born_ns: 10, modified_ns: 10, ..Stamp::UNKNOWN };
        assert!(old.is_same_thing(&Stamp { modified_ns: 99, ..old }));
        assert!(!old.is_same_thing(&Stamp { born_ns: 50, ..old }));
    }
}
