//! `takeback.setup/1`: what plugging takeback into an agent did or would do.

use serde::Serialize;

use super::WirePath;
use crate::commands::{Outcome, SetupState};

#[derive(Debug, Serialize)]
struct WireSetup {
    schema: &'static str,
    agent: String,
    outcome: &'static str,
    version: Option<String>,
    files: Vec<WireSetupFile>,
    commands: Vec<String>,
    notes: Vec<String>,
    proven: Option<bool>,
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireSetupFile {
    #[serde(flatten)]
    path: WirePath,
    action: &'static str,
}

#[derive(Debug, Serialize)]
struct WireSetups {
    schema: &'static str,
    agents: Vec<WireAgent>,
}

#[derive(Debug, Serialize)]
struct WireAgent {
    agent: String,
    is_set_up: bool,
    message: Option<String>,
}

/// The object of a setup, as one line.
pub(crate) fn setup(outcome: &Outcome<'_>) -> String {
    let plan = outcome.plan;
    super::line(&WireSetup {
        schema: "takeback.setup/1",
        agent: outcome.agent.to_owned(),
        outcome: outcome.state.code(),
        version: plan.version.clone(),
        files: plan.files.iter().chain(&plan.settled).map(file).collect(),
        commands: plan.commands.iter().map(|command| command.words.join(" ")).collect(),
        notes: plan.notes.clone(),
        proven: outcome.proof.as_ref().map(Result::is_ok),
        message: outcome.proof.as_ref().and_then(|proof| proof.as_ref().err().cloned()),
    })
}

/// The object of the list of agents, as one line.
pub(crate) fn setups(states: &[(&str, Result<SetupState, String>)]) -> String {
    let agents = states.iter().map(|(agent, state)| WireAgent {
        agent: (*agent).to_owned(),
        is_set_up: matches!(state, Ok(SetupState::Unchanged)),
        message: state.as_ref().err().cloned(),
    });
    super::line(&WireSetups { schema: "takeback.setups/1", agents: agents.collect() })
}

fn file(file: &agents::setup::SetupFile) -> WireSetupFile {
    let action = match (&file.before, &file.after) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "write",
    };
    WireSetupFile { path: WirePath::new(std::os::unix::ffi::OsStrExt::as_bytes(file.path.as_os_str())), action }
}
