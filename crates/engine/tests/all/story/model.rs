//! The reference: sessions, turns and operations as plain lists. Nothing is kept that can be worked out again from them,
//! and what can be is worked out from the beginning every time.

use std::collections::BTreeSet;

use model::{OperationId, Scope, SessionId, StepId, TurnId, Verb};

use super::files::{Cause, Files};
use super::talk::Talk;

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) native: String,
    pub(crate) origin: Option<Origin>,
}

/// What a session descends from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) parent: SessionId,
    /// The last turn it inherited.
    pub(crate) last_turn: Option<TurnId>,
    /// The last operation there was.
    pub(crate) last_operation: u64,
}

#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) session: SessionId,
    pub(crate) is_open: bool,
    pub(crate) has_completed: bool,
    pub(crate) steps: u32,
}

#[derive(Debug, Clone)]
pub(crate) struct Operation {
    pub(crate) id: u64,
    pub(crate) session: SessionId,
    pub(crate) verb: Verb,
    pub(crate) scope: Scope,
    pub(crate) turns: BTreeSet<TurnId>,
    pub(crate) brings: BTreeSet<TurnId>,
    pub(crate) at: u64,
    /// By which operations it was redone, and which halves of it.
    pub(crate) redone: Vec<(u64, Scope)>,
}

/// A step whose window is open.
#[derive(Debug, Clone)]
pub(crate) struct Window {
    pub(crate) session: SessionId,
    /// The subagent that called it.
    pub(crate) agent: Option<String>,
    pub(crate) step: StepId,
    /// The one path it may change, if it names one.
    pub(crate) claim: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Subagent {
    pub(crate) session: SessionId,
    pub(crate) id: String,
    /// The turn that started it; its steps belong there.
    pub(crate) turn: TurnId,
}

#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) files: Files,
    pub(crate) talk: Talk,
    pub(crate) sessions: Vec<Session>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) windows: Vec<Window>,
    pub(crate) agents: Vec<Subagent>,
    /// How long the ledger was at each checkpoint with a name.
    pub(crate) checkpoints: Vec<(String, usize)>,
    /// When turns of a session completed on the version it stood on.
    pub(crate) completed: Vec<(SessionId, u64)>,
    pub(crate) clock: u64,
}

impl Operation {
    /// Whether it took something in this scope that was not brought again.
    fn has_left(&self, scope: Scope) -> bool {
        let files = self.scope.has_files() && !self.is_redone(Scope::has_files);
        let talk = self.scope.has_conversation() && !self.turns.is_empty() && !self.is_redone(Scope::has_conversation);
        match self.verb {
            Verb::Undo | Verb::Rewind => (scope.has_files() && files) || (scope.has_conversation() && talk),
            Verb::Revert | Verb::Restore => scope.has_files() && files,
            Verb::Redo | Verb::Switch => false,
        }
    }

    fn is_redone(&self, half: impl Fn(Scope) -> bool) -> bool {
        self.redone.iter().any(|(_, scope)| half(*scope))
    }
}

impl Model {
    /// The workspace is looked at: what has changed is the work of the step that claims the path, or else of any open
    /// one, or else of somebody outside.
    pub(crate) fn look(&mut self) -> u64 {
        self.clock += 1;
        let windows = &self.windows;
        let cause = |path: usize| {
            let claiming: BTreeSet<StepId> =
                windows.iter().filter(|window| window.claim == Some(path)).map(|window| window.step).collect();
            let all = || windows.iter().map(|window| window.step).collect();
            match (windows.is_empty(), claiming.is_empty()) {
                (true, _) => Cause::Outside,
                (false, true) => Cause::Steps(all()),
                (false, false) => Cause::Steps(claiming),
            }
        };
        self.files.look(cause, self.clock);
        self.clock
    }

    /// The turn to which a step of this session, or of this subagent of it, belongs.
    pub(crate) fn turn_for(&self, session: SessionId, agent: Option<&str>) -> Option<TurnId> {
        let its_own = self.agents.iter().find(|known| known.session == session && Some(known.id.as_str()) == agent);
        its_own.map(|known| known.turn).or(self.open_turn(session))
    }

    pub(crate) fn open_turn(&self, session: SessionId) -> Option<TurnId> {
        let mut own = self.turns.iter().rev().filter(|turn| turn.session == session);
        own.find(|turn| turn.is_open).map(|turn| turn.id)
    }

    pub(crate) fn turn_mut(&mut self, id: TurnId) -> &mut Turn {
        self.turns.iter_mut().find(|turn| turn.id == id).unwrap()
    }

    pub(crate) fn is_running(&self, session: SessionId) -> bool {
        self.windows.iter().any(|window| window.session == session)
    }

    /// A session's own turns and those it inherited.
    pub(crate) fn turns_of(&self, session: SessionId) -> BTreeSet<TurnId> {
        let mut turns = self.own_turns(session);
        if let Some(origin) = self.origin(session) {
            let inherited = self.turns_of(origin.parent);
            turns.extend(inherited.into_iter().filter(|turn| origin.last_turn.is_some_and(|last| *turn <= last)));
        }
        turns
    }

    /// A session's own operations and those from before it branched off, as they were then.
    pub(crate) fn operations_of(&self, session: SessionId) -> Vec<Operation> {
        let inherited = self.origin(session).map(|origin| {
            let until = |id: &u64| *id <= origin.last_operation;
            let mut operations = self.operations_of(origin.parent);
            operations.retain(|operation| until(&operation.id));
            operations.iter_mut().for_each(|operation| operation.redone.retain(|(by, _)| until(by)));
            operations
        });
        let own = self.operations.iter().filter(|operation| operation.session == session);
        inherited.into_iter().flatten().chain(own.cloned()).collect()
    }

    /// The turns that can be undone, the newest first: those that the present version has. Of files alone, those whose
    /// files were not taken back.
    pub(crate) fn undoable(&self, session: SessionId, scope: Scope) -> Vec<TurnId> {
        let gone = self.turns_without_files(session);
        let turns = self.turns_of(session).into_iter().rev();
        let is_there = |turn: &TurnId| match scope {
            Scope::Files => !gone.contains(turn),
            Scope::Both | Scope::Conversation => self.talk.has(session, *turn),
        };
        turns.filter(is_there).collect()
    }

    /// The operations of which a half can be redone, the newest first: the session's own, as long as it has not gone on.
    pub(crate) fn redoable(&self, session: SessionId, scope: Scope) -> Vec<OperationId> {
        let own = self.operations.iter().rev().filter(|operation| operation.session == session);
        let went_on_at = self.went_on_at(session);
        let can_be = own.filter(|operation| operation.at > went_on_at && operation.has_left(scope));
        can_be.map(|operation| OperationId(operation.id)).collect()
    }

    /// When a session last switched, completed a turn on its version, or changed a file.
    fn went_on_at(&self, session: SessionId) -> u64 {
        let own = self.operations.iter().filter(|operation| operation.session == session);
        let switched = own.filter(|operation| operation.verb == Verb::Switch).map(|operation| operation.at);
        let completed = self.completed.iter().filter(|(whose, _)| *whose == session).map(|(_, at)| *at);
        let turns = self.own_turns(session);
        let is_own = |cause: &Cause| cause.step().is_some_and(|step| turns.contains(&step.turn));
        let changed = self.files.ledger.iter().filter(|transition| is_own(&transition.cause)).map(|it| it.at);
        switched.chain(completed).chain(changed).max().unwrap_or(0)
    }

    fn turns_without_files(&self, session: SessionId) -> BTreeSet<TurnId> {
        let mut gone = BTreeSet::new();
        for operation in self.operations_of(session) {
            let takes = matches!(operation.verb, Verb::Undo | Verb::Rewind | Verb::Switch);
            if takes && operation.scope.has_files() && !operation.is_redone(Scope::has_files) {
                gone.extend(operation.turns);
                gone = &gone - &operation.brings;
            }
        }
        gone
    }

    fn own_turns(&self, session: SessionId) -> BTreeSet<TurnId> {
        self.turns.iter().filter(|turn| turn.session == session).map(|turn| turn.id).collect()
    }

    fn origin(&self, session: SessionId) -> Option<Origin> {
        self.sessions.iter().find(|known| known.id == session)?.origin
    }
}
