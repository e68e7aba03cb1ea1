//! Hard links: which names stay one file, and which are split off.

use std::collections::{BTreeMap, BTreeSet};

use model::{Change, EntryKind, Plan, WorkspacePath};

use super::LinkGroup;

/// What becomes of the names that share a file.
#[derive(Default)]
pub(super) struct Links {
    leaders: BTreeMap<WorkspacePath, WorkspacePath>,
    split: BTreeSet<WorkspacePath>,
}

impl Links {
    pub(super) fn find(plan: &Plan, groups: &[LinkGroup]) -> Self {
        let changes: BTreeMap<_, _> = plan.changes.iter().map(|change| (&change.path, change)).collect();
        let mut links = Self::default();
        groups.iter().for_each(|group| links.add(group, &changes));
        links
    }

    /// The path, earlier in order, whose finished file this name becomes another name of.
    pub(super) fn leader(&self, path: &WorkspacePath) -> Option<&WorkspacePath> {
        self.leaders.get(path)
    }

    /// Whether this name cannot stay one file with all the others that stay.
    pub(super) fn is_split(&self, path: &WorkspacePath) -> bool {
        self.split.contains(path)
    }

    fn add(&mut self, group: &LinkGroup, changes: &BTreeMap<&WorkspacePath, &Change>) {
        let names: BTreeSet<_> = group.names.iter().collect();
        let rewritten: Vec<&Change> =
            names.iter().filter_map(|name| changes.get(name)).copied().filter(|change| is_rewritten(change)).collect();
        let Some(first) = rewritten.first() else { return };
        let some_stay = group.has_other_names || names.iter().any(|name| !changes.contains_key(name));
        if some_stay || rewritten.iter().any(|change| change.after != first.after) {
            self.split.extend(rewritten.iter().map(|change| change.path.clone()));
        }
        for (at, change) in rewritten.iter().enumerate() {
            let leader = rewritten[..at].iter().find(|earlier| earlier.after == change.after);
            if let Some(leader) = leader {
                self.leaders.insert(change.path.clone(), leader.path.clone());
            }
        }
    }
}

/// Whether the file stays a file at its place and becomes another one.
fn is_rewritten(change: &Change) -> bool {
    let is_file = change.before.content().is_some() && change.after.kind() == EntryKind::File;
    is_file && change.moved_from.is_none()
}
