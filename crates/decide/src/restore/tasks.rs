//! What a plan asks for, not yet in order.

use std::collections::{BTreeMap, BTreeSet};

use model::{Act, Change, Entry, EntryKind, Mode, Plan, WorkspacePath, WriteStep};

use super::Site;
use super::ground::fold_case;
use super::links::Links;

/// Everything that has to be done, sorted by kind and path.
pub(super) struct Tasks {
    /// What has to go, the deepest first.
    pub(super) clear: Vec<Clear>,
    /// The folders to make, parents first.
    pub(super) make: Vec<WorkspacePath>,
    pub(super) moves: Vec<Relocation>,
    /// The files and links to make where nothing is.
    pub(super) create: Vec<Fill>,
    /// The files and links to put in the place of others.
    pub(super) replace: Vec<Exchange>,
    /// The files of which only the mode changes, as finished steps.
    pub(super) file_modes: Vec<WriteStep>,
}

/// Something that goes.
pub(super) struct Clear {
    pub(super) path: WorkspacePath,
    pub(super) before: Entry,
}

/// Something that lies elsewhere and comes here.
pub(super) struct Relocation {
    pub(super) from: WorkspacePath,
    pub(super) to: WorkspacePath,
    pub(super) entry: Entry,
}

/// Something that comes where nothing is.
pub(super) struct Fill {
    pub(super) path: WorkspacePath,
    pub(super) after: Entry,
}

/// Something that takes the place of something else.
pub(super) struct Exchange {
    pub(super) path: WorkspacePath,
    pub(super) before: Entry,
    pub(super) after: Entry,
    pub(super) linked_to: Option<WorkspacePath>,
}

impl Tasks {
    pub(super) fn from_plan(plan: &Plan, links: &Links, site: &Site<'_>) -> Self {
        let renames = if site.folds_case { case_renames(plan) } else { BTreeMap::new() };
        let source = |change: &Change| change.moved_from.clone().or_else(|| renames.get(&change.path).cloned());
        let moved_away: BTreeSet<_> = plan.changes.iter().filter_map(source).collect();
        let mut tasks = Self::empty();
        for change in &plan.changes {
            tasks.add(change, source(change), moved_away.contains(&change.path), links);
        }
        tasks.clear.reverse();
        tasks
    }

    fn empty() -> Self {
        Self {
            clear: Vec::new(),
            make: Vec::new(),
            moves: Vec::new(),
            create: Vec::new(),
            replace: Vec::new(),
            file_modes: Vec::new(),
        }
    }

    fn add(&mut self, change: &Change, source: Option<WorkspacePath>, is_moved_away: bool, links: &Links) {
        let Change { path, before, after, .. } = change;
        let is_free = before.is_absent() || is_moved_away;
        let stays_folder = is_folder(before) && is_folder(after);
        if let Some(from) = source {
            self.moves.push(Relocation { from, to: path.clone(), entry: after.clone() });
        } else if stays_folder {
            return;
        } else if !is_free && is_leaf(before) && is_leaf(after) {
            return self.rewrite(change, links);
        } else if is_folder(after) {
            self.make.push(path.clone());
        } else if !after.is_absent() {
            self.create.push(Fill { path: path.clone(), after: after.clone() });
        }
        if !is_free {
            self.clear.push(Clear { path: path.clone(), before: before.clone() });
        }
    }

    /// A file or link becomes another one. Of names that stay one file only the first needs another mode.
    fn rewrite(&mut self, change: &Change, links: &Links) {
        let Change { path, before, after, .. } = change;
        let leader = links.leader(path);
        let step = |before: Mode, after: Mode| WriteStep { path: path.clone(), act: Act::SetMode { before, after } };
        match (before.mode(), after.mode()) {
            (Some(old), Some(new)) if before.content() == after.content() && !links.is_split(path) => {
                self.file_modes.extend(leader.is_none().then(|| step(old, new)));
            }
            _ => self.replace.push(Exchange {
                path: path.clone(),
                before: before.clone(),
                after: after.clone(),
                linked_to: leader.cloned(),
            }),
        }
    }
}

/// Things that go at one name and come at another that is the same to the file system.
fn case_renames(plan: &Plan) -> BTreeMap<WorkspacePath, WorkspacePath> {
    let gone: BTreeMap<_, _> = plan
        .changes
        .iter()
        .filter(|change| is_leaf(&change.before) && change.after.is_absent())
        .map(|change| (fold_case(&change.path), change))
        .collect();
    let rename = |change: &Change| {
        let other = gone.get(&fold_case(&change.path)).filter(|other| other.before == change.after)?;
        (change.before.is_absent() && is_leaf(&change.after)).then(|| (change.path.clone(), other.path.clone()))
    };
    plan.changes.iter().filter_map(rename).collect()
}

fn is_folder(entry: &Entry) -> bool {
    entry.is_covered() && entry.kind() == EntryKind::Dir
}

fn is_leaf(entry: &Entry) -> bool {
    entry.is_covered() && matches!(entry.kind(), EntryKind::File | EntryKind::Link)
}
