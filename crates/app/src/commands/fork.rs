//! `fork [TURN]`: another version, or another session, that goes on from a turn.

use takeback::OrderError;

use super::{Context, Exit, Failure};
use crate::arguments::ForkArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &ForkArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session =
        context.session_or_newest(&workspace)?.ok_or_else(|| Failure::new(Exit::Nothing, OrderError::NoSession))?;
    let after =
        arguments.turn.as_deref().map(str::parse).transpose().map_err(|error| Failure::new(Exit::Usage, error))?;
    let forked = workspace.fork(session, after, arguments.into.as_deref()).map_err(|error| match error {
        OrderError::Unknown { .. } | OrderError::Exists(_) => Failure::new(Exit::Usage, error),
        OrderError::Running => Failure::new(Exit::Refused, error),
        other => Failure::new(Exit::Failed, explain::chain(&other)),
    })?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::fork(&forked));
    } else {
        context.terminal.print(&format!("{} of {} goes on from there\n", forked.head, forked.session));
    }
    Ok(Exit::Done)
}
