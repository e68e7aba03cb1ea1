//! Writes down as a [`Plan`] what was decided: what changes, what is left, what is not covered.

use std::collections::{BTreeMap, BTreeSet};

use model::{Change, ConflictPolicy, Entry, Evidence, FileResult, Gap, Left, Plan, Reason, Seq, Tree, WorkspacePath};

use super::Reversal;
use super::blend::{Texts, is_folder};
use super::layout::{Layout, Wish};

/// What must be said besides the changes.
#[derive(Default)]
pub(super) struct Notices {
    left: BTreeMap<WorkspacePath, Left>,
    named: BTreeMap<WorkspacePath, Left>,
    gaps: BTreeSet<Gap>,
}

impl Notices {
    /// Notes a path that is left as it is. Of several notes on one path the gravest counts.
    pub(super) fn add_left(&mut self, left: Left) {
        add_gravest(&mut self.left, left);
    }

    /// Notes a path that is to be named as kept if nothing else is said about it.
    pub(super) fn add_named(&mut self, named: Left) {
        add_gravest(&mut self.named, named);
    }

    pub(super) fn add_gap(&mut self, gap: Gap) {
        self.gaps.insert(gap);
    }

    /// Why this path is not simply there.
    pub(super) fn reason_at(&self, path: &WorkspacePath) -> Option<Reason> {
        let noted = self.left.get(path).or_else(|| self.named.get(path));
        noted.map(|left| left.reason)
    }
}

/// The plan of everything that was granted.
pub(super) fn plan(
    layout: Layout<'_>,
    notices: Notices,
    texts: Texts<'_>,
    request: &Reversal<'_>,
    tree: &dyn Tree,
) -> Plan {
    let result = layout.result(request.folder_mode);
    let wishes = wishes_by_path(layout.granted());
    let nobody = Vec::new();
    let mut changes: Vec<Change> = result
        .iter()
        .map(|(path, after)| {
            let wishes = wishes.get(path).unwrap_or(&nobody);
            let moved_from = moved_from(path, wishes, &result);
            change(path, tree.entry(path), after.clone(), moved_from, wishes)
        })
        .filter(|change| change.before != change.after || change.moved_from.is_some())
        .collect();
    let left = left(notices.left, notices.named, request.policy, &mut changes);
    let hashes: BTreeSet<_> = changes.iter().filter_map(|change| change.after.content().copied()).collect();
    Plan {
        changes,
        left,
        gaps: notices.gaps.into_iter().collect(),
        merged: texts.into_merged(|hash| hashes.contains(hash)),
    }
}

fn add_gravest(notes: &mut BTreeMap<WorkspacePath, Left>, new: Left) {
    let gravity = |left: &Left| match left.result {
        FileResult::Failed => 3,
        FileResult::Conflict => 2,
        FileResult::Kept => 1,
        FileResult::Done | FileResult::Planned | FileResult::Skipped => 0,
    };
    if notes.get(&new.path).is_none_or(|known| gravity(&new) > gravity(known)) {
        notes.insert(new.path.clone(), new);
    }
}

fn wishes_by_path(granted: &[Wish]) -> BTreeMap<&WorkspacePath, Vec<&Wish>> {
    let mut by_path: BTreeMap<_, Vec<&Wish>> = BTreeMap::new();
    for wish in granted {
        let paths: BTreeSet<_> = wish.leaves().into_iter().chain(wish.takes()).collect();
        paths.into_iter().for_each(|path| by_path.entry(path).or_default().push(wish));
    }
    by_path
}

/// Where the thing lies that is to be moved to `path` as it is.
///
/// Covered content is written anew where an equal one must stay in its place; what is not covered can come back in no
/// other way. Folders are made anew: what is below them moves by itself.
fn moved_from(
    path: &WorkspacePath,
    wishes: &[&Wish],
    result: &BTreeMap<WorkspacePath, Entry>,
) -> Option<WorkspacePath> {
    let mover = wishes.iter().find(|wish| wish.takes() == Some(path))?;
    let is_moved = mover.now.entry == mover.to.entry && !is_folder(&mover.to.entry);
    let from = mover.leaves().filter(|from| *from != path && is_moved)?;
    let leaves_its_like = result.get(from) == Some(&mover.now.entry);
    (!leaves_its_like || !mover.now.entry.is_covered()).then(|| from.clone())
}

fn change(
    path: &WorkspacePath,
    before: Entry,
    after: Entry,
    moved_from: Option<WorkspacePath>,
    wishes: &[&Wish],
) -> Change {
    let reverses: BTreeSet<Seq> = wishes.iter().flat_map(|wish| wish.reverses.iter().copied()).collect();
    let evidence = wishes.iter().map(|wish| wish.evidence).max().unwrap_or(Evidence::Exact);
    let reverses = reverses.into_iter().collect();
    Change { path: path.clone(), before, after, moved_from, reverses, evidence, note: None }
}

/// What is left, so that no path is both changed and left. A conflict that stops everything outweighs a change of the same
/// path. Anything else is outweighed by it, since other changes may need it: a folder whose own fate is disputed comes
/// back for what comes back below it.
fn left(
    mut left: BTreeMap<WorkspacePath, Left>,
    named: BTreeMap<WorkspacePath, Left>,
    policy: ConflictPolicy,
    changes: &mut Vec<Change>,
) -> Vec<Left> {
    let stops = |path: &WorkspacePath| {
        policy == ConflictPolicy::Stop && left.get(path).is_some_and(|left| left.result == FileResult::Conflict)
    };
    changes.retain(|change| !stops(&change.path));
    for (path, named) in named {
        left.entry(path).or_insert(named);
    }
    for change in changes.iter() {
        left.remove(&change.path);
    }
    left.into_values().collect()
}
