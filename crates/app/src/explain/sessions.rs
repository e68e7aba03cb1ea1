//! The sessions of a workspace in words.

use takeback::{SessionView, now_ns};

use super::{ago, count};
use crate::terminal::{Style, Terminal};

/// Lists sessions, the oldest first.
pub(crate) fn sessions(terminal: &Terminal, sessions: &[SessionView]) {
    let now_ns = now_ns();
    let rows: Vec<[String; 4]> = sessions.iter().map(|session| row(terminal, session, now_ns)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2)];
    let line = |[id, turns, active, name]: &[String; 4]| {
        let id = terminal.styled(Style::Strong, &format!("{id:<0$}", widths[0]));
        let active = terminal.styled(Style::Faint, &format!("{active:<0$}", widths[2]));
        format!("{id}  {turns:>0$}  {active}  {name}\n", widths[1])
    };
    let text: String = rows.iter().map(line).collect();
    terminal.print(if text.is_empty() { "No session has been recorded yet\n" } else { &text });
}

fn row(terminal: &Terminal, session: &SessionView, now_ns: i64) -> [String; 4] {
    let parent = session.parent.map(|parent| format!("  (from {parent})")).unwrap_or_default();
    let end = if session.has_ended { "  (left)" } else { "" };
    [
        session.id.to_string(),
        count(session.turns, "turn"),
        ago(now_ns, session.active_ns),
        format!("{}  {}{parent}{end}", terminal.name(&session.agent), terminal.name(&session.native)),
    ]
}
