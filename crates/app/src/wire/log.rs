//! `takeback.log/1`: the turns with their steps and files.

use serde::Serialize;
use takeback::{PathChange, StepView, TurnView};

use super::{WirePath, time};
use crate::explain::first_line;

/// Prompts may hold what is not meant for a list: no more than the beginning of the first line is printed.
const PROMPT_COLUMNS_MAX: usize = 200;

#[derive(Debug, Serialize)]
struct WireLog {
    schema: &'static str,
    turns: Vec<WireTurn>,
}

#[derive(Debug, Serialize)]
struct WireTurn {
    id: String,
    session: String,
    agent: String,
    native_session: String,
    state: &'static str,
    status: &'static str,
    prompt: Option<String>,
    started: String,
    coverage: &'static str,
    steps: Vec<WireStep>,
    outside: Vec<WireChange>,
}

#[derive(Debug, Serialize)]
struct WireStep {
    id: String,
    tool: String,
    summary: String,
    agent_id: Option<String>,
    files: Vec<WireChange>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireChange {
    #[serde(flatten)]
    path: WirePath,
    action: &'static str,
}

/// The object of a log, as one line.
pub(crate) fn log(turns: &[TurnView]) -> String {
    super::line(&WireLog { schema: "takeback.log/1", turns: turns.iter().map(turn).collect() })
}

fn turn(turn: &TurnView) -> WireTurn {
    WireTurn {
        id: turn.id.to_string(),
        session: turn.session.to_string(),
        agent: turn.agent.clone(),
        native_session: turn.native_session.clone(),
        state: turn.state.code(),
        status: turn.status.code(),
        prompt: turn.prompt.as_deref().map(|prompt| first_line(prompt, PROMPT_COLUMNS_MAX)),
        started: time(turn.started_ns),
        coverage: turn.coverage.code(),
        steps: turn.steps.iter().map(step).collect(),
        outside: turn.outside.iter().map(change).collect(),
    }
}

fn step(step: &StepView) -> WireStep {
    WireStep {
        id: step.id.to_string(),
        tool: step.tool.clone(),
        summary: step.summary.clone(),
        agent_id: step.agent_id.clone(),
        files: step.files.iter().map(change).collect(),
    }
}

pub(crate) fn change(change: &PathChange) -> WireChange {
    WireChange { path: WirePath::new(change.path.as_bytes()), action: change.action.code() }
}
