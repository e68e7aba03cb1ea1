//! `status`: how the workspace stands.

use serde::Serialize;
use takeback::StatusView;

use super::{Context, Exit, Failure};
use crate::explain::count;
use crate::terminal::Style;
use crate::wire::{self, WirePath};

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

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let session = context.session(&workspace)?;
    let status = workspace.status(session)?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::line(&mirror(&status)));
    } else {
        context.terminal.print(&words(context, &status));
    }
    Ok(if status.stuck.is_empty() { Exit::Done } else { Exit::Partial })
}

fn mirror(status: &StatusView) -> WireStatus {
    fn texts<T: ToString>(ids: &[T]) -> Vec<String> {
        ids.iter().map(ToString::to_string).collect()
    }
    WireStatus {
        schema: "takeback.status/1",
        root: WirePath::new(std::os::unix::ffi::OsStrExt::as_bytes(status.root.as_os_str())),
        coverage: coverage(status),
        entries: status.entries,
        sessions: status.sessions,
        turns: status.turns,
        undoable: texts(&status.undoable),
        redoable: texts(&status.redoable),
        running: texts(&status.running),
        stuck: texts(&status.stuck),
        stored_bytes: status.stored_bytes,
    }
}

fn coverage(status: &StatusView) -> &'static str {
    match status.coverage {
        takeback::CoverageMode::Whole => "whole",
        takeback::CoverageMode::TouchedPaths => "touched-paths",
    }
}

fn words(context: &Context<'_>, status: &StatusView) -> String {
    let terminal = context.terminal;
    let mut lines = vec![
        terminal.styled(Style::Strong, &terminal.name(&status.root.to_string_lossy())),
        format!("{}, {}, {}", count(status.entries, "path"), count(status.sessions, "session"), count(status.turns, "turn")),
    ];
    if status.coverage == takeback::CoverageMode::TouchedPaths {
        lines.push(terminal.styled(
            Style::Warning,
            "Touched-paths mode (home, temp root or very large): changes by shell commands are not recorded",
        ));
    }
    if let Some(turn) = status.undoable.first() {
        lines.push(format!("`takeback undo` would take back {turn}"));
    }
    if let Some(operation) = status.redoable.first() {
        lines.push(format!("`takeback redo` would bring again what {operation} took"));
    }
    for step in &status.running {
        lines.push(terminal.styled(Style::Warning, &format!("{step} is running")));
    }
    for operation in &status.stuck {
        let text = format!("{operation} was interrupted and could not be taken back completely; nothing was lost");
        lines.push(terminal.styled(Style::Bad, &text));
    }
    lines.push(format!("{} stored", size(status.stored_bytes)));
    lines.join("\n") + "\n"
}

/// A size as people read it.
pub(crate) fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    let mut unit = "B";
    let mut value = bytes as f64;
    for next in UNITS {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") }
}
