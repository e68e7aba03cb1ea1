//! The values a face shows: turns with steps and files, sessions, checkpoints, operations.

use std::collections::BTreeMap;

use decide::selection;
use model::{
    Action, CheckpointId, Coverage, Entry, Evidence, OperationId, Seq, SessionId, StepId, Transition, TurnId,
    TurnState, TurnStatus, Verb, WorkspacePath,
};
use store::{OperationState, Reader, Session, StoreError, Turn};

use super::history;
use crate::sessions;
use crate::workspace::Workspace;

/// One turn, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnView {
    /// Which.
    pub id: TurnId,
    /// Whose.
    pub session: SessionId,
    /// The agent file it came through.
    pub agent: String,
    /// The agent's own id of the session.
    pub native_session: String,
    /// Whether its work stands, seen from the session that was asked for.
    pub state: TurnState,
    /// How it ended.
    pub status: TurnStatus,
    /// What the human said; none for work outside of any prompt.
    pub prompt: Option<String>,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// How much of its footprint is known.
    pub coverage: Coverage,
    /// Its steps in order.
    pub steps: Vec<StepView>,
    /// What others changed since the turn before it, up to its end.
    pub outside: Vec<PathChange>,
}

/// One step, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepView {
    /// Which.
    pub id: StepId,
    /// The tool's name.
    pub tool: String,
    /// What it did, in one line.
    pub summary: String,
    /// The subagent that called it.
    pub agent_id: Option<String>,
    /// What it changed.
    pub files: Vec<PathChange>,
}

/// What became of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// Where.
    pub path: WorkspacePath,
    /// What was done, from the first to the last transition.
    pub action: Action,
    /// What was there before.
    pub before: Entry,
    /// What was there after.
    pub after: Entry,
    /// The weakest evidence.
    pub evidence: Evidence,
}

/// One session, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionView {
    /// Which.
    pub id: SessionId,
    /// The agent file it came through.
    pub agent: String,
    /// The agent's own id.
    pub native: String,
    /// The session it descends from.
    pub parent: Option<SessionId>,
    /// How many turns it has of its own.
    pub turns: usize,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// When it was last active, in nanoseconds since the epoch.
    pub active_ns: i64,
    /// Whether it was left.
    pub has_ended: bool,
}

/// One checkpoint, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointView {
    /// Which.
    pub id: CheckpointId,
    /// The user's name for it; named ones are pinned.
    pub name: Option<String>,
    /// What happened there.
    pub event: String,
    /// When, in nanoseconds since the epoch.
    pub at_ns: i64,
}

/// One operation, as shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationView {
    /// Which.
    pub id: OperationId,
    /// What it did.
    pub verb: Verb,
    /// The turns it was about.
    pub turns: Vec<TurnId>,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// The state right before it.
    pub rescue: CheckpointId,
    /// What it changed.
    pub files: Vec<PathChange>,
    /// The redo that brought back what it took.
    pub redone_by: Option<OperationId>,
}

impl Workspace {
    /// The turns of one session, or of all, the oldest first; at most the newest `limit`.
    pub fn log(&self, session: Option<SessionId>, limit: Option<usize>) -> Result<Vec<TurnView>, StoreError> {
        let reader = self.store.read()?;
        let sessions = reader.sessions()?;
        let asked: Vec<SessionId> = session.map_or_else(|| sessions.iter().map(|s| s.id).collect(), |id| vec![id]);
        let mut states: BTreeMap<TurnId, TurnState> = BTreeMap::new();
        for id in asked {
            let past = history(&reader, id)?;
            let seen = selection::turn_states(&past);
            let shown = if session.is_some() { past.turns } else { reader.newest_turns(id, None, usize::MAX)? };
            states.extend(shown.into_iter().map(|turn| (turn, seen.get(&turn).copied().unwrap_or(TurnState::Live))));
        }
        let skipped = limit.map_or(0, |limit| states.len().saturating_sub(limit));
        let before = states.keys().nth(skipped.wrapping_sub(1)).map(|turn| reader.turn(*turn)).transpose()?.flatten();
        let mut previous = before.map_or(Ok(Seq(0)), |turn| end_of(&reader, &turn))?;
        let mut views = Vec::new();
        for (id, state) in states.into_iter().skip(skipped) {
            let Some(turn) = reader.turn(id)? else { continue };
            let end = end_of(&reader, &turn)?;
            let outside = changes(reader.outside_between(previous, end)?);
            previous = previous.max(end);
            views.push(turn_view(&reader, &sessions, turn, state, outside)?);
        }
        Ok(views)
    }

    /// The session that was active last, of those that were not put away.
    pub fn newest_session(&self) -> Result<Option<SessionId>, StoreError> {
        Ok(sessions::newest(&self.store.read()?)?.map(|session| session.id))
    }

    /// The session that goes by a name: the newest that its agent calls so, or once called so, else the one with this id
    /// of ours.
    pub fn session_named(&self, name: &str) -> Result<Option<SessionId>, StoreError> {
        let reader = self.store.read()?;
        let sessions = reader.sessions()?;
        for session in sessions.iter().rev() {
            if session.native == name || reader.natives_of(session.id)?.iter().any(|native| native == name) {
                return Ok(Some(session.id));
            }
        }
        let own = name.parse::<SessionId>().ok();
        Ok(sessions.iter().map(|session| session.id).find(|id| Some(*id) == own))
    }

    /// The sessions of this workspace that were not put away, the oldest first.
    pub fn sessions(&self) -> Result<Vec<SessionView>, StoreError> {
        let reader = self.store.read()?;
        let view = |session: Session| {
            let turns = reader.count_turns(session.id)?;
            Ok(SessionView {
                id: session.id,
                agent: session.agent,
                native: session.native,
                parent: session.parent,
                turns,
                started_ns: session.started_ns,
                active_ns: session.active_ns,
                has_ended: session.ended_ns.is_some(),
            })
        };
        sessions::listed(&reader)?.into_iter().map(view).collect()
    }

    /// The checkpoints with a name, and the newest `limit` others, the oldest first.
    pub fn checkpoints(&self, limit: u64) -> Result<Vec<CheckpointView>, StoreError> {
        let reader = self.store.read()?;
        let mut found: BTreeMap<CheckpointId, CheckpointView> = BTreeMap::new();
        for row in reader.named_checkpoints()?.into_iter().chain(reader.checkpoints(limit)?) {
            found.insert(row.id, CheckpointView { id: row.id, name: row.name, event: row.event, at_ns: row.at_ns });
        }
        Ok(found.into_values().collect())
    }

    /// The committed operations of a session, the oldest first.
    pub fn operations(&self, session: SessionId) -> Result<Vec<OperationView>, StoreError> {
        let reader = self.store.read()?;
        let committed = reader.operations_of(session)?.into_iter().filter(|op| op.state == OperationState::Committed);
        committed
            .map(|operation| {
                Ok(OperationView {
                    files: changes(reader.transitions_of_operation(operation.id)?),
                    id: operation.id,
                    verb: operation.verb,
                    turns: operation.turns,
                    started_ns: operation.started_ns,
                    rescue: operation.rescue,
                    redone_by: operation.redone_by,
                })
            })
            .collect()
    }

    /// What changed between a checkpoint and now, whoever did it.
    pub fn changes_since(&self, checkpoint: CheckpointId) -> Result<Option<Vec<PathChange>>, StoreError> {
        let reader = self.store.read()?;
        let Some(row) = reader.checkpoint(checkpoint)? else { return Ok(None) };
        Ok(Some(changes(reader.transitions_since(row.last_seq)?)))
    }
}

/// The last transition that belongs to the time of a turn.
fn end_of(reader: &Reader<'_>, turn: &Turn) -> Result<Seq, StoreError> {
    match turn.closed_at {
        Some(id) => Ok(reader.checkpoint(id)?.map_or(Seq(0), |checkpoint| checkpoint.last_seq)),
        None => reader.last_seq(),
    }
}

fn turn_view(
    reader: &Reader<'_>,
    sessions: &[Session],
    turn: Turn,
    state: TurnState,
    outside: Vec<PathChange>,
) -> Result<TurnView, StoreError> {
    let session = sessions.iter().find(|session| session.id == turn.session);
    let mut by_step: BTreeMap<StepId, Vec<Transition>> = BTreeMap::new();
    for transition in reader.transitions_of_turn(turn.id)? {
        for step in transition.cause.candidate_steps().iter().filter(|step| step.turn == turn.id) {
            by_step.entry(*step).or_default().push(transition.clone());
        }
    }
    let steps = reader.steps_of(turn.id)?.into_iter().map(|step| StepView {
        files: changes(by_step.remove(&step.id).unwrap_or_default()),
        id: step.id,
        tool: step.tool,
        summary: step.summary,
        agent_id: step.agent_id,
    });
    Ok(TurnView {
        steps: steps.collect(),
        id: turn.id,
        session: turn.session,
        agent: session.map(|session| session.agent.clone()).unwrap_or_default(),
        native_session: session.map(|session| session.native.clone()).unwrap_or_default(),
        state,
        status: turn.status,
        prompt: turn.prompt,
        started_ns: turn.started_ns,
        coverage: turn.coverage,
        outside,
    })
}

/// What a list of transitions comes to, per path; net-zero paths are left out.
pub(crate) fn changes(transitions: Vec<Transition>) -> Vec<PathChange> {
    let mut by_path: BTreeMap<WorkspacePath, PathChange> = BTreeMap::new();
    for transition in transitions {
        let change = by_path.entry(transition.path.clone()).or_insert_with(|| PathChange {
            path: transition.path.clone(),
            action: Action::None,
            before: transition.before.clone(),
            after: transition.after.clone(),
            evidence: transition.evidence,
        });
        change.after = transition.after;
        change.evidence = change.evidence.max(transition.evidence);
        change.action = Action::between(&change.before, &change.after);
    }
    by_path.into_values().filter(|change| change.before != change.after).collect()
}
