//! `checkpoint [NAME]`: the present state, to return to.

use super::{Context, Exit, Failure};
use crate::arguments::CheckpointArguments;
use crate::wire;

pub(crate) fn run(context: &Context<'_>, arguments: &CheckpointArguments) -> Result<Exit, Failure> {
    let workspace = context.takeback.workspace_at(&context.folder())?;
    let name = arguments.name.as_deref();
    let id = workspace.checkpoint(name)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::checkpoint(id, name));
    } else {
        let named = name.map(|name| format!(" `{}`", context.terminal.name(name))).unwrap_or_default();
        context.terminal.print(&format!("Checkpoint {id}{named}; `takeback restore {id}` returns to it\n"));
    }
    Ok(Exit::Done)
}
