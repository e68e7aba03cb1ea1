//! How a workspace stands, in words: where it is, what can be taken back, what needs care.

use takeback::{CoverageMode, StatusView};

use super::{count, size};
use crate::terminal::{Style, Terminal};

/// Says how a workspace stands.
pub(crate) fn status(terminal: &Terminal, status: &StatusView) {
    let mut text = terminal.styled(Style::Strong, &terminal.name(&status.root.to_string_lossy()));
    text.push('\n');
    for (label, words) in rows(terminal, status) {
        text.push_str(&format!("  {label:<9} {words}\n"));
    }
    terminal.print(&text);
}

fn rows(terminal: &Terminal, status: &StatusView) -> Vec<(&'static str, String)> {
    let mut rows = vec![("covered", coverage(terminal, status)), ("recorded", recorded(status))];
    if let Some(turn) = status.undoable.first() {
        rows.push(("undo", format!("{turn} is next, of {}", count(status.undoable.len(), "turn"))));
    }
    if let Some(operation) = status.redoable.first() {
        rows.push(("redo", format!("{operation} is next, of {}", count(status.redoable.len(), "operation"))));
    }
    for step in &status.running {
        rows.push(("running", terminal.styled(Style::Warning, &step.to_string())));
    }
    for operation in &status.stuck {
        let words = format!("{operation} was interrupted and is not taken back completely; no content is lost");
        rows.push(("trouble", terminal.styled(Style::Bad, &words)));
    }
    rows
}

fn coverage(terminal: &Terminal, status: &StatusView) -> String {
    match status.coverage {
        CoverageMode::Whole => count(status.entries, "path"),
        CoverageMode::TouchedPaths => {
            let warning =
                "touched-paths mode (home, temp root or very large): changes by shell commands are not recorded";
            format!("{}\n            {}", count(status.entries, "path"), terminal.styled(Style::Warning, warning))
        }
    }
}

fn recorded(status: &StatusView) -> String {
    let turns = count(status.turns, "turn");
    let stored = size(status.stored_bytes);
    format!("{turns} in this session, {} in all, {stored} stored", count(status.sessions, "session"))
}
