//! The log in words: turns, their steps, and what each changed.

use std::path::Path;

use model::{TurnState, TurnStatus};
use takeback::{PathChange, StepView, TurnView, now_ns};

use super::change::{path_name, sign};
use super::{ago, below, first_line};
use crate::terminal::{Style, Terminal};

/// More paths of one step than this are summed up.
const PATHS_MAX: usize = 12;
/// A line is meant to fit into this many columns.
const COLUMNS: usize = 80;
/// A prompt, or what a step did, takes at most this many columns.
const PROMPT_COLUMNS_MAX: usize = 56;

/// Lists turns, the oldest first.
pub(crate) fn log(terminal: &Terminal, root: &Path, turns: &[TurnView]) {
    let sheet = Sheet::for_turns(terminal, root, turns);
    let text: String = turns.iter().map(|view| sheet.turn(view)).collect();
    terminal.print(if text.is_empty() { "No turn has been recorded yet\n" } else { &text });
}

/// Columns that hold the widest of each.
struct Sheet<'a> {
    terminal: &'a Terminal,
    root: &'a Path,
    now_ns: i64,
    id_columns: usize,
    ago_columns: usize,
}

impl<'a> Sheet<'a> {
    fn for_turns(terminal: &'a Terminal, root: &'a Path, turns: &[TurnView]) -> Self {
        let now_ns = now_ns();
        let widest = |width: &dyn Fn(&TurnView) -> usize| turns.iter().map(width).max().unwrap_or(0);
        Self {
            terminal,
            root,
            now_ns,
            id_columns: widest(&|turn| turn.id.to_string().len()),
            ago_columns: widest(&|turn| ago(now_ns, turn.started_ns).len()),
        }
    }

    fn turn(&self, view: &TurnView) -> String {
        let terminal = self.terminal;
        let id = terminal.styled(Style::Strong, &format!("{:<1$}", view.id.to_string(), self.id_columns));
        let ago =
            terminal.styled(Style::Faint, &format!("{:<1$}", ago(self.now_ns, view.started_ns), self.ago_columns));
        let prompt = view.prompt.as_deref().map(|prompt| first_line(prompt, PROMPT_COLUMNS_MAX));
        let prompt =
            prompt.map_or_else(|| terminal.styled(Style::Faint, "(no prompt)"), |prompt| terminal.name(&prompt));
        let mut text = format!("{id}  {ago}  {prompt}{}\n", marks(terminal, view));
        if !view.outside.is_empty() {
            text.push_str(&self.files("by others", &view.outside));
        }
        for step in &view.steps {
            text.push_str(&self.step(step));
        }
        text
    }

    fn step(&self, view: &StepView) -> String {
        let terminal = self.terminal;
        let agent = view.agent_id.as_deref().map(|agent| format!("[{}] ", terminal.name(agent))).unwrap_or_default();
        let summary = terminal.name(&first_line(&below(&view.summary, self.root), PROMPT_COLUMNS_MAX));
        let id = view.id.to_string();
        let mut text = self.indented(&format!("{id}  {agent}{}  {summary}", terminal.name(&view.tool)));
        if !view.files.is_empty() {
            text.push_str(&self.files(&" ".repeat(id.len()), &view.files));
        }
        text
    }

    /// Changed paths behind a label, which stands in the first line alone.
    fn files(&self, label: &str, changes: &[PathChange]) -> String {
        let columns_max = COLUMNS.saturating_sub(self.id_columns + label.len() + 4);
        let mut labels = std::iter::once(self.terminal.styled(Style::Faint, label));
        let blank = " ".repeat(label.len());
        let lines = paths(self.terminal, changes, columns_max).into_iter();
        lines
            .map(|line| self.indented(&format!("{}  {line}", labels.next().unwrap_or_else(|| blank.clone()))))
            .collect()
    }

    fn indented(&self, line: &str) -> String {
        format!("{}  {line}\n", " ".repeat(self.id_columns))
    }
}

fn marks(terminal: &Terminal, view: &TurnView) -> String {
    let state = (view.state != TurnState::Live).then(|| view.state.code());
    let status = (view.status != TurnStatus::Completed).then(|| view.status.code());
    let mark = |mark| terminal.styled(Style::Warning, &format!("  [{mark}]"));
    [state, status].into_iter().flatten().map(mark).collect()
}

/// Changed paths with their signs, in as many lines as they need.
fn paths(terminal: &Terminal, changes: &[PathChange], columns_max: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut columns = 0;
    for change in changes.iter().take(PATHS_MAX) {
        let path = path_name(terminal, &change.path, change.action);
        let width = path.chars().count() + 4;
        if columns > 0 && columns + width > columns_max {
            lines.push(String::new());
            columns = 0;
        }
        columns += width;
        if let Some(line) = lines.last_mut() {
            line.push_str(&format!("{} {path}  ", sign(terminal, change.action)));
        }
    }
    if changes.len() > PATHS_MAX {
        lines.push(format!("and {} more", changes.len() - PATHS_MAX));
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}
