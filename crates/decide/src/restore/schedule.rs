//! Finds an order in which every act finds its place free and its folder there.

use std::collections::BTreeSet;

use model::{Act, Entry, Plan, WorkspacePath, WriteStep};

use super::Site;
use super::ground::{Ground, Spot};
use super::names::Names;
use super::tasks::{Clear, Exchange, Fill, Relocation, Tasks};

/// The acts so far, and what still has to be done.
pub(super) struct Schedule<'a> {
    site: &'a Site<'a>,
    ground: Ground<'a>,
    names: Names<'a>,
    pending: Tasks,
    /// The folders that are removed at some time.
    goes: BTreeSet<WorkspacePath>,
    acts: Vec<WriteStep>,
}

/// Whether a round found something that could be done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Round {
    Idle,
    Busy,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(pending: Tasks, plan: &Plan, site: &'a Site<'a>) -> Self {
        let ground = Ground::new(plan, site.tree, site.folds_case);
        let goes = pending.clear.iter().map(|clear| clear.path.clone()).collect();
        Self { site, ground, names: Names::new(site.tree, site.prefix), pending, goes, acts: Vec::new() }
    }

    /// All acts but those that only set modes.
    ///
    /// Whatever can be done is done, in a fixed order of kinds, round by round. Where everything waits for a move, one
    /// thing is put at a free name, out of the way. What is left when even that does not help is appended as it is, so
    /// that it fails where it is performed instead of being forgotten.
    pub(super) fn run(mut self) -> Vec<WriteStep> {
        while self.has_waiting() {
            if self.round() == Round::Idle && self.put_one_out_of_the_way() == Round::Idle {
                break;
            }
        }
        self.append_rest();
        for exchange in std::mem::take(&mut self.pending.replace) {
            self.replace(exchange);
        }
        self.acts
    }

    fn has_waiting(&self) -> bool {
        let Tasks { clear, make, moves, create, .. } = &self.pending;
        !(clear.is_empty() && make.is_empty() && moves.is_empty() && create.is_empty())
    }

    fn round(&mut self) -> Round {
        let acts = self.acts.len();
        for clear in std::mem::take(&mut self.pending.clear) {
            if self.can_clear(&clear) { self.clear(clear) } else { self.pending.clear.push(clear) }
        }
        for folder in std::mem::take(&mut self.pending.make) {
            if self.ground.takes(&folder) { self.make(folder) } else { self.pending.make.push(folder) }
        }
        for relocation in std::mem::take(&mut self.pending.moves) {
            if self.can_move(&relocation) { self.relocate(relocation) } else { self.pending.moves.push(relocation) }
        }
        for fill in std::mem::take(&mut self.pending.create) {
            if self.ground.takes(&fill.path) { self.create(fill) } else { self.pending.create.push(fill) }
        }
        if self.acts.len() == acts { Round::Idle } else { Round::Busy }
    }

    fn append_rest(&mut self) {
        std::mem::take(&mut self.pending.clear).into_iter().for_each(|clear| self.clear(clear));
        std::mem::take(&mut self.pending.make).into_iter().for_each(|folder| self.make(folder));
        std::mem::take(&mut self.pending.moves).into_iter().for_each(|relocation| self.relocate(relocation));
        std::mem::take(&mut self.pending.create).into_iter().for_each(|fill| self.create(fill));
    }

    fn can_clear(&self, clear: &Clear) -> bool {
        !matches!(clear.before, Entry::Dir { .. }) || self.ground.is_empty_folder(&clear.path)
    }

    fn can_move(&self, Relocation { from, to, .. }: &Relocation) -> bool {
        let is_free = self.ground.is_free(to) || self.ground.are_spellings_of_one(from, to);
        is_free && self.ground.has_folder_for(to)
    }

    fn clear(&mut self, Clear { path, before }: Clear) {
        self.ground.set(&path, Spot::Free);
        let act = match before {
            Entry::Dir { mode } => Act::RemoveDir { mode },
            before => Act::Remove { before, aside: self.place_out_of_the_way(&path) },
        };
        self.acts.push(WriteStep { path, act });
    }

    fn make(&mut self, path: WorkspacePath) {
        self.ground.set(&path, Spot::Folder);
        self.acts.push(WriteStep { path, act: Act::MakeDir });
    }

    fn relocate(&mut self, Relocation { from, to, entry }: Relocation) {
        self.ground.set(&from, Spot::Free);
        self.ground.set(&to, Spot::Thing);
        self.acts.push(WriteStep { path: to, act: Act::MoveFrom { from, before: entry } });
    }

    fn create(&mut self, Fill { path, after }: Fill) {
        self.ground.set(&path, Spot::Thing);
        let staged = self.names.beside(&path);
        self.acts.push(WriteStep { path, act: Act::Create { after, staged, linked_to: None } });
    }

    fn replace(&mut self, Exchange { path, before, after, linked_to }: Exchange) {
        let staged = self.names.beside(&path);
        self.acts.push(WriteStep { path, act: Act::Replace { before, after, staged, linked_to } });
    }

    /// Moves the first thing that waits to a free name in a folder that stays.
    fn put_one_out_of_the_way(&mut self) -> Round {
        let Some(first) = self.pending.moves.first() else { return Round::Idle };
        let (from, entry) = (first.from.clone(), first.entry.clone());
        if is_own_name(&from, self.site.prefix) {
            return Round::Idle;
        }
        let stop = self.place_out_of_the_way(&from);
        self.relocate(Relocation { from, to: stop.clone(), entry });
        self.pending.moves[0].from = stop;
        self.pending.moves.rotate_left(1);
        Round::Busy
    }

    /// A free path in the nearest folder above that no task removes.
    fn place_out_of_the_way(&mut self, path: &WorkspacePath) -> WorkspacePath {
        let stays = path.ancestors().find(|folder| !self.goes.contains(folder));
        let folder = stays.unwrap_or_else(WorkspacePath::root);
        let name = self.names.inside(folder.clone());
        folder.child(&name).expect("because a prefix with a number is a name")
    }
}

/// Whether something was put out of the way already.
fn is_own_name(path: &WorkspacePath, prefix: &str) -> bool {
    path.name().is_some_and(|name| name.starts_with(prefix.as_bytes()))
}
