//! `log`: the turns with their steps and files.

use super::{Context, Exit, Failure};
use crate::arguments::LogArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &LogArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session = context.session(&workspace)?;
    let turns = workspace.log(session, arguments.limit)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::log(&turns));
    } else {
        explain::log(context.terminal, workspace.root_path(), &turns);
    }
    Ok(Exit::Done)
}
