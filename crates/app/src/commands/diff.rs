//! `diff [ID]`: what something changed, line by line.

use takeback::{InspectError, OrderError, Target, Workspace};

use super::show::failure;
use super::{Context, Exit, Failure};
use crate::arguments::DiffArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &DiffArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session = context.session(&workspace)?;
    if let (Some(first), Some(second)) = (&arguments.target, &arguments.other) {
        return versions(context, &workspace, first, second);
    }
    let target = arguments.target.as_deref().map(Target::parse);
    let view = match workspace.diff(target.as_ref(), session) {
        Err(error @ InspectError::NoTurn) => {
            if context.terminal.is_json() {
                context.terminal.print(&wire::diff(None));
            }
            return Err(failure(error));
        }
        view => view.map_err(failure)?,
    };
    if context.terminal.is_json() {
        context.terminal.print(&wire::diff(Some(&view)));
    } else {
        explain::diff(context.terminal, &view);
    }
    Ok(Exit::Done)
}

/// What was said and changed on only one of two versions.
fn versions(context: &Context<'_>, workspace: &Workspace, first: &str, second: &str) -> Result<Exit, Failure> {
    let version = |text: &str| text.parse().map_err(|error| Failure::new(Exit::Usage, error));
    let (one, other) = (version(first)?, version(second)?);
    let unknown = || {
        let name = format!("{first} {second}");
        Failure::new(Exit::Usage, OrderError::Unknown { what: "pair of versions of one session", name })
    };
    let session = context.session_or_newest(workspace)?.ok_or_else(unknown)?;
    let view = workspace.diff_versions(session, one, other)?.ok_or_else(unknown)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::version_diff((one, other), &view));
    } else {
        explain::version_diff(context.terminal, (one, other), &view);
    }
    Ok(Exit::Done)
}
