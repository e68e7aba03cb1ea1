//! `takeback.context/1` and `takeback.versions/1`: the conversation.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{HeadId, SessionId};
use serde::Serialize;
use takeback::{ContextView, Forked, PathChange, SaidView, VersionDiff, VersionSide, VersionView};

use super::{WirePath, time};

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
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    content_base64: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireFork {
    schema: &'static str,
    session: String,
    head: String,
    resume: Option<String>,
    native: Option<String>,
    resume_in_chat: Option<String>,
}

#[derive(Debug, Serialize)]
struct WireVersionDiff {
    schema: &'static str,
    common: Option<String>,
    first: WireVersionSide,
    second: WireVersionSide,
}

#[derive(Debug, Serialize)]
struct WireVersionSide {
    head: String,
    entries: Vec<WireEntry>,
    files: Vec<WireVersionFile>,
}

#[derive(Debug, Serialize)]
struct WireVersionFile {
    #[serde(flatten)]
    path: WirePath,
    action: &'static str,
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

impl WireVersionFile {
    fn of(change: &PathChange) -> Self {
        Self { path: WirePath::new(change.path.as_bytes()), action: change.action.code() }
    }
}

/// The object of a context, as one line.
pub(crate) fn context(view: &ContextView) -> String {
    projection("takeback.context/1", view)
}

/// The object of a transcript, as one line.
pub(crate) fn transcript(view: &ContextView) -> String {
    projection("takeback.transcript/1", view)
}

fn projection(schema: &'static str, view: &ContextView) -> String {
    super::line(&WireContext {
        schema,
        session: view.session.to_string(),
        head: view.head.map(|head| head.to_string()),
        staged: view.is_staged,
        entries: view.entries.iter().map(entry).collect(),
    })
}

/// The object of what differs between two versions, as one line.
pub(crate) fn version_diff(versions: (HeadId, HeadId), diff: &VersionDiff) -> String {
    super::line(&WireVersionDiff {
        schema: "takeback.version-diff/1",
        common: diff.common.clone(),
        first: side(versions.0, &diff.first),
        second: side(versions.1, &diff.second),
    })
}

fn side(head: HeadId, side: &VersionSide) -> WireVersionSide {
    WireVersionSide {
        head: head.to_string(),
        entries: side.entries.iter().map(entry).collect(),
        files: side.files.iter().map(WireVersionFile::of).collect(),
    }
}

/// The object of a fork, as one line.
pub(crate) fn fork(forked: &Forked) -> String {
    let at_agent = forked.at_agent.as_ref();
    super::line(&WireFork {
        schema: "takeback.fork/1",
        session: forked.session.to_string(),
        head: forked.head.to_string(),
        resume: at_agent.and_then(|agent| agent.resume.clone()),
        native: at_agent.map(|agent| agent.native.clone()),
        resume_in_chat: at_agent.and_then(|agent| agent.resume_in_chat.clone()),
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

/// What is not UTF-8 is given as bytes.
fn entry(said: &SaidView) -> WireEntry {
    let text = std::str::from_utf8(&said.payload).ok();
    WireEntry {
        id: said.id.clone(),
        role: said.role.clone(),
        kind: said.kind.code(),
        turn: said.turn.map(|turn| turn.to_string()),
        content: text.map(str::to_owned),
        content_base64: text.is_none().then(|| STANDARD.encode(&said.payload)),
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
