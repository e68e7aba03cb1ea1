//! `versions`: the versions of the session's conversation, with the turns each adds; and putting one away.

use model::SessionId;
use takeback::{OwnTurns, RetireError, Workspace};

use super::{Context, Exit, Failure};
use crate::arguments::VersionsArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &VersionsArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let Some(session) = context.session_or_newest(&workspace)? else {
        return Err(Failure::new(Exit::Nothing, "No session has been recorded here yet"));
    };
    if let Some(version) = &arguments.remove {
        remove(context, &workspace, session, version)?;
    }
    let versions = workspace.versions(session)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::versions(session, &versions));
    } else {
        explain::versions(context.terminal, &versions);
    }
    Ok(Exit::Done)
}

fn remove(context: &Context<'_>, workspace: &Workspace, session: SessionId, version: &str) -> Result<(), Failure> {
    let head = version.parse().map_err(|error| Failure::new(Exit::Usage, error))?;
    let own = if context.global.yes { OwnTurns::PutAway } else { OwnTurns::Keep };
    workspace.retire_version(session, head, own).map_err(|error| {
        let exit = match &error {
            RetireError::Unknown(_) => Exit::Usage,
            RetireError::Selected(_) | RetireError::HoldsTurns { .. } => Exit::Refused,
            RetireError::Store(_) | RetireError::Write(_) => Exit::Failed,
        };
        Failure::new(exit, explain::chain(&error))
    })
}
