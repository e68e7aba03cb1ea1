//! `hook AGENT`: one event from standard input. A hook never breaks the agent: whatever happens, it says so on standard
//! error and ends with 0.

use std::io::Read;

use agents::{Answer, EventKind};
use model::limits::EVENT_SIZE_BYTES_MAX;

use super::{Context, Exit, Failure, chat};
use crate::arguments::HookArguments;
use crate::{environment, explain};

/// Records one event, and prints the answer where the agent waits for one.
pub(crate) fn run(context: &Context<'_>, arguments: &HookArguments) -> Exit {
    if environment::is_asked_by_us() {
        return Exit::Done;
    }
    match receive(context, &arguments.agent) {
        Ok(heard) => {
            heard.said.iter().for_each(|sentence| context.terminal.say(&format!("takeback: {sentence}")));
            if let Some(printed) = heard.printed {
                context.terminal.print(&format!("{printed}\n"));
            }
        }
        Err(failure) => context.terminal.say(&format!("takeback: {}", failure.message)),
    }
    Exit::Done
}

/// What came of an event.
struct Heard {
    /// Sentences for the user.
    said: Vec<String>,
    /// The answer as the agent reads it.
    printed: Option<String>,
}

/// Makes the first capture of a workspace; started by a hook, detached from everything.
pub(crate) fn first_capture(context: &Context<'_>) -> Result<Exit, Failure> {
    context.takeback.make_first_capture(&context.folder())?;
    Ok(Exit::Done)
}

/// Moves an agent that could not be moved while its chat waited for an answer. For the helper alone.
pub(crate) fn move_agent(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    if let Some(session) = context.session(&workspace)? {
        workspace.move_agent(session)?;
    }
    Ok(Exit::Done)
}

fn receive(context: &Context<'_>, agent: &str) -> Result<Heard, Failure> {
    let payload = payload()?;
    let event = agents::translate(agent, &payload)?;
    let received =
        context.takeback.receive_event(&event).map_err(|error| Failure::new(Exit::Failed, explain::chain(&error)))?;
    let answer = match &event.kind {
        EventKind::Command { words } => {
            Some(Answer::Handled { text: chat::answer(&context.environment, &event, words) })
        }
        _ => received.tell.map(|text| Answer::Tell { text }),
    };
    let driver = agents::driver(agent);
    let printed = answer.and_then(|answer| driver?.answer(&event, &answer));
    Ok(Heard { said: received.said, printed })
}

fn payload() -> Result<Vec<u8>, Failure> {
    let mut payload = Vec::new();
    let mut input = std::io::stdin().lock().take(EVENT_SIZE_BYTES_MAX + 1);
    input.read_to_end(&mut payload)?;
    if payload.len() as u64 > EVENT_SIZE_BYTES_MAX {
        return Err(Failure::new(Exit::Failed, "The event is too large, nothing was recorded"));
    }
    Ok(payload)
}
