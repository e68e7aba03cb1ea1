//! A turn, step, operation or checkpoint with everything that is known of it.

use decide::effects::effects_of;
use decide::selection;
use model::{CheckpointId, Coverage, Gap, OperationId, Scope, SessionId, StepId, TurnId, TurnState, TurnStatus, Verb};
use store::{Operation, OperationState, Reader, Step, StepExit, StoreError, Turn, WindowState};

use super::change::{FileChange, file_changes};
use super::{InspectError, Target, checkpoint, unknown};
use crate::claims::absolute_path;
use crate::history;
use crate::report::{NamedEffect, NamedGap};
use crate::workspace::Workspace;

/// What was asked for, in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// A turn.
    Turn(Box<TurnDetail>),
    /// A step.
    Step(Box<StepDetail>),
    /// An operation.
    Operation(Box<OperationDetail>),
    /// A checkpoint.
    Checkpoint(Box<CheckpointDetail>),
}

/// One turn in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnDetail {
    /// Which.
    pub id: TurnId,
    /// Whose.
    pub session: SessionId,
    /// The agent file it came through.
    pub agent: String,
    /// The agent's own id of the session.
    pub native_session: String,
    /// Whether its work stands, seen from its own session.
    pub state: TurnState,
    /// How it ended.
    pub status: TurnStatus,
    /// How much of its footprint is known.
    pub coverage: Coverage,
    /// What the human said; none for work outside of any prompt.
    pub prompt: Option<String>,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// When it ended, in nanoseconds since the epoch.
    pub ended_ns: Option<i64>,
    /// The state before it.
    pub opened_at: CheckpointId,
    /// The state after it.
    pub closed_at: Option<CheckpointId>,
    /// Its steps in order.
    pub steps: Vec<StepDetail>,
    /// What was not covered in it, its steps included, sorted.
    pub gaps: Vec<NamedGap>,
}

/// One step in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepDetail {
    /// Which.
    pub id: StepId,
    /// Whose.
    pub session: SessionId,
    /// The tool's name.
    pub tool: String,
    /// What it did, in one line.
    pub summary: String,
    /// The whole command, if it was one.
    pub command: Option<String>,
    /// The subagent that called it.
    pub agent_id: Option<String>,
    /// How it ended.
    pub exit: StepExit,
    /// Whether its window is still open.
    pub is_running: bool,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// When it ended, in nanoseconds since the epoch.
    pub ended_ns: Option<i64>,
    /// What it changed, or may have changed.
    pub files: Vec<FileChange>,
    /// What was not covered in it, sorted.
    pub gaps: Vec<NamedGap>,
    /// What it is known to have done beyond the workspace.
    pub effects: Vec<NamedEffect>,
}

/// One operation in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationDetail {
    /// Which.
    pub id: OperationId,
    /// The session it was done for.
    pub session: Option<SessionId>,
    /// What it did.
    pub verb: Verb,
    /// Which halves it moved.
    pub scope: Scope,
    /// How far it got.
    pub state: OperationState,
    /// The turns it was about.
    pub turns: Vec<TurnId>,
    /// When it began, in nanoseconds since the epoch.
    pub started_ns: i64,
    /// When it ended, in nanoseconds since the epoch.
    pub ended_ns: Option<i64>,
    /// The state right before it.
    pub rescue: CheckpointId,
    /// The state after it.
    pub closing: Option<CheckpointId>,
    /// The operations it brought again.
    pub redoes: Vec<OperationId>,
    /// The redo that brought back what it took.
    pub redone_by: Option<OperationId>,
    /// What it changed.
    pub files: Vec<FileChange>,
}

/// One checkpoint in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointDetail {
    /// Which.
    pub id: CheckpointId,
    /// The user's name for it; named ones are pinned.
    pub name: Option<String>,
    /// What happened there.
    pub event: String,
    /// When, in nanoseconds since the epoch.
    pub at_ns: i64,
    /// The session, if it was one's.
    pub session: Option<SessionId>,
    /// The turn, if it was in one.
    pub turn: Option<TurnId>,
    /// The step, if it was around one.
    pub step: Option<StepId>,
    /// What has been seen to change since, whoever did it.
    pub since: Vec<FileChange>,
}

impl Workspace {
    /// Everything that is recorded of one turn, step, operation or checkpoint. The workspace itself is not looked at.
    pub fn show(&self, target: &Target) -> Result<Shown, InspectError> {
        let reader = self.store.read()?;
        Ok(match target {
            Target::Turn(id) => {
                let turn = reader.turn(*id)?.ok_or_else(|| unknown("turn", id))?;
                Shown::Turn(Box::new(turn_detail(&reader, turn)?))
            }
            Target::Step(id) => {
                let step = reader.step(*id)?.ok_or_else(|| unknown("step", id))?;
                Shown::Step(Box::new(step_detail(&reader, step)?))
            }
            Target::Operation(id) => {
                let operation = reader.operation(*id)?.ok_or_else(|| unknown("operation", id))?;
                Shown::Operation(Box::new(operation_detail(&reader, operation)?))
            }
            Target::Checkpoint(name) => {
                let row = checkpoint(&reader, name)?;
                Shown::Checkpoint(Box::new(CheckpointDetail {
                    since: file_changes(&reader.transitions_since(row.last_seq)?),
                    id: row.id,
                    name: row.name,
                    event: row.event,
                    at_ns: row.at_ns,
                    session: row.session,
                    turn: row.turn,
                    step: row.step,
                }))
            }
        })
    }
}

fn turn_detail(reader: &Reader<'_>, turn: Turn) -> Result<TurnDetail, StoreError> {
    let session = reader.session(turn.session)?;
    let states = selection::turn_states(&history::history(reader, turn.session)?);
    let steps = reader.steps_of(turn.id)?.into_iter().map(|step| step_detail(reader, step));
    Ok(TurnDetail {
        steps: steps.collect::<Result<_, _>>()?,
        gaps: named(&reader.gaps_of_turn(turn.id)?),
        agent: session.as_ref().map(|session| session.agent.clone()).unwrap_or_default(),
        native_session: session.map(|session| session.native).unwrap_or_default(),
        state: states.get(&turn.id).copied().unwrap_or(TurnState::Live),
        id: turn.id,
        session: turn.session,
        status: turn.status,
        coverage: turn.coverage,
        prompt: turn.prompt,
        started_ns: turn.started_ns,
        ended_ns: turn.ended_ns,
        opened_at: turn.opened_at,
        closed_at: turn.closed_at,
    })
}

fn step_detail(reader: &Reader<'_>, step: Step) -> Result<StepDetail, StoreError> {
    let window = reader.window(step.id)?;
    let effects = effects_of(step.command.as_deref().unwrap_or_default()).into_iter();
    Ok(StepDetail {
        files: file_changes(&reader.transitions_of_step(step.id)?),
        gaps: named(&reader.gaps_of_step(step.id)?),
        effects: effects
            .map(|effect| NamedEffect { step: Some(step.id), class: effect.class, summary: effect.summary })
            .collect(),
        is_running: window.is_some_and(|window| window.state != WindowState::Closed),
        id: step.id,
        session: step.session,
        tool: step.tool,
        summary: step.summary,
        command: step.command,
        agent_id: step.agent_id,
        exit: step.exit,
        started_ns: step.started_ns,
        ended_ns: step.ended_ns,
    })
}

fn operation_detail(reader: &Reader<'_>, operation: Operation) -> Result<OperationDetail, StoreError> {
    Ok(OperationDetail {
        files: file_changes(&reader.transitions_of_operation(operation.id)?),
        id: operation.id,
        session: operation.session,
        verb: operation.verb,
        scope: operation.scope,
        state: operation.state,
        turns: operation.turns,
        started_ns: operation.started_ns,
        ended_ns: operation.ended_ns,
        rescue: operation.rescue,
        closing: operation.closing,
        redoes: operation.redoes,
        redone_by: operation.redone_by,
    })
}

fn named(gaps: &[Gap]) -> Vec<NamedGap> {
    let mut named: Vec<NamedGap> =
        gaps.iter().map(|gap| NamedGap { path: absolute_path(gap), reason: gap.reason }).collect();
    named.sort();
    named
}
