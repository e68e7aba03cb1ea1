//! The trial of an agent's hooks: the very command that the agent would run is given the events of one small turn in a
//! scratch workspace, with a store of its own, and what it recorded is taken back.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use disk::child::{Invocation, run};
use disk::{Dir, state};
use model::Mode;

use super::scratch::Scratch;
use super::trial::{TrialError, try_order};
use crate::Environment;
use crate::home::Home;
use crate::order::Selection;
use crate::workspace::Workspace;

/// A hook that takes longer than this would hold the agent up.
const HOOK_LIMIT: Duration = Duration::from_secs(20);

/// The file that the pretended tool makes.
const FILE: &[u8] = b"made-by-the-agent.txt";

/// Tries the hook of an agent out: `program` is the takeback that the agent calls, `agent` its name.
///
/// Success means that a turn with one shell command went through the program, was recorded whole, and was taken back.
/// The folder at `root` is neither read nor written.
pub fn try_hook(environment: &Environment, root: &Path, program: &Path, agent: &str) -> Result<(), TrialError> {
    let root = worktree::Root::open(root)?;
    let scratch = Scratch::make(environment, root.path())?.ok_or(TrialError::NoPlace)?;
    let dir = Dir::open(&scratch.folder)?;
    dir.make_dir(b"workspace", Mode::FOLDER)?;
    let workspace_dir = dir.open_child(b"workspace")?;
    let folder = scratch.folder.join("workspace");
    let state_folder = scratch.folder.join("state");
    let send = |payload: &str| hook(program, agent, &state_folder, payload);
    let [start, prompt, before, after, stop] = agents::sample_turn(&folder);
    send(&start)?;
    send(&prompt)?;
    send(&before)?;
    workspace_dir.create_file(FILE, Mode::new(0o644))?.finish()?;
    send(&after)?;
    send(&stop)?;
    let own_environment = Environment { state_folder: state_folder.clone(), ..environment.clone() };
    let workspace = Workspace::open(&Home::new(state_folder), &own_environment, &folder)?;
    try_order(&workspace, Selection::UndoTurns { count: 1 }, "undo")?;
    if workspace_dir.stat(FILE)?.is_some() {
        return Err(TrialError::NotTakenBack);
    }
    Ok(())
}

fn hook(program: &Path, agent: &str, state_folder: &Path, payload: &str) -> Result<(), TrialError> {
    state::create_dir(state_folder)?;
    let output = run(&Invocation {
        program,
        arguments: &[OsStr::new("hook"), OsStr::new(agent)],
        variables: &[("TAKEBACK_HOME", state_folder.as_os_str())],
        removed_variables: &[],
        folder: None,
        input: payload.as_bytes(),
        limit: HOOK_LIMIT,
    })
    .map_err(|error| TrialError::Hook(error.to_string()))?;
    match (output.status, output.stderr.is_empty()) {
        (Some(0), true) => Ok(()),
        _ => Err(TrialError::Hook(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
    }
}
