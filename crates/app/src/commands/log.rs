//! `log`: the turns with their steps and files, or the lines of one file with who changed them.

use super::order::workspace_path;
use super::show::failure;
use super::{Context, Exit, Failure};
use crate::arguments::LogArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &LogArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    if let Some(typed) = &arguments.blame {
        let view = workspace.blame(&workspace_path(context, &workspace, typed)?).map_err(failure)?;
        if context.terminal.is_json() {
            context.terminal.print(&wire::blame(&view));
        } else {
            explain::blame(context.terminal, &view);
        }
        return Ok(Exit::Done);
    }
    let session = context.session(&workspace)?;
    let turns = workspace.log(session, arguments.limit)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::log(&turns));
    } else {
        explain::log(context.terminal, workspace.root_path(), &turns);
    }
    Ok(Exit::Done)
}
