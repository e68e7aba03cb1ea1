//! `purge PATH`: removes what a path ever held from the store, for good. There is no way back, so it asks.

use model::WorkspacePath;
use takeback::{PurgePreview, Workspace};

use super::gc::{failure, while_busy};
use super::order::workspace_path;
use super::{Context, Exit, Failure};
use crate::arguments::PurgeArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &PurgeArguments) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let path = workspace_path(context, &workspace, &arguments.path)?;
    if path.is_root() {
        return Err(Failure::new(Exit::Usage, "The whole workspace cannot be purged; name a path in it"));
    }
    let preview = workspace.purge_preview(&path)?;
    if !is_agreed(context, &path, &preview) {
        return Ok(Exit::Refused);
    }
    purge(context, &workspace, arguments, &path, &preview)
}

/// Asks, unless the answer was given already. Without a terminal nobody can be asked.
fn is_agreed(context: &Context<'_>, path: &WorkspacePath, preview: &PurgePreview) -> bool {
    let terminal = context.terminal;
    if context.global.yes {
        return true;
    }
    let message = "Nothing was removed: confirm with `--yes`";
    if terminal.is_json() {
        terminal.print(&wire::purge_not_done(path, preview, "preview", message.to_owned()));
    } else {
        explain::purge_preview(terminal, path, preview);
    }
    if !terminal.can_ask() {
        terminal.say(message);
        return false;
    }
    let is_agreed = terminal.ask("This cannot be taken back. Do it?");
    if !is_agreed {
        terminal.say("Nothing was removed");
    }
    is_agreed
}

fn purge(
    context: &Context<'_>,
    workspace: &Workspace,
    arguments: &PurgeArguments,
    path: &WorkspacePath,
    preview: &PurgePreview,
) -> Result<Exit, Failure> {
    let terminal = context.terminal;
    let purged = match workspace.purge(path, while_busy(arguments.even_if_busy)) {
        Ok(purged) => purged,
        Err(error) => {
            let failure = failure(&error);
            let outcome = match failure.exit {
                Exit::Refused => Some("refused"),
                Exit::Partial => Some("partial"),
                _ => None,
            };
            if let Some(outcome) = outcome.filter(|_| terminal.is_json()) {
                terminal.print(&wire::purge_not_done(path, preview, outcome, failure.message.clone()));
            }
            return Err(failure);
        }
    };
    if terminal.is_json() {
        terminal.print(&wire::purge(path, &purged, preview));
    } else {
        explain::purge(terminal, path, &purged, preview);
    }
    let is_nothing = purged.hashes.is_empty() && purged.events == 0;
    Ok(if is_nothing { Exit::Nothing } else { Exit::Done })
}
