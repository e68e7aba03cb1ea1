//! Random orders, and what must hold of every one of them whatever it comes to.

use std::collections::BTreeSet;

use model::{Action, ConflictPolicy, FileResult, OperationId, Outcome, Reason, WorkspacePath};
use takeback::{Agreement, CheckpointName, FileReport, Order, Permits, Report, RevertTarget, Selection};

use crate::edits::random_path;
use crate::play::Play;
use crate::tree::{Node, Snapshot, differences, differing_paths, touched_needlessly};
use crate::world::{apply, order, restore};

const POLICIES: [ConflictPolicy; 4] =
    [ConflictPolicy::Stop, ConflictPolicy::Keep, ConflictPolicy::Take, ConflictPolicy::Merge];

/// An order that was carried out, with the tree before and after it.
pub(crate) struct Done {
    pub(crate) order: Order,
    pub(crate) report: Report,
    pub(crate) before: Snapshot,
    pub(crate) after: Snapshot,
}

impl Play<'_> {
    /// Any order of any session.
    pub(crate) fn random_order(&mut self) -> Order {
        let at = self.random.below(self.sessions.len());
        let session = self.sessions[at].id;
        let selection = self.random_selection(session);
        let permits = Permits { include_outside: self.random.happens(1, 3), ..Permits::NONE };
        Order { policy: Some(*self.random.choose(&POLICIES)), permits, ..order(session, selection) }
    }

    fn random_selection(&mut self, session: model::SessionId) -> Selection {
        let count = 1 + self.random.below(2);
        let own: Vec<_> = self.turns.iter().filter(|turn| turn.session == session).map(|turn| turn.id).collect();
        match self.random.below(10) {
            0..3 => Selection::UndoTurns { count },
            3 => Selection::UndoSteps { count },
            4..6 => Selection::Redo { count },
            6 if !own.is_empty() => Selection::Rewind { turn: *self.random.choose(&own) },
            7 if !self.checkpoints.is_empty() => {
                let (id, _) = *self.random.choose(&self.checkpoints);
                let paths = if self.random.happens(1, 3) { vec![self.some_path()] } else { Vec::new() };
                Selection::Restore { checkpoint: CheckpointName::Id(id), paths }
            }
            _ if !self.turns.is_empty() => {
                let targets = (0..count).map(|_| self.random_target()).collect();
                Selection::Revert { targets }
            }
            _ => Selection::UndoTurns { count },
        }
    }

    fn random_target(&mut self) -> RevertTarget {
        let turn = self.random.choose(&self.turns).id;
        match self.random.below(6) {
            0..3 => RevertTarget::Turn(turn),
            3 => RevertTarget::Step(model::StepId { turn, number: 1 }),
            4 => RevertTarget::PathOfTurn(turn, self.some_path()),
            _ => RevertTarget::Operation(OperationId(1 + self.random.below(4) as u64)),
        }
    }

    fn some_path(&mut self) -> WorkspacePath {
        WorkspacePath::new(random_path(&mut self.random).to_str().unwrap()).unwrap()
    }

    /// Previews an order twice, carries it out as previewed, and checks all that holds for any order. None if there is
    /// no such thing to be ordered, or if nothing was done.
    pub(crate) fn carry_out(&mut self, order: Order) -> Option<Done> {
        let before = self.world.snapshot();
        let previews = [self.workspace.preview(&order), self.workspace.preview(&order)];
        assert_eq!(before, self.world.snapshot(), "a preview touches nothing");
        let [Ok(preview), Ok(again)] = previews else { return None };
        assert_eq!(preview, again, "the same order comes to the same");
        let report = self.workspace.apply(&order, Agreement::To(&preview), &mut |_, _| {}).unwrap();
        let after = self.world.snapshot();
        self.story.push(format!("{:?} {:?} {:?}", order.session, order.selection, order.policy));
        self.tell(&format!("{:?} as {:?}, {:?}", report.outcome, report.operation, report.trouble), &before);
        self.story.push(format!("{:#?}", report.files));
        if report.outcome != Outcome::Done {
            let may_be = [Outcome::Nothing, Outcome::Conflict];
            assert!(may_be.contains(&report.outcome), "{:?} {:?}", report.outcome, report.trouble);
            assert_eq!(before, after, "nothing is touched if not all is done");
            assert_eq!(report.outcome, preview.outcome);
            return None;
        }
        assert_eq!(as_done(preview), without_operation(report.clone()), "what was shown is what was done");
        check_report(&report, &before, &after);
        self.forget_undisturbed();
        Some(Done { order, report, before, after })
    }

    /// The rescue point of an operation gives the tree before it, to the byte; then the way there is taken back again.
    pub(crate) fn check_rescue_point(&mut self, done: &Done) {
        let session = done.order.session.unwrap();
        let operation = self.operation(done);
        let there = apply(self.workspace, &restore(session, CheckpointName::Id(operation.rescue)));
        assert!(matches!(there.outcome, Outcome::Done | Outcome::Nothing), "{there:#?}");
        assert_eq!(differences(&done.before, &self.world.snapshot()), [""; 0], "before / rescued\n{there:#?}");
        if let Some(id) = there.operation {
            let targets = vec![RevertTarget::Operation(id)];
            self.must_give(&order(session, Selection::Revert { targets }), &done.after);
        }
    }

    /// Redo gives the tree from before an undo, to the byte.
    pub(crate) fn check_redo(&mut self, done: &Done) {
        if !matches!(done.order.selection, Selection::Redo { .. }) {
            let session = done.order.session.unwrap();
            self.must_give(&order(session, Selection::Redo { count: 1 }), &done.before);
        }
    }

    /// Nothing but what the turns in question had touched has changed, apart from the folders above it.
    pub(crate) fn check_footprint(&self, done: &Done) {
        let is_by_turns = match &done.order.selection {
            Selection::UndoTurns { .. } | Selection::Rewind { .. } => true,
            Selection::Revert { targets } => targets.iter().all(|target| matches!(target, RevertTarget::Turn(_))),
            _ => false,
        };
        if !is_by_turns {
            return;
        }
        let turns = self.turns.iter().filter(|turn| done.report.turns.contains(&turn.id));
        let touched = self.followed(&turns.flat_map(|turn| turn.touched.clone()).collect());
        for path in differing_paths(&done.before, &done.after) {
            let below = [&path[..], b"/"].concat();
            let is_above = touched.iter().any(|one| one.starts_with(&below));
            assert!(touched.contains(&path) || is_above, "{} is nobody's", String::from_utf8_lossy(&path));
        }
    }

    /// Marks that somebody made outside of any window survive whatever takes back the work of agents.
    ///
    /// Not so where a mark was copied by giving its file another name, or where what an agent overwrote at one path cannot
    /// come back because something else is in its place: then only the store has it.
    pub(crate) fn check_outside_marks(&self, done: &Done) {
        let since = match &done.order.selection {
            Selection::UndoTurns { .. } | Selection::UndoSteps { .. } | Selection::Rewind { .. } => 0,
            Selection::Restore { checkpoint: CheckpointName::Id(id), .. } if !done.order.permits.include_outside => {
                self.checkpoints.iter().find(|(known, _)| known == id).map_or(u64::MAX, |(_, marks)| *marks)
            }
            _ => u64::MAX,
        };
        let is_in_place = |file: &FileReport| !matches!(file.reason, Some(Reason::TypeChange | Reason::UnsafePath));
        let is_promised = done.order.policy != Some(ConflictPolicy::Take) && !self.has_second_names;
        if is_promised && done.report.files.iter().all(is_in_place) {
            let (had, has) = (outside_marks(&done.before), outside_marks(&done.after));
            let lost: Vec<&u64> = had.difference(&has).filter(|mark| **mark > since).collect();
            assert!(lost.is_empty(), "outside marks {lost:?} are lost");
        }
    }

    fn must_give(&mut self, order: &Order, expected: &Snapshot) {
        let before = self.world.snapshot();
        let report = apply(self.workspace, order);
        self.story.push(format!("{:?}: {:?} as {:?}", order.selection, report.outcome, report.operation));
        let is_there = differences(expected, &before).is_empty();
        assert!(report.outcome == Outcome::Done || is_there, "{report:#?}");
        let after = self.world.snapshot();
        assert_eq!(differences(expected, &after), [""; 0], "expected / after {:?}\n{report:#?}", order.selection);
        assert_eq!(touched_needlessly(&before, &after), [""; 0]);
    }

    fn operation(&self, done: &Done) -> takeback::OperationView {
        let operations = self.workspace.operations(done.order.session.unwrap()).unwrap();
        operations.into_iter().find(|operation| Some(operation.id) == done.report.operation).unwrap()
    }
}

/// A preview with what it says when it comes true.
fn as_done(mut preview: Report) -> Report {
    preview.outcome = Outcome::Done;
    for file in &mut preview.files {
        if file.result == FileResult::Planned {
            file.result = FileResult::Done;
        }
    }
    preview
}

fn without_operation(report: Report) -> Report {
    Report { operation: None, ..report }
}

/// The report names exactly what has changed, and what has not was not touched.
fn check_report(report: &Report, before: &Snapshot, after: &Snapshot) {
    assert_eq!(touched_needlessly(before, after), [""; 0], "untouched paths keep inode and time\n{report:#?}");
    let done = report.files.iter().filter(|file| file.result == FileResult::Done && file.action != Action::None);
    let named: BTreeSet<Vec<u8>> = done.map(|file| file.path.as_bytes().to_vec()).collect();
    let changed = differing_paths(before, after);
    for path in &named {
        assert!(changed.contains(path), "{} is said to have changed\n{report:#?}", String::from_utf8_lossy(path));
    }
    for path in changed.iter().filter(|path| !named.contains(*path)) {
        let below = [&path[..], b"/"].concat();
        let is_folder = [before, after].iter().filter_map(|tree| tree.get(path)).all(is_folder);
        let is_above = is_folder && named.iter().any(|one| one.starts_with(&below));
        assert!(is_above, "{} has changed unsaid\n{report:#?}", String::from_utf8_lossy(path));
    }
}

fn is_folder(seen: &crate::tree::Seen) -> bool {
    matches!(seen.node, Node::Dir { .. })
}

/// The numbers of all marks from outside that are anywhere in a tree.
fn outside_marks(tree: &Snapshot) -> BTreeSet<u64> {
    let files = tree.values().filter_map(|seen| match &seen.node {
        Node::File { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    });
    let lines: Vec<String> = files.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
    lines.iter().filter_map(|line| line.strip_prefix("outside ")?.parse().ok()).collect()
}
