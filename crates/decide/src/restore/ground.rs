//! The tree as it is between two acts, as far as it matters for what can be done next.

use std::collections::BTreeMap;

use model::{Entry, EntryKind, Plan, Tree, WorkspacePath};

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Free,
    Folder,
    /// Anything that holds nothing we could write below.
    Thing,
}

/// The tree, and over it what the acts so far have changed.
pub(super) struct Ground<'a> {
    tree: &'a dyn Tree,
    folds_case: bool,
    changed: BTreeMap<WorkspacePath, Spot>,
}

impl<'a> Ground<'a> {
    pub(super) fn new(plan: &Plan, tree: &'a dyn Tree, folds_case: bool) -> Self {
        let mut ground = Self { tree, folds_case, changed: BTreeMap::new() };
        for change in plan.changes.iter().filter(|change| !change.before.is_absent()) {
            ground.set(&change.path, spot(&change.before));
        }
        ground
    }

    pub(super) fn set(&mut self, path: &WorkspacePath, spot: Spot) {
        self.changed.insert(self.key(path), spot);
    }

    pub(super) fn is_free(&self, path: &WorkspacePath) -> bool {
        self.spot(path) == Spot::Free
    }

    /// Whether something could be put at this path now.
    pub(super) fn takes(&self, path: &WorkspacePath) -> bool {
        self.is_free(path) && self.has_folder_for(path)
    }

    pub(super) fn has_folder_for(&self, path: &WorkspacePath) -> bool {
        path.parent().is_none_or(|folder| folder.is_root() || self.spot(&folder) == Spot::Folder)
    }

    pub(super) fn is_empty_folder(&self, path: &WorkspacePath) -> bool {
        let key = self.key(path);
        let below = self.changed.range(&key..).take_while(|(other, _)| other.is_at_or_below(&key));
        self.tree.children(path).iter().all(|child| self.is_free(child))
            && below.filter(|(other, _)| **other != key).all(|(_, spot)| *spot == Spot::Free)
    }

    /// Whether both are spellings of one name in one folder, so that a rename leads from one to the other.
    pub(super) fn are_spellings_of_one(&self, a: &WorkspacePath, b: &WorkspacePath) -> bool {
        a.parent() == b.parent() && self.key(a) == self.key(b)
    }

    fn spot(&self, path: &WorkspacePath) -> Spot {
        let changed = self.changed.get(&self.key(path)).copied();
        changed.unwrap_or_else(|| spot(&self.tree.entry(path)))
    }

    fn key(&self, path: &WorkspacePath) -> WorkspacePath {
        if self.folds_case { fold_case(path) } else { path.clone() }
    }
}

/// The spelling that all names of one place share where case does not count.
pub(super) fn fold_case(path: &WorkspacePath) -> WorkspacePath {
    let mut folded = Vec::with_capacity(path.as_bytes().len());
    for chunk in path.as_bytes().utf8_chunks() {
        folded.extend_from_slice(chunk.valid().to_lowercase().as_bytes());
        folded.extend_from_slice(chunk.invalid());
    }
    WorkspacePath::new(folded).unwrap_or_else(|_| path.clone())
}

fn spot(entry: &Entry) -> Spot {
    match entry.kind() {
        EntryKind::Absent => Spot::Free,
        EntryKind::Dir if entry.is_covered() => Spot::Folder,
        EntryKind::Dir | EntryKind::File | EntryKind::Link | EntryKind::Special => Spot::Thing,
    }
}
