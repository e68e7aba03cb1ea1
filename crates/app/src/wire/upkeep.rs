//! `takeback.gc/1` and `takeback.purge/1`: what was removed from the store.

use model::WorkspacePath;
use serde::Serialize;
use takeback::{CleanedUp, PurgePreview, Purged};

use super::WirePath;

#[derive(Debug, Serialize)]
struct WireGc {
    schema: &'static str,
    outcome: &'static str,
    contents_dropped: u64,
    packs_removed: u64,
    packs_left: u64,
    freed_bytes: u64,
    stored_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

#[derive(Debug, Serialize)]
struct WirePurge {
    schema: &'static str,
    outcome: &'static str,
    #[serde(flatten)]
    path: WirePath,
    contents: usize,
    events: u64,
    packs: u64,
    also_at: Vec<WirePath>,
    agent_records: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// The object of a clean-up, as one line.
pub(crate) fn gc(cleaned: &CleanedUp) -> String {
    let done = &cleaned.done;
    super::line(&WireGc {
        schema: "takeback.gc/1",
        outcome: if done.packs_removed == 0 && done.contents_dropped == 0 { "nothing" } else { "done" },
        contents_dropped: done.contents_dropped,
        packs_removed: done.packs_removed,
        packs_left: done.packs_left,
        freed_bytes: done.freed_bytes,
        stored_bytes: Some(cleaned.stored_bytes),
        message: None,
    })
}

/// The object of a clean-up that was not done now.
pub(crate) fn gc_refused(message: String) -> String {
    super::line(&WireGc {
        schema: "takeback.gc/1",
        outcome: "refused",
        contents_dropped: 0,
        packs_removed: 0,
        packs_left: 0,
        freed_bytes: 0,
        stored_bytes: None,
        message: Some(message),
    })
}

/// The object of a purge, as one line.
pub(crate) fn purge(path: &WorkspacePath, purged: &Purged, preview: &PurgePreview) -> String {
    super::line(&WirePurge {
        schema: "takeback.purge/1",
        outcome: if purged.hashes.is_empty() && purged.events == 0 { "nothing" } else { "done" },
        path: WirePath::new(path.as_bytes()),
        contents: purged.hashes.len(),
        events: purged.events,
        packs: purged.packs,
        also_at: paths(&purged.also_at),
        agent_records: records(preview),
        message: None,
    })
}

/// The object of a purge that ended otherwise, with what it would remove.
pub(crate) fn purge_not_done(
    path: &WorkspacePath,
    preview: &PurgePreview,
    outcome: &'static str,
    message: String,
) -> String {
    super::line(&WirePurge {
        schema: "takeback.purge/1",
        outcome,
        path: WirePath::new(path.as_bytes()),
        contents: preview.contents,
        events: 0,
        packs: 0,
        also_at: paths(&preview.also_at),
        agent_records: records(preview),
        message: Some(message),
    })
}

fn records(preview: &PurgePreview) -> Vec<String> {
    preview.agent_records.iter().map(|path| path.display().to_string()).collect()
}

fn paths(paths: &[WorkspacePath]) -> Vec<WirePath> {
    paths.iter().map(|path| WirePath::new(path.as_bytes())).collect()
}
