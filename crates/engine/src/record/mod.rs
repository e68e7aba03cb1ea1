//! What each event means for the record: which barrier it is, which rows it adds. One file per kind of event.

mod message;
mod session;
mod subagent;
mod tool;
mod turn;

use agents::{Event, EventKind};
use model::SessionId;

use crate::error::RecordError;
use crate::recording::Recording;
use crate::workspace::Workspace;

/// What is to be told after an event was recorded: sentences for the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// Warnings and troubles; empty when there is nothing to say.
    pub said: Vec<String>,
}

/// Records one event in its workspace.
pub(crate) fn record(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    let received = match &event.kind {
        EventKind::SessionStart { source, parent } => session::start(workspace, event, *source, parent.as_deref()),
        EventKind::SessionEnd => session::end(workspace, event),
        EventKind::Prompt { text, id } => turn::prompt(workspace, event, text, id.as_deref()),
        EventKind::Stop { status, background_tasks } => {
            turn::stop(workspace, event, turn::Stopped { status: *status, background_tasks: *background_tasks })
        }
        EventKind::Interrupt => turn::stop(workspace, event, turn::Stopped::INTERRUPTED),
        EventKind::BeforeTool(call) => tool::before(workspace, event, call),
        EventKind::AfterTool { call, response } => tool::after(workspace, event, call, response),
        EventKind::PermissionRequest(tool) => tool::permission_asked(workspace, event, tool),
        EventKind::PermissionDenied(tool) => tool::denied(workspace, event, tool),
        EventKind::SubagentStart { id, parent } => subagent::start(workspace, event, id, parent.as_deref()),
        EventKind::SubagentStop { id } => subagent::stop(workspace, event, id),
        EventKind::PreCompact
        | EventKind::PostCompact { .. }
        | EventKind::Message { .. }
        | EventKind::Command { .. }
        | EventKind::ConversationMoved
        | EventKind::Unknown => message::keep(workspace, event),
    }?;
    Ok(received)
}

/// The row of the event's session, made if it is new.
pub(crate) fn session_of(recording: &mut Recording<'_>, event: &Event) -> Result<SessionId, RecordError> {
    session::ensure(&mut recording.writer, event)
}

/// One sentence per path that could not be covered this time.
pub(crate) fn sentences(gaps: &[model::Gap]) -> Vec<String> {
    const SENTENCES_MAX: usize = 5;
    let mut said: Vec<String> = gaps
        .iter()
        .take(SENTENCES_MAX)
        .map(|gap| format!("Not recorded: `{}` ({})", gap.path, gap.reason.code()))
        .collect();
    if gaps.len() > SENTENCES_MAX {
        said.push(format!("… and {} more paths", gaps.len() - SENTENCES_MAX));
    }
    said
}
