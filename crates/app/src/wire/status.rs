//! `takeback.status/1` and `takeback.checkpoint/1`: how a workspace stands, and a place to return to.

use std::os::unix::ffi::OsStrExt;

use model::CheckpointId;
use serde::Serialize;
use takeback::StatusView;

use super::doctor::coverage;
use super::{WirePath, texts};

#[derive(Debug, Serialize)]
struct WireStatus {
    schema: &'static str,
    root: WirePath,
    coverage: &'static str,
    entries: usize,
    sessions: usize,
    turns: usize,
    undoable: Vec<String>,
    redoable: Vec<String>,
    running: Vec<String>,
    stuck: Vec<String>,
    stored_bytes: u64,
}

#[derive(Debug, Serialize)]
struct WireCheckpoint<'a> {
    schema: &'static str,
    id: String,
    name: Option<&'a str>,
}

/// The object of a status, as one line.
pub(crate) fn status(status: &StatusView) -> String {
    super::line(&WireStatus {
        schema: "takeback.status/1",
        root: WirePath::new(status.root.as_os_str().as_bytes()),
        coverage: coverage(status.coverage),
        entries: status.entries,
        sessions: status.sessions,
        turns: status.turns,
        undoable: texts(&status.undoable),
        redoable: texts(&status.redoable),
        running: texts(&status.running),
        stuck: texts(&status.stuck),
        stored_bytes: status.stored_bytes,
    })
}

/// The object of a new checkpoint, as one line.
pub(crate) fn checkpoint(id: CheckpointId, name: Option<&str>) -> String {
    super::line(&WireCheckpoint { schema: "takeback.checkpoint/1", id: id.to_string(), name })
}
