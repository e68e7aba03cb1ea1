//! What the reference makes of everything that is not an order: turns, tools, messages, sessions.

use model::{MessageKind, SessionId, StepId, TurnId, TurnStatus};

use super::files::{PATHS, Text};
use super::model::{Model, Origin, Session, Subagent, Turn, Window};
use super::talk::Entry;

impl Model {
    /// A prompt opens a turn, unless it is the one of a turn that is known: then that one goes on.
    pub(crate) fn prompt(&mut self, session: SessionId, id: &str, text: &str) {
        self.look();
        self.close_main_windows(session);
        let known = self.talk.prompt_turn(session, id);
        if known.is_some() && known == self.open_turn(session) {
            return;
        }
        self.close_turn(session);
        if let Some(turn) = known {
            self.turn_mut(turn).is_open = true;
            return;
        }
        let turn = TurnId(self.turns.len() as u64 + 1);
        self.turns.push(Turn { id: turn, session, is_open: true, has_completed: false, steps: 0 });
        let payload = text.as_bytes().to_vec();
        let kind = MessageKind::Prompt;
        let entry = Entry { id: id.to_owned(), turn: Some(turn), role: "user", kind, payload, keeps_from: None };
        self.talk.say(session, None, entry);
    }

    /// The turn ends. One that completes on the present version makes that one permanent.
    pub(crate) fn stop(&mut self, session: SessionId, status: TurnStatus) {
        let at = self.look();
        self.close_main_windows(session);
        let Some(turn) = self.close_turn(session) else { return };
        self.turn_mut(turn).has_completed |= status == TurnStatus::Completed;
        if status == TurnStatus::Completed && self.talk.has(session, turn) {
            self.talk.absorb(session);
            self.completed.push((session, at));
        }
    }

    /// The session starts anew, or is left: nothing of it runs any more.
    pub(crate) fn begin_or_leave(&mut self, session: SessionId) {
        self.look();
        self.windows.retain(|window| window.session != session);
        self.close_turn(session);
    }

    pub(crate) fn begin_tool(&mut self, session: SessionId, agent: Option<&str>, claim: Option<usize>) {
        self.look();
        let turn = self.turn_for(session, agent).unwrap();
        let turn = self.turn_mut(turn);
        turn.steps += 1;
        let step = StepId { turn: turn.id, number: turn.steps };
        self.windows.push(Window { session, agent: agent.map(str::to_owned), step, claim });
    }

    pub(crate) fn end_tool(&mut self, step: StepId) {
        self.look();
        self.windows.retain(|window| window.step != step);
    }

    /// A subagent starts; its steps belong to the turn that is open now.
    pub(crate) fn begin_agent(&mut self, session: SessionId, id: &str) {
        self.look();
        let turn = self.open_turn(session).unwrap();
        self.agents.push(Subagent { session, id: id.to_owned(), turn });
    }

    /// A subagent stops: nothing of it runs any more.
    pub(crate) fn end_agent(&mut self, session: SessionId, id: &str) {
        self.look();
        self.windows.retain(|window| window.session != session || window.agent.as_deref() != Some(id));
    }

    pub(crate) fn take_checkpoint(&mut self, name: &str) {
        self.look();
        self.checkpoints.push((name.to_owned(), self.files.ledger.len()));
    }

    /// Somebody writes, or deletes.
    pub(crate) fn write(&mut self, path: usize, text: Text) {
        assert!(path < PATHS.len());
        self.files.present[path] = text;
    }

    /// Something is said in the turn it names, or else in the open one.
    pub(crate) fn say(&mut self, session: SessionId, parent: Option<&str>, mut entry: Entry) {
        entry.turn = entry.turn.or(self.open_turn(session));
        self.talk.say(session, parent, entry);
    }

    /// The context is compacted.
    pub(crate) fn compact(&mut self, session: SessionId, id: &str, keeps_from: Option<String>) {
        let (kind, payload) = (MessageKind::Compaction, id.as_bytes().to_vec());
        let entry = Entry { id: id.to_owned(), turn: None, role: "user", kind, payload, keeps_from };
        self.say(session, None, entry);
    }

    /// A new session that inherits the turns of another one.
    pub(crate) fn add_session(&mut self, native: &str, parent: Option<SessionId>, last: Option<TurnId>) -> SessionId {
        let id = SessionId(self.sessions.len() as u64 + 1);
        let inherit = |parent| Origin {
            parent,
            last_turn: last.or_else(|| self.turns_of(parent).into_iter().next_back()),
            last_operation: self.operations.len() as u64,
        };
        let origin = parent.map(inherit);
        self.sessions.push(Session { id, native: native.to_owned(), origin });
        id
    }

    /// A session begins as a fork of another one, at its present version.
    pub(crate) fn begin_fork(&mut self, native: &str, parent: SessionId) {
        let chain = self.talk.selected(parent).map(|version| version.chain.clone());
        let child = self.add_session(native, Some(parent), None);
        if let Some(chain) = chain {
            let version = self.talk.add(child, chain, None);
            self.talk.select(child, version);
        }
        self.look();
    }

    /// The main agent has moved on; what its subagents do goes on.
    fn close_main_windows(&mut self, session: SessionId) {
        self.windows.retain(|window| window.session != session || window.agent.is_some());
    }

    fn close_turn(&mut self, session: SessionId) -> Option<TurnId> {
        let turn = self.open_turn(session)?;
        self.turn_mut(turn).is_open = false;
        Some(turn)
    }
}
