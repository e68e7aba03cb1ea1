//! What was done to a path, and what a path held: the parts that several objects share.

use model::{Entry, EntryKind};
use serde::Serialize;
use takeback::{FileChange, NamedEffect, NamedGap};

use super::WirePath;

#[derive(Debug, Serialize)]
pub(crate) struct WireFileChange {
    #[serde(flatten)]
    path: WirePath,
    action: &'static str,
    from: Option<WirePath>,
    before: WireEntry,
    after: WireEntry,
    evidence: &'static str,
}

#[derive(Debug, Serialize)]
struct WireEntry {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    size_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<WirePath>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireGap {
    #[serde(flatten)]
    path: WirePath,
    reason: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireEffect {
    step: Option<String>,
    class: &'static str,
    summary: String,
}

pub(crate) fn file_change(change: &FileChange) -> WireFileChange {
    WireFileChange {
        path: WirePath::new(change.path.as_bytes()),
        action: change.action().code(),
        from: change.moved_from.as_ref().map(|from| WirePath::new(from.as_bytes())),
        before: entry(&change.before),
        after: entry(&change.after),
        evidence: change.evidence.code(),
    }
}

pub(crate) fn gap(gap: &NamedGap) -> WireGap {
    WireGap { path: WirePath::new(&gap.path), reason: gap.reason.code() }
}

pub(crate) fn effect(effect: &NamedEffect) -> WireEffect {
    WireEffect {
        step: effect.step.map(|step| step.to_string()),
        class: effect.class.code(),
        summary: effect.summary.clone(),
    }
}

fn entry(entry: &Entry) -> WireEntry {
    let size_bytes = if let Entry::File { size_bytes, .. } = entry { Some(*size_bytes) } else { None };
    let target = if let Entry::Link { target } = entry { Some(WirePath::new(target)) } else { None };
    let is_uncovered = matches!(entry, Entry::Uncovered { .. });
    WireEntry {
        kind: kind(entry.kind()),
        size_bytes,
        mode: entry.mode().map(|mode| format!("{:04o}", mode.bits())),
        target,
        reason: entry.gap().filter(|_| is_uncovered).map(|reason| reason.code()),
    }
}

fn kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Absent => "absent",
        EntryKind::File => "file",
        EntryKind::Link => "link",
        EntryKind::Dir => "dir",
        EntryKind::Special => "special",
    }
}
