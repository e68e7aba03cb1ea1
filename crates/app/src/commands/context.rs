//! `context`: what the next run of the session gets.

use super::{Context, Exit, Failure};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let Some(session) = context.session_or_newest(&workspace)? else {
        return Err(Failure::new(Exit::Nothing, "No session has been recorded here yet"));
    };
    let view = workspace.context(session)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::context(&view));
    } else {
        explain::context(context.terminal, &view);
    }
    Ok(Exit::Done)
}
