//! `checkpoint [NAME]`: the present state, to return to.

use serde::Serialize;

use super::{Context, Exit, Failure};
use crate::arguments::CheckpointArguments;
use crate::wire;

#[derive(Debug, Serialize)]
struct WireCheckpoint<'a> {
    schema: &'static str,
    id: String,
    name: Option<&'a str>,
}

pub(crate) fn run(context: &Context<'_>, arguments: &CheckpointArguments) -> Result<Exit, Failure> {
    let workspace = context.takeback.workspace_at(&context.folder())?;
    let name = arguments.name.as_deref();
    let id = workspace.checkpoint(name)?;
    if context.terminal.is_json() {
        let value = WireCheckpoint { schema: "takeback.checkpoint/1", id: id.to_string(), name };
        context.terminal.print(&wire::line(&value));
    } else {
        let named = name.map(|name| format!(" `{}`", context.terminal.name(name))).unwrap_or_default();
        context.terminal.print(&format!("Checkpoint {id}{named}; return to it with `takeback restore {id}`\n"));
    }
    Ok(Exit::Done)
}
