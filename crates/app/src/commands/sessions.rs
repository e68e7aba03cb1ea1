//! `sessions`: the sessions of the workspace; putting one away and bringing it back.

use model::SessionId;
use takeback::{OrderError, PutAwayError, Workspace};

use super::{Context, Exit, Failure};
use crate::arguments::SessionsArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &SessionsArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    if let Some(name) = &arguments.remove {
        mark(&workspace, name, Workspace::put_session_away)?;
    }
    if let Some(name) = &arguments.bring_back {
        mark(&workspace, name, Workspace::bring_session_back)?;
    }
    let sessions = workspace.sessions()?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::sessions(&sessions));
    } else {
        explain::sessions(context.terminal, &sessions);
    }
    Ok(Exit::Done)
}

fn mark(
    workspace: &Workspace,
    name: &str,
    as_what: fn(&Workspace, SessionId) -> Result<(), PutAwayError>,
) -> Result<(), Failure> {
    let unknown = || OrderError::Unknown { what: "session", name: name.to_owned() };
    let session = workspace.session_named(name)?.ok_or_else(|| Failure::new(Exit::Usage, unknown()))?;
    Ok(as_what(workspace, session)?)
}
