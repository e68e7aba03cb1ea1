//! `fork [TURN]`: another version, or another session, that goes on from a turn.

use model::SessionId;
use takeback::{OrderError, Workspace};

use super::{Context, Exit, Failure};
use crate::arguments::ForkArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &ForkArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let (source, into) = ends(context, &workspace, arguments)?;
    let after =
        arguments.turn.as_deref().map(str::parse).transpose().map_err(|error| Failure::new(Exit::Usage, error))?;
    let forked = workspace.fork(source, after, into).map_err(|error| match error {
        OrderError::Unknown { .. } | OrderError::Exists(_) => Failure::new(Exit::Usage, error),
        OrderError::Running => Failure::new(Exit::Refused, error),
        other => Failure::new(Exit::Failed, explain::chain(&other)),
    })?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::fork(&forked));
    } else {
        context.terminal.print(&format!("{} of {} goes on from there\n", forked.head, forked.session));
        for line in forked.at_agent.iter().flat_map(explain::at_agent) {
            context.terminal.print(&format!("{line}\n"));
        }
    }
    Ok(Exit::Done)
}

/// The session to fork from, and the id of a new one. `--session` may name either.
fn ends<'a>(
    context: &'a Context<'_>,
    workspace: &Workspace,
    arguments: &'a ForkArguments,
) -> Result<(SessionId, Option<&'a str>), Failure> {
    let none = || Failure::new(Exit::Nothing, OrderError::NoSession);
    let new = context.global.session.as_deref().filter(|_| arguments.into.is_none());
    if let Some(name) = new
        && is_new(workspace, name)?
    {
        return Ok((workspace.newest_session()?.ok_or_else(none)?, new));
    }
    Ok((context.session_or_newest(workspace)?.ok_or_else(none)?, arguments.into.as_deref()))
}

/// Whether no session goes by this name, and it is none of our ids, which can only be meant for a session that is there.
fn is_new(workspace: &Workspace, name: &str) -> Result<bool, Failure> {
    Ok(name.parse::<SessionId>().is_err() && workspace.session_named(name)?.is_none())
}
