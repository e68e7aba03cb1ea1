//! Names beside a path that nothing else has.

use std::collections::{BTreeMap, BTreeSet};

use model::{Tree, WorkspacePath};

/// Gives out names, each once.
pub(super) struct Names<'a> {
    tree: &'a dyn Tree,
    prefix: &'a str,
    next: u64,
    taken: BTreeMap<WorkspacePath, BTreeSet<Vec<u8>>>,
}

impl<'a> Names<'a> {
    pub(super) fn new(tree: &'a dyn Tree, prefix: &'a str) -> Self {
        Self { tree, prefix, next: 1, taken: BTreeMap::new() }
    }

    /// A name for something beside `path`.
    pub(super) fn beside(&mut self, path: &WorkspacePath) -> Vec<u8> {
        self.inside(path.parent().unwrap_or_else(WorkspacePath::root))
    }

    /// A name for something in this folder.
    pub(super) fn inside(&mut self, folder: WorkspacePath) -> Vec<u8> {
        let (tree, prefix) = (self.tree, self.prefix);
        let taken = self.taken.entry(folder).or_insert_with_key(|folder| names_with_prefix(tree, folder, prefix));
        loop {
            let name = format!("{prefix}{}", self.next).into_bytes();
            self.next += 1;
            if !taken.contains(&name) {
                return name;
            }
        }
    }
}

fn names_with_prefix(tree: &dyn Tree, folder: &WorkspacePath, prefix: &str) -> BTreeSet<Vec<u8>> {
    let children = tree.children(folder);
    let names = children.iter().filter_map(WorkspacePath::name);
    names.filter(|name| name.starts_with(prefix.as_bytes())).map(<[u8]>::to_vec).collect()
}
