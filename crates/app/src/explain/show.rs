//! One turn, step, operation or checkpoint in words.

use std::path::Path;

use model::{Coverage, TurnState};
use takeback::{
    CheckpointDetail, FileChange, NamedEffect, OperationDetail, OperationState, Shown, StepDetail, StepExit,
    TurnDetail, now_ns,
};

use super::change::{change_line, effect_lines, gap_lines, section};
use super::{ago, below, count, duration, first_line};
use crate::terminal::{Style, Terminal};
use crate::wire;

/// More lines of one kind than this are summed up.
const LINES_MAX: usize = 200;
/// What a step did takes at most this many columns.
const SUMMARY_COLUMNS_MAX: usize = 60;

/// Shows one thing in full.
pub(crate) fn show(terminal: &Terminal, root: &Path, shown: &Shown) {
    terminal.print(&match shown {
        Shown::Turn(detail) => turn(terminal, root, detail),
        Shown::Step(detail) => step(terminal, detail),
        Shown::Operation(detail) => operation(terminal, detail),
        Shown::Checkpoint(detail) => checkpoint(terminal, detail),
    });
}

fn turn(terminal: &Terminal, root: &Path, turn: &TurnDetail) -> String {
    let status = turn.status.code();
    let state = if turn.state == TurnState::Live { String::new() } else { format!(", {}", turn.state.code()) };
    let mut text = heading(terminal, &turn.id.to_string(), &format!("{status}{state}"));
    let agent = format!("{} {}", terminal.name(&turn.agent), terminal.name(&turn.native_session));
    text.push_str(&row("session", &format!("{}  {agent}", turn.session)));
    text.push_str(&row("began", &when(turn.started_ns, turn.ended_ns)));
    let before_and_after = match turn.closed_at {
        Some(closed_at) => format!("{} before, {closed_at} after", turn.opened_at),
        None => format!("{} before", turn.opened_at),
    };
    text.push_str(&row("states", &before_and_after));
    text.push_str(&row("recorded", coverage(turn.coverage)));
    if let Some(prompt) = &turn.prompt {
        text.push_str(&block(terminal, prompt));
    }
    for one in &turn.steps {
        text.push('\n');
        text.push_str(&step_in_turn(terminal, root, one));
    }
    let gaps = gap_lines(terminal, &turn.gaps);
    let effects: Vec<NamedEffect> = turn.steps.iter().flat_map(|step| step.effects.iter().cloned()).collect();
    let tail = section("Not covered:", gaps, LINES_MAX)
        + &section("Beyond the workspace:", effect_lines(terminal, &effects), LINES_MAX);
    if !tail.is_empty() {
        text.push('\n');
    }
    text + &tail
}

fn step_in_turn(terminal: &Terminal, root: &Path, step: &StepDetail) -> String {
    let agent = step.agent_id.as_deref().map(|agent| format!("[{}] ", terminal.name(agent))).unwrap_or_default();
    let failed = if step.exit == StepExit::Failed { terminal.styled(Style::Bad, "  failed") } else { String::new() };
    let running = if step.is_running { terminal.styled(Style::Warning, "  running") } else { String::new() };
    let id = terminal.styled(Style::Strong, &step.id.to_string());
    let first = first_line(&below(&step.summary, root), SUMMARY_COLUMNS_MAX);
    let head = format!("{id}  {agent}{}  {}{failed}{running}", terminal.name(&step.tool), terminal.name(&first));
    let below = files(terminal, &step.files);
    if below.is_empty() { format!("{head}\n") } else { section(&head, below, LINES_MAX) }
}

fn step(terminal: &Terminal, step: &StepDetail) -> String {
    let exit = match (step.is_running, step.exit) {
        (true, _) => "running",
        (false, StepExit::Ok) => "ended well",
        (false, StepExit::Failed) => "failed",
        (false, StepExit::Unknown) => "it is not known how it ended",
    };
    let mut text = heading(terminal, &step.id.to_string(), exit);
    text.push_str(&row("session", &step.session.to_string()));
    if let Some(agent) = &step.agent_id {
        text.push_str(&row("subagent", &terminal.name(agent)));
    }
    text.push_str(&row("tool", &terminal.name(&step.tool)));
    text.push_str(&row("began", &when(step.started_ns, step.ended_ns)));
    text.push_str(&block(terminal, step.command.as_deref().unwrap_or(&step.summary)));
    text.push_str(&changed("Changed:", terminal, &step.files));
    text.push_str(&section("Not covered:", gap_lines(terminal, &step.gaps), LINES_MAX));
    text + &section("Beyond the workspace:", effect_lines(terminal, &step.effects), LINES_MAX)
}

fn operation(terminal: &Terminal, operation: &OperationDetail) -> String {
    let state = match operation.state {
        OperationState::Open => "under way",
        OperationState::Committed => "done",
        OperationState::Compensated => "failed and was taken back",
        OperationState::Stuck => "interrupted and not taken back completely",
    };
    let mut text = heading(terminal, &operation.id.to_string(), &format!("{}, {state}", operation.verb.code()));
    if !operation.turns.is_empty() {
        let turns: Vec<String> = operation.turns.iter().map(ToString::to_string).collect();
        text.push_str(&row("turns", &turns.join(" ")));
    }
    if !operation.redoes.is_empty() {
        let redoes: Vec<String> = operation.redoes.iter().map(ToString::to_string).collect();
        text.push_str(&row("redoes", &redoes.join(" ")));
    }
    if let Some(by) = operation.redone_by {
        text.push_str(&row("redone by", &by.to_string()));
    }
    text.push_str(&row("began", &when(operation.started_ns, operation.ended_ns)));
    text.push_str(&row("before it", &format!("{0}; `takeback restore {0}` returns there", operation.rescue)));
    text.push('\n');
    text + &changed("Changed:", terminal, &operation.files)
}

fn checkpoint(terminal: &Terminal, checkpoint: &CheckpointDetail) -> String {
    let name = checkpoint.name.as_deref().map(|name| format!("`{}`, ", terminal.name(name))).unwrap_or_default();
    let mut text =
        heading(terminal, &checkpoint.id.to_string(), &format!("{name}{}", terminal.name(&checkpoint.event)));
    text.push_str(&row("taken", &when(checkpoint.at_ns, None)));
    let at = [checkpoint.session.map(|id| id.to_string()), checkpoint.turn.map(|id| id.to_string())];
    let at: Vec<String> = at.into_iter().flatten().chain(checkpoint.step.map(|id| id.to_string())).collect();
    if !at.is_empty() {
        text.push_str(&row("in", &at.join(" ")));
    }
    text.push('\n');
    text + &changed("Changed since, as far as it was seen:", terminal, &checkpoint.since)
}

fn heading(terminal: &Terminal, id: &str, words: &str) -> String {
    format!("{}  {words}\n", terminal.styled(Style::Strong, id))
}

fn row(label: &str, words: &str) -> String {
    format!("  {label:<9} {words}\n")
}

/// A text in full, set off from what is around it.
fn block(terminal: &Terminal, text: &str) -> String {
    let lines = text.trim_end().lines().map(|line| format!("    {}\n", terminal.line(line)));
    format!("\n{}\n", lines.collect::<String>())
}

fn when(started_ns: i64, ended_ns: Option<i64>) -> String {
    let took = ended_ns.map(|ended_ns| format!(", took {}", duration(ended_ns - started_ns))).unwrap_or_default();
    format!("{} ({}){took}", ago(now_ns(), started_ns), wire::time(started_ns))
}

fn coverage(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Complete => "completely",
        Coverage::Partial => "in part: something could not be recorded",
        Coverage::None => "not at all",
    }
}

fn files(terminal: &Terminal, changes: &[FileChange]) -> Vec<String> {
    changes.iter().map(|change| change_line(terminal, change)).collect()
}

fn changed(heading: &str, terminal: &Terminal, changes: &[FileChange]) -> String {
    match changes {
        [] => "No file changed\n".to_owned(),
        changes => {
            let heading = format!("{heading} {}", count(changes.len(), "path"));
            section(&heading, files(terminal, changes), LINES_MAX)
        }
    }
}
