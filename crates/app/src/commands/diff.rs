//! `diff [ID]`: what something changed, line by line.

use takeback::{InspectError, Target};

use super::show::failure;
use super::{Context, Exit, Failure};
use crate::arguments::DiffArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &DiffArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session = context.session(&workspace)?;
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
