//! Selection: which turns, steps and operations a verb means, from the history of one session. The transitions that
//! follow from the choice are looked up by the engine; here are only the rules.

use std::collections::{BTreeMap, BTreeSet};

use model::{CheckpointId, OperationId, Scope, TurnId, TurnState, Verb};

/// What a session has done and what was done to it, as far as a choice needs it. Turns and operations in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The session's own turns and those it inherited.
    pub turns: Vec<TurnId>,
    /// The session's operations that were committed.
    pub operations: Vec<PastOperation>,
    /// Where in the ledger the session's own turns have completed; of those that completed last, as many as
    /// [`turns_to_know`] says for one.
    pub completed_at: BTreeMap<TurnId, CheckpointId>,
    /// Where in the ledger a step of the session last changed a file.
    pub changed_at: Option<CheckpointId>,
}

/// An operation of the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastOperation {
    /// Which.
    pub id: OperationId,
    /// What it did.
    pub verb: Verb,
    /// Which halves it moved.
    pub scope: Scope,
    /// The turns it took back.
    pub turns: Vec<TurnId>,
    /// For a switch: the turns it brought, since they are on the other version.
    pub brings: Vec<TurnId>,
    /// For a redo: the turns that were begun on a cut it lifted, and are on the version that was left.
    pub leaves: Vec<TurnId>,
    /// Where in the ledger it ended.
    pub closed_at: CheckpointId,
    /// The redos that have brought back what it took, each its halves.
    pub redone: Vec<Redone>,
    /// Whether it was done in a session that this one branched off.
    pub is_inherited: bool,
}

/// That an operation was redone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redone {
    /// Which halves were brought back.
    pub scope: Scope,
    /// Where in the ledger that ended.
    pub closed_at: CheckpointId,
}

/// The end of all that has happened.
const NOW: CheckpointId = CheckpointId(u64::MAX);

/// The state of every turn, seen from this session.
pub fn turn_states(history: &History) -> BTreeMap<TurnId, TurnState> {
    let mut states: BTreeMap<TurnId, TurnState> = history.turns.iter().map(|turn| (*turn, TurnState::Live)).collect();
    let redo = RedoEnds::of(history);
    for operation in &history.operations {
        if takes_turns(operation, Scope::Conversation, NOW) {
            let state = if redo.can_redo(operation, Scope::Both) { TurnState::Undone } else { TurnState::Abandoned };
            states.extend(operation.turns.iter().map(|turn| (*turn, state)));
        }
        states.extend(operation.leaves.iter().map(|turn| (*turn, TurnState::Abandoned)));
        if brings_turns(operation, Scope::Conversation) {
            states.extend(operation.brings.iter().map(|turn| (*turn, TurnState::Live)));
        }
    }
    states
}

/// The last `count` turns that can still be taken back in this scope, the newest first.
pub fn turns_to_undo(history: &History, scope: Scope, count: usize) -> Vec<TurnId> {
    live_turns(history, scope).rev().take(count).collect()
}

/// How many of a session's newest turns must be known to find the last `count` of them that can still be taken back. What
/// came before cannot be among these: every turn that is gone is named by an operation.
pub fn turns_to_know(operations: &[PastOperation], count: usize) -> usize {
    let named: BTreeSet<TurnId> =
        operations.iter().flat_map(|past| past.turns.iter().chain(&past.leaves)).copied().collect();
    count.saturating_add(named.len())
}

/// The turns from `first` on that can still be taken back in this scope, the newest first.
pub fn turns_to_rewind(history: &History, scope: Scope, first: TurnId) -> Vec<TurnId> {
    live_turns(history, scope).rev().filter(|turn| *turn >= first).collect()
}

/// The last `count` operations of which something can be brought back in this scope, the newest first.
pub fn operations_to_redo(history: &History, scope: Scope, count: usize) -> Vec<OperationId> {
    let redo = RedoEnds::of(history);
    let candidates = history.operations.iter().rev().filter(|operation| redo.can_redo(operation, scope));
    candidates.take(count).map(|operation| operation.id).collect()
}

fn live_turns(history: &History, scope: Scope) -> impl DoubleEndedIterator<Item = TurnId> {
    let gone = turns_gone_at(history, scope, NOW);
    history.turns.iter().copied().filter(move |turn| !gone.contains(turn))
}

/// The turns that had been taken away at a place in the ledger.
fn turns_gone_at(history: &History, scope: Scope, at: CheckpointId) -> BTreeSet<TurnId> {
    let mut gone: BTreeSet<TurnId> = BTreeSet::new();
    for operation in history.operations.iter().filter(|operation| operation.closed_at < at) {
        if takes_turns(operation, scope, at) {
            gone.extend(&operation.turns);
        }
        if scope.has_conversation() {
            gone.extend(&operation.leaves);
        }
        if brings_turns(operation, scope) {
            operation.brings.iter().for_each(|turn| _ = gone.remove(turn));
        }
    }
    gone
}

/// Whether an operation keeps its turns away at a place in the ledger, as far as `scope` asks. A turn whose files alone
/// were taken back is still there to be taken out of the conversation.
fn takes_turns(operation: &PastOperation, scope: Scope, at: CheckpointId) -> bool {
    let takes = matches!(operation.verb, Verb::Undo | Verb::Rewind | Verb::Switch);
    takes && covers(operation.scope, scope) && !is_redone(operation, scope, at)
}

fn is_redone(operation: &PastOperation, scope: Scope, at: CheckpointId) -> bool {
    operation.redone.iter().any(|redo| redo.closed_at < at && covers(redo.scope, scope))
}

fn brings_turns(operation: &PastOperation, scope: Scope) -> bool {
    operation.verb == Verb::Switch && covers(operation.scope, scope)
}

fn covers(moved: Scope, scope: Scope) -> bool {
    match scope {
        Scope::Files => moved.has_files(),
        Scope::Conversation | Scope::Both => moved.has_conversation(),
    }
}

/// Redo ends when a turn has completed or changed a file after the operation, or another version was switched to. A
/// switch is taken back by switching again, and what another session took is its own to bring again.
struct RedoEnds {
    moved_on_at: Option<CheckpointId>,
    switched: Option<OperationId>,
}

impl RedoEnds {
    fn of(history: &History) -> Self {
        let switches = history.operations.iter().filter(|operation| operation.verb == Verb::Switch);
        Self { moved_on_at: moved_on_at(history), switched: switches.map(|operation| operation.id).max() }
    }

    fn can_redo(&self, operation: &PastOperation, scope: Scope) -> bool {
        let has_moved_on = self.switched.is_some_and(|switch| switch > operation.id)
            || self.moved_on_at.is_some_and(|at| at > operation.closed_at);
        let is_own = !operation.is_inherited && !matches!(operation.verb, Verb::Redo | Verb::Switch);
        is_own && has_half_to_redo(operation, scope) && !has_moved_on
    }
}

/// Only what takes whole turns back has a half in the conversation.
fn has_half_to_redo(operation: &PastOperation, scope: Scope) -> bool {
    let cuts = matches!(operation.verb, Verb::Undo | Verb::Rewind) && !operation.turns.is_empty();
    let is_left = |half: Scope| covers(operation.scope, half) && !is_redone(operation, half, NOW);
    (scope.has_files() && is_left(Scope::Files)) || (scope.has_conversation() && cuts && is_left(Scope::Conversation))
}

/// Where the session last went on. A turn that had been cut away when it completed went on with nothing.
fn moved_on_at(history: &History) -> Option<CheckpointId> {
    let mut completed: Vec<(CheckpointId, TurnId)> =
        history.completed_at.iter().map(|(turn, at)| (*at, *turn)).collect();
    completed.sort_unstable();
    // The newest first: nearly always it is the one, and the others need not be judged.
    let was_there = |(at, turn): &&(CheckpointId, TurnId)| {
        Some(*at) <= history.changed_at || !turns_gone_at(history, Scope::Conversation, *at).contains(turn)
    };
    let completed = completed.iter().rev().find(was_there).map(|(at, _)| *at);
    completed.max(history.changed_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(number: u64, verb: Verb, scope: Scope, turns: &[u64], closed_at: u64) -> PastOperation {
        PastOperation {
            id: OperationId(number),
            verb,
            scope,
            turns: turns.iter().map(|turn| TurnId(*turn)).collect(),
            brings: Vec::new(),
            leaves: Vec::new(),
            closed_at: CheckpointId(closed_at),
            redone: Vec::new(),
            is_inherited: false,
        }
    }

    fn redone(scope: Scope) -> Vec<Redone> {
        vec![Redone { scope, closed_at: CheckpointId(50) }]
    }

    fn three_turns() -> History {
        History {
            turns: vec![TurnId(1), TurnId(2), TurnId(3)],
            operations: Vec::new(),
            completed_at: BTreeMap::from([(TurnId(3), CheckpointId(30))]),
            changed_at: Some(CheckpointId(29)),
        }
    }

    #[test]
    fn undo_takes_the_newest_turns_that_are_still_live() {
        let mut history = three_turns();
        assert_eq!(turns_to_undo(&history, Scope::Both, 2), [TurnId(3), TurnId(2)]);
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[3], 40));
        assert_eq!(turns_to_undo(&history, Scope::Both, 1), [TurnId(2)]);
        assert_eq!(turn_states(&history)[&TurnId(3)], TurnState::Undone);
    }

    #[test]
    fn the_newest_turns_alone_lead_to_the_same_choice_as_all_of_them() {
        let mut history = History { turns: (1..=9).map(TurnId).collect(), ..History::default() };
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[8, 9], 40));
        let leaves = vec![TurnId(6)];
        history.operations.push(PastOperation { leaves, ..operation(2, Verb::Redo, Scope::Both, &[], 50) });
        for count in 1..=10 {
            let known = turns_to_know(&history.operations, count);
            let turns = history.turns.iter().rev().take(known).rev().copied().collect();
            let recent = History { turns, ..history.clone() };
            assert_eq!(turns_to_undo(&recent, Scope::Both, count), turns_to_undo(&history, Scope::Both, count));
        }
        assert_eq!(turns_to_undo(&history, Scope::Both, 2), [TurnId(7), TurnId(5)]);
    }

    #[test]
    fn a_redone_operation_no_longer_counts() {
        let mut history = three_turns();
        let undo = operation(1, Verb::Undo, Scope::Both, &[3], 40);
        history.operations.push(PastOperation { redone: redone(Scope::Both), ..undo });
        assert_eq!(turns_to_undo(&history, Scope::Both, 1), [TurnId(3)]);
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), []);
    }

    #[test]
    fn redo_brings_the_newest_operation_first_and_never_a_redo() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[3], 40));
        history.operations.push(operation(2, Verb::Restore, Scope::Files, &[], 50));
        history.operations.push(operation(3, Verb::Redo, Scope::Both, &[], 60));
        assert_eq!(operations_to_redo(&history, Scope::Both, 9), [OperationId(2), OperationId(1)]);
    }

    #[test]
    fn redo_ends_when_a_later_turn_completed_or_changed_a_file() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[3], 40));
        history.turns.push(TurnId(4));
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), [OperationId(1)]);
        history.changed_at = Some(CheckpointId(45));
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), []);
        assert_eq!(turn_states(&history)[&TurnId(3)], TurnState::Abandoned);
    }

    #[test]
    fn a_redo_of_the_files_alone_leaves_the_conversation_to_be_redone() {
        let mut history = three_turns();
        let undo = operation(1, Verb::Undo, Scope::Both, &[3], 40);
        history.operations.push(PastOperation { redone: redone(Scope::Files), ..undo });
        assert_eq!(turns_to_undo(&history, Scope::Files, 1), [TurnId(3)]);
        assert_eq!(turns_to_undo(&history, Scope::Both, 1), [TurnId(2)]);
        assert_eq!(turn_states(&history)[&TurnId(3)], TurnState::Undone);
        assert_eq!(operations_to_redo(&history, Scope::Files, 1), []);
        assert_eq!(operations_to_redo(&history, Scope::Conversation, 1), [OperationId(1)]);
    }

    #[test]
    fn a_turn_begun_on_a_cut_goes_when_the_cut_is_lifted() {
        let mut history = three_turns();
        let undo = operation(1, Verb::Undo, Scope::Both, &[3], 40);
        history.operations.push(PastOperation { redone: redone(Scope::Both), ..undo });
        history.turns.push(TurnId(4));
        let leaves = vec![TurnId(4)];
        history.operations.push(PastOperation { leaves, ..operation(2, Verb::Redo, Scope::Both, &[3], 50) });
        assert_eq!(turns_to_undo(&history, Scope::Both, 1), [TurnId(3)]);
        assert_eq!(turn_states(&history)[&TurnId(4)], TurnState::Abandoned);
    }

    #[test]
    fn a_turn_that_completes_after_it_was_cut_away_does_not_end_redo() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[3], 40));
        history.completed_at.insert(TurnId(3), CheckpointId(45));
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), [OperationId(1)]);
        history.completed_at.insert(TurnId(4), CheckpointId(46));
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), []);
    }

    #[test]
    fn what_a_parent_session_took_is_not_for_its_fork_to_bring_again() {
        let mut history = three_turns();
        let undo = operation(1, Verb::Undo, Scope::Both, &[3], 40);
        history.operations.push(PastOperation { is_inherited: true, ..undo });
        assert_eq!(operations_to_redo(&history, Scope::Both, 1), []);
        assert_eq!(turn_states(&history)[&TurnId(3)], TurnState::Abandoned);
    }

    #[test]
    fn a_turn_whose_files_were_taken_back_is_still_in_the_conversation() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Rewind, Scope::Files, &[3], 40));
        assert_eq!(turns_to_undo(&history, Scope::Files, 1), [TurnId(2)]);
        assert_eq!(turns_to_undo(&history, Scope::Both, 1), [TurnId(3)]);
        assert_eq!(turn_states(&history)[&TurnId(3)], TurnState::Live);
    }

    #[test]
    fn rewind_to_a_turn_that_is_gone_takes_the_live_ones_after_it() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[2, 3], 40));
        assert_eq!(turns_to_rewind(&history, Scope::Both, TurnId(2)), []);
        history.turns.push(TurnId(4));
        assert_eq!(turns_to_rewind(&history, Scope::Both, TurnId(2)), [TurnId(4)]);
    }

    #[test]
    fn a_switch_takes_the_turns_of_one_version_and_brings_those_of_the_other() {
        let mut history = three_turns();
        history.operations.push(operation(1, Verb::Undo, Scope::Both, &[3], 40));
        history.turns.push(TurnId(4));
        let brings = vec![TurnId(3)];
        history.operations.push(PastOperation { brings, ..operation(2, Verb::Switch, Scope::Both, &[4], 50) });
        assert_eq!(turns_to_undo(&history, Scope::Both, 2), [TurnId(3), TurnId(2)]);
        assert_eq!(turn_states(&history)[&TurnId(4)], TurnState::Abandoned);
        assert_eq!(operations_to_redo(&history, Scope::Both, 9), []);
    }
}
