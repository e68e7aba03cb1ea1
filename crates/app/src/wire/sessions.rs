//! `takeback.sessions/1`: the sessions of a workspace.

use serde::Serialize;
use takeback::SessionView;

use super::time;

#[derive(Debug, Serialize)]
struct WireSessions {
    schema: &'static str,
    sessions: Vec<WireSession>,
}

#[derive(Debug, Serialize)]
struct WireSession {
    id: String,
    agent: String,
    native: String,
    parent: Option<String>,
    turns: usize,
    started: String,
    active: String,
    ended: bool,
}

/// The object of the sessions, as one line.
pub(crate) fn sessions(sessions: &[SessionView]) -> String {
    super::line(&WireSessions { schema: "takeback.sessions/1", sessions: sessions.iter().map(session).collect() })
}

fn session(session: &SessionView) -> WireSession {
    WireSession {
        id: session.id.to_string(),
        agent: session.agent.clone(),
        native: session.native.clone(),
        parent: session.parent.map(|id| id.to_string()),
        turns: session.turns,
        started: time(session.started_ns),
        active: time(session.active_ns),
        ended: session.has_ended,
    }
}
