//! Opening, attaching and leaving sessions.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use agents::{Event, EventKind, StartSource};
use model::SessionId;
use serde_json::{Value, json};
use takeback::{SessionView, WorkspaceError};

use super::call::Call;
use super::events;
use super::fault::{Code, Fault};
use super::server::{Session, lock};
use crate::wire::{self, shown_path};

/// `session/open`
pub(super) fn open(call: &Call<'_>) -> Result<String, Fault> {
    let (agent, native) = (call.parameters.needed("agent"), call.parameters.needed("id"));
    if agent.is_empty() || native.is_empty() {
        return Err(Fault::new(Code::InvalidParameters, "`agent` and `id` must not be empty"));
    }
    let opening = lock(&call.server.opening);
    if let Some(session) = call.server.opened(agent, native) {
        session.add_owner(call.client.id, call.client.outbox.clone());
        return Ok(take(call, &session, Vec::new(), true));
    }
    let opened = call.server.takeback.open_session(&start(call, agent, native))?;
    let workspace = call.server.share(opened.workspace);
    let session = call.server.hold(workspace, opened.id, agent, native);
    session.add_owner(call.client.id, call.client.outbox.clone());
    drop(opening);
    call.server.pulse.beat();
    Ok(take(call, &session, opened.said, false))
}

/// `session/attach`
pub(super) fn attach(call: &Call<'_>) -> Result<String, Fault> {
    let root = Path::new(call.parameters.needed("root"));
    let workspace = call.server.share(call.server.takeback.known_workspace_at(root).map_err(unusable)?);
    let sessions = workspace.sessions().map_err(|error| Fault::not_done(&error))?;
    let Some(found) = find(&sessions, call.parameters.text("id")) else {
        return Err(Fault::new(Code::UnknownSession, "No such session has been recorded there"));
    };
    let session = call.server.hold(workspace, found.id, &found.agent, &found.native);
    Ok(take(call, &session, Vec::new(), true))
}

/// `session/end`
pub(super) fn end(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.own_session()?;
    let said = events::record(call, &session, "SessionEnd", &[])?;
    session.remove_owner(call.client.id);
    call.client.let_go(&session);
    Ok(json!({"said": said}).to_string())
}

/// `sessions`
pub(super) fn list(call: &Call<'_>) -> Result<String, Fault> {
    let root = Path::new(call.parameters.needed("root"));
    let workspace = call.server.takeback.known_workspace_at(root).map_err(unusable)?;
    Ok(wire::sessions(&workspace.sessions().map_err(|error| Fault::not_done(&error))?))
}

fn start(call: &Call<'_>, agent: &str, native: &str) -> Event {
    let parent = call.parameters.text("parent").map(str::to_owned);
    let source = if parent.is_some() { StartSource::Fork } else { StartSource::Startup };
    Event {
        agent: agent.to_owned(),
        name: "SessionStart".to_owned(),
        session: native.to_owned(),
        agent_id: None,
        turn_id: None,
        cwd: call.parameters.text("root").map(str::to_owned),
        kind: EventKind::SessionStart { source, parent },
        transcript: None,
        raw: Value::Object(call.parameters.fields().clone()).to_string(),
    }
}

/// Hands a session to the client.
fn take(call: &Call<'_>, session: &Arc<Session>, said: Vec<String>, joined: bool) -> String {
    call.client.hold(session);
    let root = shown_path(session.workspace.root_path().as_os_str().as_bytes());
    let id = session.id.to_string();
    json!({"session": session.handle, "id": id, "root": root, "joined": joined, "said": said}).to_string()
}

/// The session of a name, by the agent's id or its own; without a name the one that was active last.
fn find<'a>(sessions: &'a [SessionView], name: Option<&str>) -> Option<&'a SessionView> {
    let Some(name) = name else { return sessions.iter().max_by_key(|session| session.active_ns) };
    let own: Option<SessionId> = name.parse().ok();
    let by_native = sessions.iter().rev().find(|session| session.native == name);
    by_native.or_else(|| sessions.iter().find(|session| Some(session.id) == own))
}

fn unusable(error: WorkspaceError) -> Fault {
    Fault::not_done(&error)
}
