//! `hook AGENT`: one event from standard input. A hook never breaks the agent: whatever happens, it says so on standard
//! error and ends with 0.

use std::io::Read;

use model::limits::EVENT_SIZE_BYTES_MAX;

use super::{Context, Exit, Failure};
use crate::arguments::HookArguments;
use crate::explain;

/// Records one event.
pub(crate) fn run(context: &Context<'_>, arguments: &HookArguments) -> Exit {
    match receive(context, &arguments.agent) {
        Ok(said) => said.iter().for_each(|sentence| context.terminal.say(&format!("takeback: {sentence}"))),
        Err(failure) => context.terminal.say(&format!("takeback: {}", failure.message)),
    }
    Exit::Done
}

/// Makes the first capture of a workspace; started by a hook, detached from everything.
pub(crate) fn first_capture(context: &Context<'_>) -> Result<Exit, Failure> {
    context.takeback.make_first_capture(&context.folder())?;
    Ok(Exit::Done)
}

fn receive(context: &Context<'_>, agent: &str) -> Result<Vec<String>, Failure> {
    let mut payload = Vec::new();
    let mut input = std::io::stdin().lock().take(EVENT_SIZE_BYTES_MAX + 1);
    input.read_to_end(&mut payload)?;
    if payload.len() as u64 > EVENT_SIZE_BYTES_MAX {
        return Err(Failure::new(Exit::Failed, "The event is too large, nothing was recorded"));
    }
    let received = context
        .takeback
        .receive(agent, &payload)
        .map_err(|error| Failure::new(Exit::Failed, explain::chain(&error)))?;
    Ok(received.said)
}
