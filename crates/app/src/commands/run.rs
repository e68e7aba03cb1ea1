//! `run -- CMD…`: one command under record. Its exit status is ours.

use takeback::Command;

use super::{Context, Exit, Failure};
use crate::arguments::RunArguments;

pub(crate) fn run(context: &Context<'_>, arguments: &RunArguments) -> Result<Exit, Failure> {
    let folder = context.folder();
    let workspace = context.takeback.workspace_at(&folder)?;
    let (program, rest) =
        arguments.command.split_first().ok_or_else(|| Failure::new(Exit::Usage, "No command given"))?;
    let end = workspace.run(Command { program, arguments: rest, dir: &folder })?;
    for sentence in &end.said {
        context.terminal.say(&format!("takeback: {sentence}"));
    }
    Ok(Exit::Of(end.status))
}
