//! What all threads wish for, laid out as one tree. Wishes that do not go together, or not with what others have there,
//! are refused and named; the rest is granted.

use std::collections::{BTreeMap, BTreeSet};

use model::{ConflictPolicy, Entry, Evidence, FileResult, Left, Mode, Reason, Seq, Tree, WorkspacePath};

use super::blend::is_folder;
use super::report::Notices;
use super::thread::State;

/// What should become of one thread.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) now: State,
    pub(super) to: State,
    /// The transitions that this takes back, sorted.
    pub(super) reverses: Vec<Seq>,
    pub(super) evidence: Evidence,
}

/// The wishes that are still granted, and the tree they are made for.
pub(super) struct Layout<'t> {
    tree: &'t dyn Tree,
    policy: ConflictPolicy,
    wishes: Vec<Wish>,
}

/// Why a wish is not granted.
struct Refusal {
    wish: usize,
    path: WorkspacePath,
    result: FileResult,
    reason: Reason,
}

/// The tree as it would be.
struct Picture<'t> {
    tree: &'t dyn Tree,
    after: BTreeMap<WorkspacePath, Entry>,
}

impl Wish {
    /// The place where something goes, or is replaced.
    pub(super) fn leaves(&self) -> Option<&WorkspacePath> {
        (!self.now.entry.is_absent()).then_some(&self.now.place)
    }

    /// The place where something comes, or is replaced.
    pub(super) fn takes(&self) -> Option<&WorkspacePath> {
        (!self.to.entry.is_absent()).then_some(&self.to.place)
    }

    fn touches(&self, path: &WorkspacePath) -> bool {
        self.leaves() == Some(path) || self.takes() == Some(path)
    }
}

impl<'t> Layout<'t> {
    pub(super) fn new(tree: &'t dyn Tree, policy: ConflictPolicy) -> Self {
        Self { tree, policy, wishes: Vec::new() }
    }

    pub(super) fn wish(&mut self, wish: Wish) {
        self.wishes.push(wish);
    }

    /// Refuses wishes until those that are left go together. Every round refuses at least one, so it ends.
    ///
    /// The order matters where one refusal lifts the ground for another: who may stand at a place is settled before
    /// which folders go, and that before what may be written below them.
    pub(super) fn settle(&mut self, notices: &mut Notices) {
        loop {
            let mut refusals = self.collisions();
            if refusals.is_empty() {
                refusals = self.full_folders(notices);
            }
            if refusals.is_empty() {
                refusals = self.unsafe_places();
            }
            if refusals.is_empty() {
                return;
            }
            self.refuse(refusals, notices);
        }
    }

    /// The wishes that are granted.
    pub(super) fn granted(&self) -> &[Wish] {
        &self.wishes
    }

    /// What every path that changes would hold, with the parents that must come back for it.
    pub(super) fn result(
        &self,
        folder_mode: &dyn Fn(&WorkspacePath) -> Option<Mode>,
    ) -> BTreeMap<WorkspacePath, Entry> {
        let mut picture = self.picture();
        let filled: Vec<_> = self.wishes.iter().filter_map(Wish::takes).collect();
        for folder in filled.into_iter().flat_map(WorkspacePath::ancestors).collect::<BTreeSet<_>>() {
            if !folder.is_root() && picture.after(&folder).is_absent() {
                let mode = folder_mode(&folder).unwrap_or(Mode::FOLDER);
                picture.after.insert(folder, Entry::Dir { mode });
            }
        }
        picture.after
    }

    fn picture(&self) -> Picture<'t> {
        let left = self.wishes.iter().filter_map(|wish| Some((wish.leaves()?.clone(), Entry::Absent)));
        let mut after: BTreeMap<_, _> = left.collect();
        after.extend(self.wishes.iter().filter_map(|wish| Some((wish.takes()?.clone(), wish.to.entry.clone()))));
        Picture { tree: self.tree, after }
    }

    /// Two things for one place, or one for a place where somebody else's thing lies.
    fn collisions(&self) -> Vec<Refusal> {
        let left: BTreeSet<_> = self.wishes.iter().filter_map(Wish::leaves).collect();
        let mut claims: BTreeMap<&WorkspacePath, Vec<usize>> = BTreeMap::new();
        for (at, wish) in self.wishes.iter().enumerate() {
            if let Some(place) = wish.takes() {
                claims.entry(place).or_default().push(at);
            }
        }
        let collides = |place: &WorkspacePath, claims: &[usize]| {
            claims.len() > 1 || !(left.contains(place) || self.may_cover(&self.tree.entry(place)))
        };
        let refusal = |place: &WorkspacePath, at: usize| {
            let is_other_kind = self.tree.entry(place).kind() != self.wishes[at].to.entry.kind();
            let is_occupied = !left.contains(place);
            let reason = if is_occupied && is_other_kind { Reason::TypeChange } else { Reason::EditedOutside };
            self.conflict(at, place, reason)
        };
        let colliding = claims.into_iter().filter(|(place, claims)| collides(place, claims));
        colliding
            .flat_map(|(place, claims)| claims.into_iter().map(move |at| (place, at)))
            .map(|(p, at)| refusal(p, at))
            .collect()
    }

    /// Whether something may be put where this lies and does not go by itself: only over what the user agreed to lose
    /// from sight and what is in the store.
    fn may_cover(&self, entry: &Entry) -> bool {
        let is_kept_safe = entry.is_covered() && !is_folder(entry);
        entry.is_absent() || (self.policy == ConflictPolicy::Take && is_kept_safe)
    }

    /// Folders that would go, or give way to another kind, and still hold something; the deepest first.
    fn full_folders(&self, notices: &Notices) -> Vec<Refusal> {
        let picture = self.picture();
        let mut going: Vec<usize> = (0..self.wishes.len())
            .filter(|&at| is_folder(&self.wishes[at].now.entry))
            .filter(|&at| !is_folder(&picture.after(&self.wishes[at].now.place)))
            .collect();
        going.sort_by(|&a, &b| self.wishes[b].now.place.cmp(&self.wishes[a].now.place));
        let mut staying: BTreeMap<WorkspacePath, Reason> = BTreeMap::new();
        let mut refusals = Vec::new();
        for at in going {
            let folder = &self.wishes[at].now.place;
            let Some(reason) = self.reason_to_stay(folder, &picture, &staying, notices) else { continue };
            staying.insert(folder.clone(), reason);
            if picture.after(folder).is_absent() {
                refusals.push(Refusal { wish: at, path: folder.clone(), result: FileResult::Kept, reason });
            } else {
                let touching = (0..self.wishes.len()).filter(|&other| self.wishes[other].touches(folder));
                refusals.extend(touching.map(|other| self.conflict(other, folder, Reason::TypeChange)));
            }
        }
        refusals
    }

    /// Why this folder cannot go: what it still holds tells. None if it would be empty.
    fn reason_to_stay(
        &self,
        folder: &WorkspacePath,
        picture: &Picture<'_>,
        staying: &BTreeMap<WorkspacePath, Reason>,
        notices: &Notices,
    ) -> Option<Reason> {
        let children = self.tree.children(folder);
        let stays = |path: &&WorkspacePath| staying.contains_key(*path) || !picture.after(path).is_absent();
        if let Some(child) = children.iter().find(stays) {
            let told = staying.get(child).copied().or_else(|| notices.reason_at(child));
            return told.or_else(|| self.tree.entry(child).gap()).or(Some(Reason::EditedOutside));
        }
        picture.fills_below(folder).then_some(Reason::EditedOutside)
    }

    /// Things that would be written, or would have to be removed, where the way there is no chain of real folders.
    fn unsafe_places(&self) -> Vec<Refusal> {
        let picture = self.picture();
        let refusal = |(at, wish): (usize, &Wish)| {
            let taken = wish.takes().filter(|place| place.is_inside_git() || !picture.has_way_to(place));
            let left = || wish.leaves().filter(|place| !self.has_way_to(place));
            taken.or_else(left).map(|place| self.conflict(at, place, Reason::UnsafePath))
        };
        self.wishes.iter().enumerate().filter_map(refusal).collect()
    }

    fn has_way_to(&self, place: &WorkspacePath) -> bool {
        place.ancestors().all(|folder| folder.is_root() || is_folder(&self.tree.entry(&folder)))
    }

    fn conflict(&self, wish: usize, path: &WorkspacePath, reason: Reason) -> Refusal {
        let result = match self.policy {
            ConflictPolicy::Keep => FileResult::Kept,
            ConflictPolicy::Stop | ConflictPolicy::Take | ConflictPolicy::Merge => FileResult::Conflict,
        };
        Refusal { wish, path: path.clone(), result, reason }
    }

    fn refuse(&mut self, refusals: Vec<Refusal>, notices: &mut Notices) {
        let refused: BTreeSet<usize> = refusals.iter().map(|refusal| refusal.wish).collect();
        for Refusal { wish, path, result, reason } in refusals {
            notices.add_left(Left { path, result, reason, evidence: self.wishes[wish].evidence });
        }
        let mut at = 0..;
        self.wishes.retain(|_| at.next().is_none_or(|at| !refused.contains(&at)));
    }
}

impl Picture<'_> {
    fn after(&self, path: &WorkspacePath) -> Entry {
        self.after.get(path).cloned().unwrap_or_else(|| self.tree.entry(path))
    }

    /// Whether something would come below this folder.
    fn fills_below(&self, folder: &WorkspacePath) -> bool {
        let below = self.after.range(folder..).take_while(|(path, _)| path.is_at_or_below(folder));
        below.skip_while(|(path, _)| *path == folder).any(|(_, entry)| !entry.is_absent())
    }

    /// Whether everything above this place would be a folder, or can be made one.
    fn has_way_to(&self, place: &WorkspacePath) -> bool {
        let allows = |entry: Entry| entry.is_absent() || is_folder(&entry);
        place.ancestors().all(|folder| folder.is_root() || allows(self.after(&folder)))
    }
}
