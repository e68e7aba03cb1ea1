//! `show ID`: one turn, step, operation or checkpoint in full.

use takeback::{InspectError, Target};

use super::{Context, Exit, Failure};
use crate::arguments::ShowArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &ShowArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let shown = workspace.show(&Target::parse(&arguments.target)).map_err(failure)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::show(&shown));
    } else {
        explain::show(context.terminal, workspace.root_path(), &shown);
    }
    Ok(Exit::Done)
}

/// What is not known is a matter of usage; all else has failed.
pub(super) fn failure(error: InspectError) -> Failure {
    let exit = match &error {
        InspectError::Unknown { .. } => Exit::Usage,
        InspectError::NoTurn => Exit::Nothing,
        InspectError::NotText(_) | InspectError::Store(_) | InspectError::Record(_) => Exit::Failed,
    };
    Failure::new(exit, explain::chain(&error))
}
