//! `doctor`: a trial in a scratch folder, and how the workspace is looked after.

use takeback::{Diagnosis, WorkspaceError};

use super::{Context, Exit, Failure, setup};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let (root, diagnosis) = match context.takeback.known_workspace_at(&context.folder()) {
        Ok(workspace) => (workspace.root_path().to_owned(), Some(workspace.diagnose()?)),
        Err(WorkspaceError::Unknown(root)) => (root, None),
        Err(error) => return Err(error.into()),
    };
    let trial = takeback::try_out(&context.environment, &root).map_err(|error| explain::chain(&error));
    let agents = setup::examine(context);
    let hooks_work = agents.iter().all(|agent| !matches!(agent.proof, Some(Err(_))));
    let is_well = trial.is_ok() && hooks_work && diagnosis.as_ref().is_none_or(is_sound);
    if context.terminal.is_json() {
        context.terminal.print(&wire::doctor(
            trial.as_ref().map_err(Clone::clone),
            &agents,
            diagnosis.as_ref(),
            is_well,
        ));
    } else {
        explain::doctor(context.terminal, trial.as_ref().map_err(String::as_str), &agents, diagnosis.as_ref());
    }
    Ok(if is_well { Exit::Done } else { Exit::Failed })
}

/// What is only worth a note is no failure.
fn is_sound(diagnosis: &Diagnosis) -> bool {
    diagnosis.stuck.is_empty()
}
