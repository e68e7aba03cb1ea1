//! A tree in memory that can be looked at, changed by hand, and changed by the steps of a plan, strictly.

use std::collections::BTreeMap;

use decide::{LinkGroup, Site, write_steps};
use model::{Act, Entry, Mode, Plan, Tree, WorkspacePath, WriteStep};

/// One thing and its identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) entry: Entry,
    pub(crate) id: u64,
}

/// What every path holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SimpleTree {
    pub(crate) nodes: BTreeMap<WorkspacePath, Node>,
    next_id: u64,
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).expect("a good path")
}

impl Tree for SimpleTree {
    fn entry(&self, path: &WorkspacePath) -> Entry {
        if path.is_root() {
            return Entry::Dir { mode: Mode::FOLDER };
        }
        self.nodes.get(path).map_or(Entry::Absent, |node| node.entry.clone())
    }

    fn children(&self, path: &WorkspacePath) -> Vec<WorkspacePath> {
        self.nodes.keys().filter(|other| other.parent().as_ref() == Some(path)).cloned().collect()
    }
}

impl SimpleTree {
    /// Puts an entry at a path, whatever is there; a file keeps its identity.
    pub(crate) fn set(&mut self, path: &WorkspacePath, entry: Entry) {
        if entry.is_absent() {
            self.nodes.remove(path);
            return;
        }
        match self.nodes.get_mut(path).filter(|node| node.entry.kind() == entry.kind()) {
            Some(node) => node.entry = entry,
            None => self.add(path, entry),
        }
    }

    fn add(&mut self, path: &WorkspacePath, entry: Entry) {
        self.next_id += 1;
        self.nodes.insert(path.clone(), Node { entry, id: self.next_id });
    }

    /// Moves a thing with everything below it over whatever is at the other place.
    pub(crate) fn shift(&mut self, from: &WorkspacePath, to: &WorkspacePath) {
        let moved: Vec<_> = self.nodes.keys().filter(|path| path.is_at_or_below(from)).cloned().collect();
        for old in moved {
            let mut bytes = to.as_bytes().to_vec();
            bytes.extend_from_slice(&old.as_bytes()[from.as_bytes().len()..]);
            let node = self.nodes.remove(&old).expect("it was listed");
            self.nodes.insert(WorkspacePath::new(bytes).expect("a good path"), node);
        }
    }

    /// The entries alone.
    pub(crate) fn entries(&self) -> BTreeMap<WorkspacePath, Entry> {
        self.nodes.iter().map(|(path, node)| (path.clone(), node.entry.clone())).collect()
    }

    /// Carries a plan out step by step and checks that nothing but the plan happened.
    pub(crate) fn carry_out(&mut self, plan: &Plan) {
        self.carry_out_at(plan, &[], &|_| None);
    }

    pub(crate) fn carry_out_at(
        &mut self,
        plan: &Plan,
        linked: &[LinkGroup],
        needs_lift: &dyn Fn(&WorkspacePath) -> Option<Mode>,
    ) -> Vec<WriteStep> {
        let mut expected = self.entries();
        for change in &plan.changes {
            assert_eq!(self.entry(&change.path), change.before, "{:?} is not as planned", change.path);
            expected.remove(&change.path);
        }
        for change in plan.changes.iter().filter(|change| !change.after.is_absent()) {
            expected.insert(change.path.clone(), change.after.clone());
        }
        let before = self.clone();
        let site = Site { tree: &before, prefix: ".op-", needs_lift, linked, folds_case: false };
        let steps = write_steps(plan, &site);
        let mut aside = Vec::new();
        steps.iter().for_each(|step| self.perform(step, &mut aside));
        aside.iter().for_each(|path| drop(self.nodes.remove(path)));
        assert_eq!(self.entries(), expected, "after {steps:#?}");
        steps
    }

    fn perform(&mut self, WriteStep { path, act }: &WriteStep, aside: &mut Vec<WorkspacePath>) {
        let parent = path.parent().expect("nothing is done to the root");
        assert!(matches!(self.entry(&parent), Entry::Dir { .. }), "no folder for {path:?}: {act:?}");
        let beside = |name: &[u8]| parent.child(name).expect("a name");
        match act {
            Act::Lift { before, lifted } => self.set_mode(path, *before, *lifted),
            Act::SetMode { before, after } => self.set_mode(path, *before, *after),
            Act::Remove { before, aside: waiting } => {
                assert_eq!(self.entry(path), *before);
                self.assert_free(waiting);
                self.shift(path, waiting);
                aside.push(waiting.clone());
            }
            Act::RemoveDir { mode } => {
                assert_eq!(self.entry(path), Entry::Dir { mode: *mode });
                assert_eq!(self.children(path), [], "{path:?} is not empty");
                self.nodes.remove(path);
            }
            Act::MakeDir => {
                self.assert_free(path);
                self.add(path, Entry::Dir { mode: Mode::new(0o700) });
            }
            Act::MoveFrom { from, before } => {
                assert_eq!(self.entry(from), *before);
                self.assert_free(path);
                self.shift(from, path);
            }
            Act::Create { after, staged, linked_to } => {
                self.assert_free(path);
                self.assert_free(&beside(staged));
                self.finish(path, after, linked_to.as_ref());
            }
            Act::Replace { before, after, staged, linked_to } => {
                assert_eq!(self.entry(path), *before);
                self.assert_free(&beside(staged));
                self.finish(path, after, linked_to.as_ref());
            }
        }
    }

    fn finish(&mut self, path: &WorkspacePath, after: &Entry, linked_to: Option<&WorkspacePath>) {
        match linked_to {
            Some(other) => {
                let node = self.nodes[other].clone();
                assert_eq!(node.entry, *after);
                self.nodes.insert(path.clone(), node);
            }
            None => self.add(path, after.clone()),
        }
    }

    fn set_mode(&mut self, path: &WorkspacePath, before: Mode, after: Mode) {
        let node = self.nodes.get_mut(path).expect("modes are set on what is there");
        assert_eq!(node.entry.mode(), Some(before), "{path:?}");
        node.entry = node.entry.clone().with_mode(after);
    }

    fn assert_free(&self, path: &WorkspacePath) {
        assert!(self.entry(path).is_absent(), "{path:?} is taken");
    }
}
