//! `takeback.show/1`: one turn, step, operation or checkpoint in full.

use serde::Serialize;
use takeback::{CheckpointDetail, OperationDetail, OperationState, Shown, StepDetail, StepExit, TurnDetail};

use super::change::{WireEffect, WireFileChange, WireGap, effect, file_change, gap};
use super::{texts, time};

#[derive(Debug, Serialize)]
struct WireShow {
    schema: &'static str,
    #[serde(flatten)]
    shown: WireShown,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum WireShown {
    Turn(WireTurn),
    Step(WireStep),
    Operation(WireOperation),
    Checkpoint(WireCheckpoint),
}

#[derive(Debug, Serialize)]
struct WireTurn {
    id: String,
    session: String,
    agent: String,
    native_session: String,
    state: &'static str,
    status: &'static str,
    coverage: &'static str,
    prompt: Option<String>,
    started: String,
    ended: Option<String>,
    opened_at: String,
    closed_at: Option<String>,
    steps: Vec<WireStep>,
    gaps: Vec<WireGap>,
}

#[derive(Debug, Serialize)]
struct WireStep {
    id: String,
    session: String,
    tool: String,
    summary: String,
    command: Option<String>,
    agent_id: Option<String>,
    exit: &'static str,
    running: bool,
    started: String,
    ended: Option<String>,
    files: Vec<WireFileChange>,
    gaps: Vec<WireGap>,
    effects: Vec<WireEffect>,
}

#[derive(Debug, Serialize)]
struct WireOperation {
    id: String,
    session: Option<String>,
    verb: &'static str,
    scope: &'static str,
    state: &'static str,
    turns: Vec<String>,
    started: String,
    ended: Option<String>,
    rescue: String,
    closing: Option<String>,
    redoes: Vec<String>,
    redone_by: Option<String>,
    files: Vec<WireFileChange>,
}

#[derive(Debug, Serialize)]
struct WireCheckpoint {
    id: String,
    name: Option<String>,
    event: String,
    at: String,
    session: Option<String>,
    turn: Option<String>,
    step: Option<String>,
    since: Vec<WireFileChange>,
}

/// The object of what was shown, as one line.
pub(crate) fn show(shown: &Shown) -> String {
    let shown = match shown {
        Shown::Turn(detail) => WireShown::Turn(turn(detail)),
        Shown::Step(detail) => WireShown::Step(step(detail)),
        Shown::Operation(detail) => WireShown::Operation(operation(detail)),
        Shown::Checkpoint(detail) => WireShown::Checkpoint(checkpoint(detail)),
    };
    super::line(&WireShow { schema: "takeback.show/1", shown })
}

fn turn(turn: &TurnDetail) -> WireTurn {
    WireTurn {
        id: turn.id.to_string(),
        session: turn.session.to_string(),
        agent: turn.agent.clone(),
        native_session: turn.native_session.clone(),
        state: turn.state.code(),
        status: turn.status.code(),
        coverage: turn.coverage.code(),
        prompt: turn.prompt.clone(),
        started: time(turn.started_ns),
        ended: turn.ended_ns.map(time),
        opened_at: turn.opened_at.to_string(),
        closed_at: turn.closed_at.map(|id| id.to_string()),
        steps: turn.steps.iter().map(step).collect(),
        gaps: turn.gaps.iter().map(gap).collect(),
    }
}

fn step(step: &StepDetail) -> WireStep {
    WireStep {
        id: step.id.to_string(),
        session: step.session.to_string(),
        tool: step.tool.clone(),
        summary: step.summary.clone(),
        command: step.command.clone(),
        agent_id: step.agent_id.clone(),
        exit: exit(step.exit),
        running: step.is_running,
        started: time(step.started_ns),
        ended: step.ended_ns.map(time),
        files: step.files.iter().map(file_change).collect(),
        gaps: step.gaps.iter().map(gap).collect(),
        effects: step.effects.iter().map(effect).collect(),
    }
}

fn operation(operation: &OperationDetail) -> WireOperation {
    WireOperation {
        id: operation.id.to_string(),
        session: operation.session.map(|id| id.to_string()),
        verb: operation.verb.code(),
        scope: operation.scope.code(),
        state: state(operation.state),
        turns: texts(&operation.turns),
        started: time(operation.started_ns),
        ended: operation.ended_ns.map(time),
        rescue: operation.rescue.to_string(),
        closing: operation.closing.map(|id| id.to_string()),
        redoes: texts(&operation.redoes),
        redone_by: operation.redone_by.map(|id| id.to_string()),
        files: operation.files.iter().map(file_change).collect(),
    }
}

fn checkpoint(checkpoint: &CheckpointDetail) -> WireCheckpoint {
    WireCheckpoint {
        id: checkpoint.id.to_string(),
        name: checkpoint.name.clone(),
        event: checkpoint.event.clone(),
        at: time(checkpoint.at_ns),
        session: checkpoint.session.map(|id| id.to_string()),
        turn: checkpoint.turn.map(|id| id.to_string()),
        step: checkpoint.step.map(|id| id.to_string()),
        since: checkpoint.since.iter().map(file_change).collect(),
    }
}

fn exit(exit: StepExit) -> &'static str {
    match exit {
        StepExit::Unknown => "unknown",
        StepExit::Ok => "ok",
        StepExit::Failed => "failed",
    }
}

fn state(state: OperationState) -> &'static str {
    match state {
        OperationState::Open => "open",
        OperationState::Committed => "committed",
        OperationState::Compensated => "compensated",
        OperationState::Stuck => "stuck",
    }
}
