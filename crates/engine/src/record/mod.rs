//! What each event means for the record: which barrier it is, which rows it adds. One file per kind of event.

mod message;
mod session;
mod subagent;
mod tool;
mod turn;

pub(crate) use session::settle;

use agents::{Event, EventKind};
use model::SessionId;

use crate::driven;
use crate::error::RecordError;
use crate::recording::Recording;
use crate::workspace::Workspace;

/// What is to be told after an event was recorded: sentences for the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Received {
    /// Warnings and troubles; empty when there is nothing to say.
    pub said: Vec<String>,
    /// What the model of the agent is to be told along with the prompt, if the agent's hook can carry it.
    pub tell: Option<String>,
}

impl Received {
    /// There is only something for the user.
    pub(crate) fn saying(said: Vec<String>) -> Self {
        Self { said, tell: None }
    }
}

/// Records one event in its workspace.
///
/// The conversation of an agent that keeps it itself is followed first, where it may have gone on.
pub(crate) fn record(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    let mut followed = follow(workspace, event)?;
    let mut received = enter(workspace, event)?;
    if matches!(event.kind, EventKind::SessionStart { .. }) {
        followed.extend(follow(workspace, event)?);
    }
    received.said.extend(followed);
    Ok(received)
}

fn follow(workspace: &Workspace, event: &Event) -> Result<Vec<String>, RecordError> {
    let may_have_gone_on = matches!(
        event.kind,
        EventKind::SessionStart { .. }
            | EventKind::SessionEnd
            | EventKind::Prompt { .. }
            | EventKind::Stop { .. }
            | EventKind::Interrupt
            | EventKind::Command { .. }
            | EventKind::ConversationMoved
    );
    if !may_have_gone_on || !driven::is_driven(&event.agent) {
        return Ok(Vec::new());
    }
    let reader = workspace.store.read()?;
    let known = reader.session_by_native(&event.agent, &event.session)?;
    let Some(session) = known else { return Ok(Vec::new()) };
    let is_new = driven::is_seat_new(&reader, &session, event)?;
    drop(reader);
    if is_new {
        workspace.note("seat", |writer| Ok(driven::note_seat(writer, session.id, event)?))?;
    }
    Ok(driven::follow(workspace, session.id, driven::Look::IfGrown)?.said)
}

fn enter(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    match &event.kind {
        EventKind::SessionStart { source, parent } => session::start(workspace, event, *source, parent.as_deref()),
        EventKind::SessionEnd => session::end(workspace, event),
        EventKind::Prompt { text, id, content } => {
            turn::prompt(workspace, event, &turn::Prompt { id: id.as_deref(), text, content: content.as_deref() })
        }
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
    }
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
