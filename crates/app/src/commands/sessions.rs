//! `sessions`: the sessions of the workspace.

use super::{Context, Exit, Failure};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let sessions = context.workspace()?.sessions()?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::sessions(&sessions));
    } else {
        explain::sessions(context.terminal, &sessions);
    }
    Ok(Exit::Done)
}
