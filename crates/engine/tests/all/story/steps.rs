//! The steps of a story, and how the next one is drawn.

use model::{
    ConflictPolicy, HeadId, Memory, MessageKind, OperationId, Scope, SessionId, StepId, TurnId, TurnStatus,
    WorkspacePath,
};
use takeback::{CheckpointName, Order, Permits, RevertTarget, Selection};

use super::files::{PARTS, PATHS, Text};
use super::model::{Model, Subagent, Turn};
use super::talk::Entry;
use crate::random::Random;

/// One step of a story. It names everything it needs, so that a list of steps can be played again.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Prompt {
        session: SessionId,
        id: String,
    },
    Stop {
        session: SessionId,
        status: TurnStatus,
    },
    Interrupt {
        session: SessionId,
    },
    BeginSession {
        native: String,
    },
    LeaveSession {
        session: SessionId,
    },
    BeginTool {
        session: SessionId,
        agent: Option<String>,
        claim: Option<usize>,
    },
    BeginAgent {
        session: SessionId,
        id: String,
    },
    EndAgent {
        session: SessionId,
        id: String,
    },
    Checkpoint {
        name: String,
    },
    /// Somebody writes a path or, without a text, deletes it: one of the tools that run, or else somebody outside.
    Write {
        path: usize,
        text: Text,
        way: Way,
    },
    EndTool {
        step: StepId,
        has_failed: bool,
    },
    /// A tool answers whose window has been closed already.
    EndToolLate {
        session: SessionId,
        turn: TurnId,
        number: u32,
    },
    Say {
        session: SessionId,
        parent: Option<String>,
        entry: Entry,
    },
    Compact {
        session: SessionId,
        id: String,
        keeps_from: Option<String>,
    },
    Preview(Order),
    Apply(Order),
    Fork {
        session: SessionId,
        after: Option<TurnId>,
        into: Option<String>,
    },
    BeginFork {
        parent: SessionId,
        native: String,
    },
    /// The workspace is dropped and opened again.
    Reopen,
}

/// How a file is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Way {
    InPlace,
    ByRename,
}

const SESSIONS_MAX: usize = 3;
const WINDOWS_MAX: usize = 3;

/// Draws steps.
pub(crate) struct Teller {
    pub(crate) random: Random,
    /// The last number that was given to something.
    last: u32,
}

impl Teller {
    pub(crate) fn new(random: Random) -> Self {
        Self { random, last: 0 }
    }

    pub(crate) fn next(&mut self, model: &Model) -> Step {
        loop {
            if let Some(step) = self.draw(model) {
                return step;
            }
        }
    }

    fn draw(&mut self, model: &Model) -> Option<Step> {
        let session = self.random.choose(&model.sessions).id;
        let step = match self.random.below(58) {
            0..6 => self.prompt(model, session),
            6..10 => Step::Stop { session, status: self.status() },
            10 => Step::Interrupt { session },
            11 => self.session_event(model, session),
            12..20 => self.begin_tool(model, session)?,
            20..34 => self.write(model)?,
            34..39 => self.end_tool(model, session)?,
            39..42 => self.say(model, session),
            42 => self.compact(model, session),
            43 => self.fork(model, session)?,
            44 => Step::Reopen,
            45 => self.agent(model, session)?,
            46 => Step::Checkpoint { name: format!("checkpoint-{}", self.number()) },
            47 => Step::Preview(self.order(model, session)?),
            _ => Step::Apply(self.order(model, session)?),
        };
        Some(step)
    }

    fn number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    /// A new prompt, or the newest one of the present version once more if it has not come to its end.
    fn prompt(&mut self, model: &Model, session: SessionId) -> Step {
        let again = model.talk.transcript(session).iter().rfind(|entry| entry.kind == MessageKind::Prompt);
        let can_go_on = |turn: &Turn| turn.session == session && !turn.has_completed;
        let open = |entry: &&Entry| model.turns.iter().any(|turn| Some(turn.id) == entry.turn && can_go_on(turn));
        let again = again.filter(open).filter(|_| self.random.happens(1, 8)).map(|entry| entry.id.clone());
        Step::Prompt { session, id: again.unwrap_or_else(|| format!("prompt-{}", self.number())) }
    }

    fn status(&mut self) -> TurnStatus {
        *self.random.choose(&[
            TurnStatus::Completed,
            TurnStatus::Completed,
            TurnStatus::Failed,
            TurnStatus::Interrupted,
        ])
    }

    fn session_event(&mut self, model: &Model, session: SessionId) -> Step {
        let known = model.sessions.iter().find(|known| known.id == session);
        match (known, self.random.below(3)) {
            (_, 0) if model.sessions.len() < SESSIONS_MAX => {
                Step::BeginSession { native: format!("session-{}", self.number()) }
            }
            (Some(known), 1) => Step::BeginSession { native: known.native.clone() },
            _ => Step::LeaveSession { session },
        }
    }

    fn begin_tool(&mut self, model: &Model, session: SessionId) -> Option<Step> {
        // Mostly one tool runs at a time.
        let has_room = model.windows.is_empty() || (model.windows.len() < WINDOWS_MAX && self.random.happens(1, 3));
        let agent = self.some_agent(model, session).filter(|_| self.random.happens(1, 2));
        let is_possible = has_room && model.turn_for(session, agent.as_deref()).is_some();
        let claim = self.random.happens(1, 2).then(|| self.random.below(PATHS.len()));
        is_possible.then_some(Step::BeginTool { session, agent, claim })
    }

    fn some_agent(&mut self, model: &Model, session: SessionId) -> Option<String> {
        let own: Vec<&Subagent> = model.agents.iter().filter(|agent| agent.session == session).collect();
        (!own.is_empty()).then(|| self.random.choose(&own).id.clone())
    }

    fn agent(&mut self, model: &Model, session: SessionId) -> Option<Step> {
        match self.some_agent(model, session).filter(|_| self.random.happens(1, 3)) {
            Some(id) => Some(Step::EndAgent { session, id }),
            None => {
                model.open_turn(session)?;
                Some(Step::BeginAgent { session, id: format!("agent-{}", self.number()) })
            }
        }
    }

    fn end_tool(&mut self, model: &Model, session: SessionId) -> Option<Step> {
        if !model.windows.is_empty() {
            let step = self.random.choose(&model.windows).step;
            return Some(Step::EndTool { step, has_failed: self.random.happens(1, 4) });
        }
        let late = model.turns.iter().rfind(|turn| turn.session == session && turn.steps > 0)?;
        self.random.happens(1, 4).then_some(Step::EndToolLate { session, turn: late.id, number: late.steps })
    }

    /// While a tool runs nobody else writes, and without one it is rare.
    fn write(&mut self, model: &Model) -> Option<Step> {
        let path = if model.windows.is_empty() {
            self.random.happens(1, 3).then(|| self.random.below(PATHS.len()))?
        } else {
            self.random.choose(&model.windows).claim.unwrap_or_else(|| self.random.below(PATHS.len()))
        };
        let way = *self.random.choose(&[Way::InPlace, Way::ByRename]);
        Some(Step::Write { path, text: self.text(model.files.present[path]), way })
    }

    /// Mostly one part of a text is edited; now and then it is deleted. What is not there is made.
    fn text(&mut self, present: Text) -> Text {
        let Some(mut text) = present else { return Some([0; PARTS].map(|_: u32| self.number())) };
        if self.random.happens(1, 6) {
            return None;
        }
        text[self.random.below(PARTS)] = self.number();
        Some(text)
    }

    fn say(&mut self, model: &Model, session: SessionId) -> Step {
        const SPEAKERS: [(&str, MessageKind); 3] =
            [("assistant", MessageKind::Assistant), ("tool", MessageKind::Tool), ("user", MessageKind::Injected)];
        let number = self.number();
        let (role, kind) = *self.random.choose(&SPEAKERS);
        let own: Vec<TurnId> = model.turns.iter().filter(|turn| turn.session == session).map(|turn| turn.id).collect();
        let turn = if !own.is_empty() && self.random.happens(1, 4) { Some(*self.random.choose(&own)) } else { None };
        let parent = if self.random.happens(1, 6) { self.some_entry(model, session) } else { None };
        let mut payload = format!("what was said as {number}").into_bytes();
        if self.random.happens(1, 6) {
            payload.extend([0, 0xff, 0xc3]);
        }
        let entry = Entry { id: format!("message-{number}"), turn, role, kind, payload, keeps_from: None };
        Step::Say { session, parent, entry }
    }

    /// Any entry of the session, mostly of the present version, now and then one that nobody knows.
    fn some_entry(&mut self, model: &Model, session: SessionId) -> Option<String> {
        let versions: Vec<_> = model.talk.versions_of(session).collect();
        let any = if versions.is_empty() { None } else { Some(&self.random.choose(&versions).chain) };
        let chain =
            if self.random.happens(1, 3) { any.map(Vec::as_slice) } else { Some(model.talk.transcript(session)) };
        match chain.filter(|chain| !chain.is_empty() && !self.random.happens(1, 10)) {
            Some(chain) => Some(self.random.choose(chain).id.clone()),
            None => Some("unheard-of".to_owned()),
        }
    }

    fn compact(&mut self, model: &Model, session: SessionId) -> Step {
        let keeps_from = if self.random.happens(1, 2) { self.some_entry(model, session) } else { None };
        Step::Compact { session, id: format!("compaction-{}", self.number()), keeps_from }
    }

    fn fork(&mut self, model: &Model, session: SessionId) -> Option<Step> {
        let turns: Vec<TurnId> = model.turns_of(session).into_iter().collect();
        let after =
            if !turns.is_empty() && self.random.happens(2, 3) { Some(*self.random.choose(&turns)) } else { None };
        let has_room = model.sessions.len() < SESSIONS_MAX;
        let step = match self.random.below(3) {
            0 => Step::Fork { session, after, into: None },
            1 if has_room => Step::Fork { session, after, into: Some(format!("fork-{}", self.number())) },
            2 if has_room => Step::BeginFork { parent: session, native: format!("fork-{}", self.number()) },
            _ => return None,
        };
        Some(step)
    }

    fn order(&mut self, model: &Model, session: SessionId) -> Option<Order> {
        let scopes = [Scope::Both, Scope::Both, Scope::Both, Scope::Files, Scope::Conversation];
        let policies = [ConflictPolicy::Stop, ConflictPolicy::Stop, ConflictPolicy::Keep];
        let (scope, policy) = (*self.random.choose(&scopes), Some(*self.random.choose(&policies)));
        let selection = self.selection(model, session)?;
        let is_told = scope == Scope::Both && self.random.happens(1, 8);
        let memory = Some(if is_told { Memory::Inform } else { Memory::Cut });
        Some(Order { session: Some(session), selection, scope, policy, memory, permits: Permits::NONE })
    }

    fn selection(&mut self, model: &Model, session: SessionId) -> Option<Selection> {
        let count = 1 + self.random.below(3);
        Some(match self.random.below(18) {
            0..4 => Selection::UndoTurns { count },
            4 => Selection::UndoSteps { count },
            5..10 => Selection::Redo { count },
            10..12 => Selection::Rewind { turn: self.some_turn(model)? },
            12..14 => Selection::Revert { targets: vec![self.target(model)?] },
            14..16 => Selection::Restore { checkpoint: self.some_checkpoint(model)?, paths: Vec::new() },
            _ => {
                let versions: Vec<u64> = model.talk.versions_of(session).map(|version| version.id).collect();
                let some = if versions.is_empty() { 99 } else { *self.random.choose(&versions) };
                Selection::Switch { head: HeadId(some) }
            }
        })
    }

    fn some_checkpoint(&mut self, model: &Model) -> Option<CheckpointName> {
        let is_known = !model.checkpoints.is_empty() && !self.random.happens(1, 20);
        let known = is_known.then(|| self.random.choose(&model.checkpoints).0.clone());
        let name = known.or_else(|| self.random.happens(1, 20).then(|| "unheard-of".to_owned()))?;
        Some(CheckpointName::Name(name))
    }

    fn some_turn(&mut self, model: &Model) -> Option<TurnId> {
        (!model.turns.is_empty()).then(|| self.random.choose(&model.turns).id)
    }

    fn target(&mut self, model: &Model) -> Option<RevertTarget> {
        Some(match self.random.below(4) {
            0 => RevertTarget::Operation(OperationId(1 + self.random.below(model.operations.len() + 1) as u64)),
            1 => {
                let path = WorkspacePath::new(*self.random.choose(&PATHS)).unwrap();
                RevertTarget::PathOfTurn(self.some_turn(model)?, path)
            }
            _ => RevertTarget::Turn(self.some_turn(model)?),
        })
    }
}
