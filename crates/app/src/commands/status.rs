//! `status`: how the workspace stands.

use super::{Context, Exit, Failure};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session = context.session(&workspace)?;
    let status = workspace.status(session)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::status(&status));
    } else {
        explain::status(context.terminal, &status);
    }
    Ok(if status.stuck.is_empty() { Exit::Done } else { Exit::Partial })
}
