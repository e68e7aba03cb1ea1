//! What must be known of the place where a plan is carried out: folders that do not allow writing, and hard links.

use std::collections::{BTreeMap, BTreeSet};

use decide::{LinkGroup, note_split_links};
use model::{Index, Mode, Plan, WorkspacePath};

use crate::workspace::Workspace;

impl Workspace {
    /// The modes of the folders in which something must be written and which do not allow it.
    pub(super) fn lifts(&self, plan: &Plan) -> BTreeMap<WorkspacePath, Mode> {
        let mut lifts = BTreeMap::new();
        let paths = plan.changes.iter().flat_map(|change| std::iter::once(&change.path).chain(&change.moved_from));
        for folder in paths.filter_map(WorkspacePath::parent) {
            if !folder.is_root()
                && !lifts.contains_key(&folder)
                && let Ok(Some(mode)) = worktree::needs_lift(&self.root, &folder)
            {
                lifts.insert(folder, mode);
            }
        }
        lifts
    }
}

/// Notes at every change that has to split a hard link that it does so. Gives the groups of names concerned.
pub(crate) fn note_links(index: &Index, plan: &mut Plan) -> Vec<LinkGroup> {
    let groups = linked_groups(index, plan);
    note_split_links(plan, &groups);
    groups
}

/// The groups of names that share a file now, as far as the plan changes one of them.
fn linked_groups(index: &Index, plan: &Plan) -> Vec<LinkGroup> {
    let shared = |path: &WorkspacePath| {
        let known = index.get(path).filter(|known| known.stamp.links > 1 && known.entry.content().is_some())?;
        Some(((known.stamp.device, known.stamp.inode), known.stamp.links))
    };
    let concerned: BTreeSet<(u64, u64)> =
        plan.changes.iter().filter_map(|change| Some(shared(&change.path)?.0)).collect();
    if concerned.is_empty() {
        return Vec::new();
    }
    let mut groups: BTreeMap<(u64, u64), (u32, Vec<WorkspacePath>)> = BTreeMap::new();
    for path in index.paths_below(&WorkspacePath::root()) {
        if let Some((inode, links)) = shared(&path).filter(|(inode, _)| concerned.contains(inode)) {
            let group = groups.entry(inode).or_default();
            group.0 = links;
            group.1.push(path);
        }
    }
    let group =
        |(links, names): (u32, Vec<WorkspacePath>)| LinkGroup { has_other_names: names.len() < links as usize, names };
    groups.into_values().map(group).collect()
}
