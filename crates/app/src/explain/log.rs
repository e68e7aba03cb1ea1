//! The log in words: turns, their steps, and what each changed.

use model::{Action, TurnState, TurnStatus};
use takeback::{PathChange, StepView, TurnView};

use super::count;
use crate::terminal::{Style, Terminal};
use crate::wire;

/// More paths of one step than this are summed up.
const PATHS_MAX: usize = 8;

/// Lists turns, the oldest first.
pub(crate) fn log(terminal: &Terminal, turns: &[TurnView]) {
    let text: String = turns.iter().map(|view| turn(terminal, view)).collect();
    terminal.print(if text.is_empty() { "No turn has been recorded yet\n" } else { &text });
}

fn turn(terminal: &Terminal, view: &TurnView) -> String {
    let prompt = view.prompt.as_deref().unwrap_or("(no prompt)");
    let first_line = prompt.lines().next().unwrap_or_default();
    let mut text = format!(
        "{} {}  {}{}\n",
        terminal.styled(Style::Strong, &view.id.to_string()),
        terminal.name(first_line),
        terminal.styled(Style::Faint, &format!("{} {}", view.session, wire::time(view.started_ns))),
        marks(terminal, view),
    );
    if !view.outside.is_empty() {
        let line = format!("  meanwhile, by others: {}", paths(terminal, &view.outside));
        text.push_str(&terminal.styled(Style::Faint, &line));
        text.push('\n');
    }
    for view in view.steps.iter() {
        text.push_str(&step(terminal, view));
    }
    text
}

fn marks(terminal: &Terminal, view: &TurnView) -> String {
    let mut marks = String::new();
    if view.state != TurnState::Live {
        marks.push_str(&terminal.styled(Style::Warning, &format!("  {}", view.state.code())));
    }
    if view.status != TurnStatus::Completed {
        marks.push_str(&terminal.styled(Style::Warning, &format!("  {}", view.status.code())));
    }
    marks
}

fn step(terminal: &Terminal, view: &StepView) -> String {
    let agent = view.agent_id.as_deref().map(|agent| format!("[{}] ", terminal.name(agent))).unwrap_or_default();
    let files = if view.files.is_empty() { String::new() } else { format!("\n      {}", paths(terminal, &view.files)) };
    format!("  {} {agent}{} {}{files}\n", view.id, view.tool, terminal.name(&view.summary))
}

fn paths(terminal: &Terminal, changes: &[PathChange]) -> String {
    let mut shown: Vec<String> = changes
        .iter()
        .take(PATHS_MAX)
        .map(|change| format!("{}{}", sign(change.action), terminal.name(&change.path.to_string())))
        .collect();
    if changes.len() > PATHS_MAX {
        shown.push(format!("and {}", count(changes.len() - PATHS_MAX, "more path")));
    }
    shown.join("  ")
}

fn sign(action: Action) -> &'static str {
    match action {
        Action::Create => "+",
        Action::Delete => "-",
        Action::Write | Action::Link => "~",
        Action::Mode => "m:",
        Action::Dir => "d:",
        Action::None => "",
    }
}
