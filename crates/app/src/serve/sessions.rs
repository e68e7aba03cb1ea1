//! Opening, attaching and leaving sessions.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use agents::{Event, EventKind, StartSource};
use model::SessionId;
use serde_json::{Value, json};
use takeback::{OpenedSession, SessionView, WorkspaceError};

use super::call::Call;
use super::fault::{Code, Fault};
use super::server::{Session, lock};
use super::{events, watch};
use crate::wire::{self, shown_path};

/// `session/open`
pub(super) fn open(call: &Call<'_>) -> Result<String, Fault> {
    let (agent, native) = (call.parameters.needed("agent"), call.parameters.needed("id"));
    if agent.is_empty() || native.is_empty() {
        return Err(Fault::new(Code::InvalidParameters, "`agent` and `id` must not be empty"));
    }
    root(call)?;
    let opening = lock(&call.server.opening);
    if let Some(session) = call.server.opened(agent, native) {
        session.add_owner(call.client.id, call.client.outbox.clone());
        return Ok(take(call, &session, Vec::new(), true));
    }
    let mut opened = call.server.takeback.open_session(&start(call, agent, native))?;
    opened.said.extend(without_parent(call, &opened)?);
    let workspace = call.server.share(opened.workspace);
    let session = call.server.hold(workspace, opened.id, agent, native);
    session.add_owner(call.client.id, call.client.outbox.clone());
    drop(opening);
    call.server.pulse.beat();
    Ok(take(call, &session, opened.said, false))
}

/// `session/attach`
pub(super) fn attach(call: &Call<'_>) -> Result<String, Fault> {
    let workspace = call.server.share(call.server.takeback.known_workspace_at(root(call)?).map_err(unusable)?);
    let sessions = workspace.sessions().map_err(|error| Fault::not_done(&error))?;
    let Some(found) = find(&sessions, call.parameters.text("id")) else {
        return Err(Fault::new(Code::UnknownSession, "No such session has been recorded there"));
    };
    let session = call.server.hold(workspace, found.id, &found.agent, &found.native);
    Ok(take(call, &session, Vec::new(), true))
}

/// `session/end`
pub(super) fn end(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let opening = lock(&call.server.opening);
    let said = match session.is_owned_only_by(call.client.id) {
        true => events::record(call, &session, "SessionEnd", &[])?,
        false => Vec::new(),
    };
    session.remove_owner(call.client.id);
    drop(opening);
    watch::forget_session(call.server, call.client.id, &session);
    call.client.let_go(&session);
    Ok(json!({"said": said}).to_string())
}

/// `sessions`
pub(super) fn list(call: &Call<'_>) -> Result<String, Fault> {
    let workspace = call.server.takeback.known_workspace_at(root(call)?).map_err(unusable)?;
    Ok(wire::sessions(&workspace.sessions().map_err(|error| Fault::not_done(&error))?))
}

/// The folder that was given. What a relative one would be meant from, nobody could say.
fn root<'a>(call: &'a Call<'_>) -> Result<&'a Path, Fault> {
    let given = call.parameters.needed("root");
    let root = Some(Path::new(given)).filter(|root| root.is_absolute());
    root.ok_or_else(|| Fault::new(Code::InvalidParameters, format!("`root` must be absolute: `{given}`")))
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

/// What there is to say if the session was to branch off another one and does not.
fn without_parent(call: &Call<'_>, opened: &OpenedSession) -> Result<Option<String>, Fault> {
    let Some(parent) = call.parameters.text("parent") else { return Ok(None) };
    let sessions = opened.workspace.sessions().map_err(|error| Fault::not_done(&error))?;
    let has_one = sessions.iter().any(|session| session.id == opened.id && session.parent.is_some());
    Ok((!has_one).then(|| format!("`{parent}` is not known here: this session inherits nothing")))
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
