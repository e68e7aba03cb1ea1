//! `versions`: the versions of the session's conversation, with the turns each adds.

use super::{Context, Exit, Failure};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let Some(session) = context.session_or_newest(&workspace)? else {
        return Err(Failure::new(Exit::Nothing, "No session has been recorded here yet"));
    };
    let versions = workspace.versions(session)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::versions(session, &versions));
    } else {
        explain::versions(context.terminal, &versions);
    }
    Ok(Exit::Done)
}
