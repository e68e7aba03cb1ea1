//! `takeback.context/1` and `takeback.versions/1`: the conversation.

use model::SessionId;
use serde::Serialize;
use takeback::{ContextView, Forked, SaidView, VersionView};

use super::time;

#[derive(Debug, Serialize)]
struct WireContext {
    schema: &'static str,
    session: String,
    head: Option<String>,
    staged: bool,
    entries: Vec<WireEntry>,
}

#[derive(Debug, Serialize)]
struct WireEntry {
    id: String,
    role: String,
    kind: &'static str,
    turn: Option<String>,
    content: String,
}

#[derive(Debug, Serialize)]
struct WireFork {
    schema: &'static str,
    session: String,
    head: String,
}

#[derive(Debug, Serialize)]
struct WireVersions {
    schema: &'static str,
    session: String,
    versions: Vec<WireVersion>,
}

#[derive(Debug, Serialize)]
struct WireVersion {
    id: String,
    kind: &'static str,
    parent: Option<String>,
    selected: bool,
    turns: Vec<String>,
    checkpoint: Option<String>,
    made: String,
}

/// The object of a context, as one line.
pub(crate) fn context(view: &ContextView) -> String {
    super::line(&WireContext {
        schema: "takeback.context/1",
        session: view.session.to_string(),
        head: view.head.map(|head| head.to_string()),
        staged: view.is_staged,
        entries: view.entries.iter().map(entry).collect(),
    })
}

/// The object of a fork, as one line.
pub(crate) fn fork(forked: &Forked) -> String {
    super::line(&WireFork {
        schema: "takeback.fork/1",
        session: forked.session.to_string(),
        head: forked.head.to_string(),
    })
}

/// The object of a list of versions, as one line.
pub(crate) fn versions(session: SessionId, versions: &[VersionView]) -> String {
    super::line(&WireVersions {
        schema: "takeback.versions/1",
        session: session.to_string(),
        versions: versions.iter().map(version).collect(),
    })
}

fn entry(said: &SaidView) -> WireEntry {
    WireEntry {
        id: said.id.clone(),
        role: said.role.clone(),
        kind: said.kind.code(),
        turn: said.turn.map(|turn| turn.to_string()),
        content: String::from_utf8_lossy(&said.payload).into_owned(),
    }
}

fn version(view: &VersionView) -> WireVersion {
    WireVersion {
        id: view.id.to_string(),
        kind: view.kind.code(),
        parent: view.parent.map(|head| head.to_string()),
        selected: view.is_selected,
        turns: view.turns.iter().map(ToString::to_string).collect(),
        checkpoint: view.checkpoint.map(|checkpoint| checkpoint.to_string()),
        made: time(view.made_ns),
    }
}
