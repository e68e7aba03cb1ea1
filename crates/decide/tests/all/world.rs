//! A workspace in memory with its ledger: somebody changes files, a barrier records it, something is taken back.

use std::collections::{BTreeMap, BTreeSet};

use decide::{ControlFiles, Reversal, Reverses, reverse, standing};
use model::{
    Cause, Change, CheckpointId, ConflictPolicy, ContentHash, Contents, Entry, EntryKind, Evidence, FileResult, Mode,
    Move, OperationId, Plan, Reason, Seq, StepId, Transition, Tree, TurnId, WorkspacePath,
};

use crate::simple_tree::{SimpleTree, path};

/// Content by its name; nothing is ever dropped unless a test does it.
#[derive(Clone, Default)]
pub(crate) struct Shelf(pub(crate) BTreeMap<ContentHash, Vec<u8>>);

impl Contents for Shelf {
    fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.0.get(hash).cloned()
    }

    fn name(&self, bytes: &[u8]) -> ContentHash {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }
}

/// The tree, what it held, and how it came to be so.
#[derive(Clone, Default)]
pub(crate) struct World {
    pub(crate) tree: SimpleTree,
    pub(crate) shelf: Shelf,
    pub(crate) ledger: Vec<Transition>,
    pub(crate) reversals: Vec<Reverses>,
    pub(crate) control: Vec<WorkspacePath>,
    pub(crate) policy: Option<ConflictPolicy>,
    barrier: u64,
}

/// Who changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Turn(u64),
    User,
    /// Several windows were open.
    Unclear(u64),
}

impl World {
    pub(crate) fn text(&mut self, text: &str) -> Entry {
        self.bytes(text.as_bytes())
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Entry {
        let content = self.shelf.name(bytes);
        self.shelf.0.insert(content, bytes.to_vec());
        Entry::File { content, size_bytes: bytes.len() as u64, mode: Mode::new(0o644) }
    }

    /// Puts a file and the folders above it there before anything is recorded.
    pub(crate) fn given(&mut self, name: &str, text: &str) {
        let entry = self.text(text);
        for folder in path(name).ancestors().filter(|folder| !folder.is_root()) {
            self.tree.set(&folder, Entry::Dir { mode: Mode::FOLDER });
        }
        self.tree.set(&path(name), entry);
    }

    /// Somebody changes something, and a barrier records it.
    pub(crate) fn change(&mut self, who: Who, act: impl FnOnce(&mut Hands<'_>)) -> BTreeSet<Seq> {
        let before = self.tree.clone();
        act(&mut Hands { world: self });
        self.record(&before, who)
    }

    fn record(&mut self, before: &SimpleTree, who: Who) -> BTreeSet<Seq> {
        self.barrier += 1;
        let paths: BTreeSet<_> = before.nodes.keys().chain(self.tree.nodes.keys()).cloned().collect();
        let changed: Vec<_> = paths.into_iter().filter(|path| before.entry(path) != self.tree.entry(path)).collect();
        let mut seqs = BTreeSet::new();
        for path in changed {
            let moved = find_move(before, &self.tree, &path);
            let (old, new) = (before.entry(&path), self.tree.entry(&path));
            seqs.insert(self.append(path, old, new, moved, who.cause(), who.evidence()));
        }
        seqs
    }

    fn append(
        &mut self,
        path: WorkspacePath,
        before: Entry,
        after: Entry,
        moved: Option<Move>,
        cause: Cause,
        evidence: Evidence,
    ) -> Seq {
        let seq = Seq(self.ledger.len() as u64 + 1);
        let checkpoint = CheckpointId(self.barrier);
        self.ledger.push(Transition { seq, checkpoint, path, before, after, moved, cause, evidence });
        seq
    }

    /// The standing transitions of these turns.
    pub(crate) fn of_turns(&self, turns: &[u64]) -> BTreeSet<Seq> {
        let is_theirs = |step: &StepId| turns.contains(&step.turn.0);
        let made = self.ledger.iter().filter(|transition| transition.cause.lies_within(is_theirs));
        self.standing(&made.map(|transition| transition.seq).collect())
    }

    pub(crate) fn standing(&self, asked: &BTreeSet<Seq>) -> BTreeSet<Seq> {
        standing(&self.reversals, asked)
    }

    pub(crate) fn plan(&self, chosen: &BTreeSet<Seq>) -> Plan {
        self.plan_naming(chosen, &BTreeMap::new())
    }

    pub(crate) fn plan_naming(&self, chosen: &BTreeSet<Seq>, named: &BTreeMap<Seq, Reason>) -> Plan {
        let oldest = chosen.iter().chain(named.keys()).min().copied().unwrap_or(Seq(u64::MAX));
        let start = self.ledger.partition_point(|transition| transition.seq < oldest);
        let request = Reversal {
            ledger: &self.ledger[start..],
            chosen,
            named,
            policy: self.policy.unwrap_or(ConflictPolicy::Stop),
            control: ControlFiles::Ask,
            is_control: &|path| self.control.contains(path),
            folder_mode: &|_| Some(Mode::new(0o750)),
        };
        reverse(&request, &self.tree, &self.shelf)
    }

    /// Takes transitions back as an operation; gives the transitions that this made.
    pub(crate) fn take_back(&mut self, chosen: &BTreeSet<Seq>) -> BTreeSet<Seq> {
        let plan = self.plan(chosen);
        assert!(!plan.has_conflicts(), "{:#?}", plan.left);
        self.carry_out(&plan)
    }

    pub(crate) fn carry_out(&mut self, plan: &Plan) -> BTreeSet<Seq> {
        self.barrier += 1;
        self.shelf.0.extend(plan.merged.clone());
        let carried = plan.changes.iter().filter_map(|change| Some((change.path.clone(), self.node_id(change)?)));
        let ids: Vec<_> = carried.collect();
        self.tree.carry_out(plan);
        for (path, id) in ids {
            assert_eq!(self.tree.nodes[&path].id, id, "{path:?} was to be moved as it is");
        }
        plan.changes.iter().map(|change| self.append_operation(change, plan)).collect()
    }

    fn node_id(&self, change: &Change) -> Option<u64> {
        change.moved_from.as_ref().map(|from| self.tree.nodes[from].id)
    }

    fn append_operation(&mut self, change: &Change, plan: &Plan) -> Seq {
        let goes_to = plan.changes.iter().find(|other| other.moved_from.as_ref() == Some(&change.path));
        let moved = match (&change.moved_from, goes_to) {
            (Some(from), _) => Some(Move::From(from.clone())),
            (None, Some(to)) => Some(Move::To(to.path.clone())),
            (None, None) => None,
        };
        let cause = Cause::Operation(OperationId(self.barrier));
        let (before, after) = (change.before.clone(), change.after.clone());
        let by = self.append(change.path.clone(), before, after, moved, cause, Evidence::Exact);
        self.reversals.extend(change.reverses.iter().map(|&taken| Reverses { by, taken }));
        by
    }

    /// What a file holds, as text; none if there is no file.
    pub(crate) fn read(&self, name: &str) -> Option<String> {
        let bytes = self.shelf.read(self.tree.entry(&path(name)).content()?)?;
        Some(String::from_utf8(bytes).expect("text"))
    }
}

/// Like a capture: what vanished at one path and appeared at another is the same thing.
fn find_move(before: &SimpleTree, after: &SimpleTree, path: &WorkspacePath) -> Option<Move> {
    let is_gone = |path: &WorkspacePath| after.entry(path).is_absent();
    let same =
        |tree: &SimpleTree, id: u64| tree.nodes.iter().find(|(_, node)| node.id == id).map(|(path, _)| path.clone());
    if is_gone(path) {
        return same(after, before.nodes[path].id).map(Move::To);
    }
    let id = after.nodes[path].id;
    let is_here_already = before.nodes.get(path).is_some_and(|node| node.id == id);
    same(before, id).filter(|old| !is_here_already && is_gone(old)).map(Move::From)
}

impl Who {
    fn cause(self) -> Cause {
        let step = |turn| StepId { turn: TurnId(turn), number: 1 };
        match self {
            Who::Turn(turn) => Cause::Step(step(turn)),
            Who::User => Cause::Outside,
            Who::Unclear(turn) => Cause::Contested { steps: vec![step(turn)], or_outside: true },
        }
    }

    fn evidence(self) -> Evidence {
        match self {
            Who::Turn(_) => Evidence::Window,
            Who::User => Evidence::Exact,
            Who::Unclear(_) => Evidence::Contested,
        }
    }
}

/// What somebody can do to the files.
pub(crate) struct Hands<'w> {
    world: &'w mut World,
}

impl Hands<'_> {
    pub(crate) fn write(&mut self, name: &str, text: &str) {
        let new = self.world.text(text);
        let mode = self.world.tree.entry(&path(name)).mode().filter(|_| self.is_file(name));
        self.put(name, new.with_mode(mode.unwrap_or(Mode::new(0o644))));
    }

    fn is_file(&self, name: &str) -> bool {
        self.world.tree.entry(&path(name)).kind() == EntryKind::File
    }

    pub(crate) fn put(&mut self, name: &str, entry: Entry) {
        self.world.tree.set(&path(name), entry);
    }

    /// Puts a thing at a path after removing whatever lies there and below.
    pub(crate) fn put_instead(&mut self, name: &str, entry: Entry) {
        let is_rewrite = self.is_file(name) && entry.content().is_some();
        if !is_rewrite {
            self.remove(name);
        }
        self.put(name, entry);
    }

    pub(crate) fn link(&mut self, name: &str, target: &str) {
        self.put(name, Entry::Link { target: target.as_bytes().to_vec() });
    }

    pub(crate) fn mkdir(&mut self, name: &str) {
        self.put(name, Entry::Dir { mode: Mode::FOLDER });
    }

    pub(crate) fn uncovered(&mut self, name: &str, kind: EntryKind, reason: Reason) {
        self.put(name, Entry::Uncovered { kind, reason });
    }

    pub(crate) fn chmod(&mut self, name: &str, bits: u32) {
        let entry = self.world.tree.entry(&path(name)).with_mode(Mode::new(bits));
        self.put(name, entry);
    }

    /// Removes a thing with everything below it.
    pub(crate) fn remove(&mut self, name: &str) {
        self.world.tree.nodes.retain(|other, _| !other.is_at_or_below(&path(name)));
    }

    pub(crate) fn shift(&mut self, from: &str, to: &str) {
        self.world.tree.shift(&path(from), &path(to));
    }

    /// Moves as `rename` does: not into itself, and over nothing but a file.
    pub(crate) fn try_shift(&mut self, from: &str, to: &str) {
        let (old, new) = (path(from), path(to));
        let is_folder = self.world.tree.entry(&old).kind() == EntryKind::Dir;
        let is_possible = !self.is_free(from) && self.has_folder(to) && !new.is_at_or_below(&old);
        let takes = self.is_free(to) || (!is_folder && self.world.tree.entry(&new).kind() != EntryKind::Dir);
        if is_possible && takes {
            self.world.tree.shift(&old, &new);
        }
    }

    /// Writes one line of a text of nine.
    pub(crate) fn edit_line(&mut self, name: &str, line: usize, text: &str) {
        let old = self.world.read(name).unwrap_or_else(|| "line\n".repeat(9));
        let new: String =
            old.lines().enumerate().map(|(at, old)| format!("{}\n", if at == line { text } else { old })).collect();
        self.write(name, &new);
    }

    pub(crate) fn is_free(&self, name: &str) -> bool {
        self.world.tree.entry(&path(name)).is_absent()
    }

    pub(crate) fn has_folder(&self, name: &str) -> bool {
        let folder = path(name).parent().expect("a name below the root");
        matches!(self.world.tree.entry(&folder), Entry::Dir { .. })
    }

    /// Whether a file or link can be written here.
    pub(crate) fn can_fill(&self, name: &str) -> bool {
        let kind = self.world.tree.entry(&path(name)).kind();
        self.has_folder(name) && matches!(kind, EntryKind::Absent | EntryKind::File | EntryKind::Link)
    }
}

/// How a plan leaves a path.
pub(crate) fn left(plan: &Plan, name: &str) -> Option<(FileResult, Reason)> {
    plan.left.iter().find(|left| left.path == path(name)).map(|left| (left.result, left.reason))
}

/// The paths that a plan changes.
pub(crate) fn changed(plan: &Plan) -> Vec<String> {
    plan.changes.iter().map(|change| change.path.to_string()).collect()
}
