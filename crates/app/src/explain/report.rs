//! A report in words: what was done, what was left alone and why, what could not be undone, and the next safe step.

use model::{Action, FileResult, Outcome, Reason, Verb};
use takeback::{AtAgent, ConversationResult, FileReport, NamedContest, NamedDependent, NamedReader, Report, Trouble};

use super::change::{doubt, effect_lines, gap_lines, lines, path_name, section, sign};
use super::{count, first_line, reason};
use crate::terminal::{Style, Terminal, harmless};

/// More lines of one kind than this are summed up.
const LINES_MAX: usize = 40;
/// A prompt takes at most this many columns.
const PROMPT_COLUMNS_MAX: usize = 76;

/// Says what became of an order.
pub(crate) fn report(terminal: &Terminal, report: &Report) {
    let of = |fits: fn(&FileReport) -> bool| report.files.iter().filter(move |file| fits(file));
    let moved: Vec<String> = of(is_moved).map(|file| moved_line(terminal, file)).collect();
    let conflicts = of(is_conflict).map(|file| left_line(terminal, file)).collect();
    let left = of(is_left).map(|file| left_line(terminal, file)).collect();
    let mut text = headline(terminal, report, moved.len()) + "\n";
    if report.outcome == Outcome::Conflict {
        text.push_str(&section("Conflicts:", conflicts, LINES_MAX));
        text.push_str(&section("Would change if it were not for them:", moved, LINES_MAX));
    } else {
        text.push_str(&lines(moved, LINES_MAX));
        text.push_str(&section("Conflicts:", conflicts, LINES_MAX));
    }
    text.push_str(&section("Left alone:", left, LINES_MAX));
    text.push_str(&section("In the way:", dependent_lines(terminal, report), LINES_MAX));
    text.push_str(&section("May have been changed by any of these:", contest_lines(terminal, report), LINES_MAX));
    text.push_str(&section("Was read by later steps:", reader_lines(terminal, report), LINES_MAX));
    if report.outcome != Outcome::Nothing {
        text.push_str(&section("Not covered, so as it is:", gap_lines(terminal, &report.gaps), LINES_MAX));
        let effects = effect_lines(terminal, &report.effects);
        text.push_str(&section("Beyond the workspace, so as it is:", effects, LINES_MAX));
        text.push_str(&section("Taken out of the conversation:", prompt_lines(terminal, report), LINES_MAX));
    }
    terminal.print(&text);
    for sentence in advice(report) {
        terminal.say(&terminal.styled_for_saying(Style::Faint, &sentence));
    }
}

/// Why an order was not carried out.
pub(crate) fn trouble(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Busy { steps } => {
            let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
            format!(
                "The agent is still running ({}); nothing was changed, stop it first (`--stop` asks it to) or add `--even-if-busy`",
                steps.join(", ")
            )
        }
        Trouble::AgentAtWork => {
            "The agent is at work on this session; nothing was changed, stop it first (`--stop` asks it to) or add `--even-if-busy`"
                .to_owned()
        }
        Trouble::InsideStep { what } => format!(
            "`{what}` is not allowed from inside an agent's own step; nothing was changed, a person may do it in a terminal"
        ),
        Trouble::Locked { holder } => format!("{holder}; nothing was changed, try again"),
        Trouble::Drift { paths } => {
            let first: Vec<String> =
                paths.iter().take(3).map(|path| format!("`{}`", harmless(&path.to_string()))).collect();
            format!(
                "The workspace has changed since the preview ({}); nothing was changed, look again",
                first.join(", ")
            )
        }
        Trouble::NotPerformed { message } => format!("{message}; what had been done was taken back"),
        Trouble::NeedsRecovery { message } => {
            format!("{message}; recovery is needed, run `takeback status` and then the same command again")
        }
    }
}

fn headline(terminal: &Terminal, report: &Report, paths: usize) -> String {
    let verbs = verbs(report.verb);
    let operation = report.operation.map(|id| format!(" ({id})")).unwrap_or_default();
    let (style, text) = match report.outcome {
        Outcome::Preview => (Style::Strong, format!("Would {}{}: {}", verbs.0, about(report), count(paths, "path"))),
        Outcome::Done => (Style::Good, format!("{}{}: {}{operation}", verbs.1, about(report), count(paths, "path"))),
        Outcome::Nothing => (Style::Strong, format!("Nothing to {}", verbs.0)),
        Outcome::Conflict => (Style::Warning, format!("Nothing was changed: conflicts in what would {}", verbs.0)),
        Outcome::Refused => (Style::Warning, "Refused, nothing was changed".to_owned()),
        Outcome::Partial => (Style::Bad, format!("Not finished{operation}")),
        Outcome::Failed => (Style::Bad, "Failed, nothing was changed".to_owned()),
    };
    let why = report.trouble.as_ref().map(|why| format!("\n{}", trouble(why))).unwrap_or_default();
    format!("{}{why}", terminal.styled(style, &text))
}

/// The turns an order is about; a long row of them by its ends.
fn about(report: &Report) -> String {
    match report.turns.as_slice() {
        [] => String::new(),
        turns @ [_, _, _, _, ..] => format!(" {} … {} ({} turns)", turns[0], turns[turns.len() - 1], turns.len()),
        turns => turns.iter().map(|turn| format!(" {turn}")).collect(),
    }
}

/// A verb as it is asked for, and when it is done.
fn verbs(verb: Verb) -> (&'static str, &'static str) {
    match verb {
        Verb::Undo => ("undo", "Undone"),
        Verb::Redo => ("redo", "Redone"),
        Verb::Rewind => ("rewind", "Rewound"),
        Verb::Revert => ("revert", "Reverted"),
        Verb::Restore => ("restore", "Restored"),
        Verb::Switch => ("switch", "Switched"),
    }
}

/// It was changed, or would be.
fn is_moved(file: &FileReport) -> bool {
    matches!(file.result, FileResult::Done | FileResult::Planned)
        || (file.result == FileResult::Skipped && file.action != Action::None)
}

fn is_conflict(file: &FileReport) -> bool {
    file.result == FileResult::Conflict
}

fn is_left(file: &FileReport) -> bool {
    !is_moved(file) && !is_conflict(file)
}

fn moved_line(terminal: &Terminal, file: &FileReport) -> String {
    let note = file.reason.map(|why| format!("  ({})", reason(why))).unwrap_or_default();
    let path = path_name(terminal, &file.path, file.action);
    format!("{} {path}{note}{}", sign(terminal, file.action), doubt(terminal, file.evidence))
}

fn left_line(terminal: &Terminal, file: &FileReport) -> String {
    let style = if is_conflict(file) { Style::Bad } else { Style::Faint };
    let why = file.reason.map(reason).unwrap_or("nothing to do");
    format!("{}  {}", terminal.name(&file.path.to_string()), terminal.styled(style, &format!("({why})")))
}

/// Later changes that need what was to go, and whose they are.
fn dependent_lines(terminal: &Terminal, report: &Report) -> Vec<String> {
    let line = |dependent: &NamedDependent| {
        let steps = dependent.steps.iter().map(ToString::to_string);
        let operations = dependent.operations.iter().map(ToString::to_string);
        let whose: Vec<String> = steps.chain(operations).chain(somebody_else(dependent.is_outside)).collect();
        format!("{}  {}", terminal.name(&dependent.path.to_string()), whose.join(", "))
    };
    report.dependents.iter().map(line).collect()
}

fn contest_lines(terminal: &Terminal, report: &Report) -> Vec<String> {
    let line = |contest: &NamedContest| {
        let steps = contest.steps.iter().map(ToString::to_string);
        let whose: Vec<String> = steps.chain(somebody_else(contest.or_outside)).collect();
        format!("{}  {}", terminal.name(&contest.path.to_string()), whose.join(", "))
    };
    report.contested.iter().map(line).collect()
}

fn somebody_else(is_outside: bool) -> Option<String> {
    is_outside.then(|| "you or another program".to_owned())
}

fn reader_lines(terminal: &Terminal, report: &Report) -> Vec<String> {
    let line = |reader: &NamedReader| format!("{}  {}", terminal.name(&reader.path.to_string()), reader.step);
    report.readers.iter().map(line).collect()
}

fn prompt_lines(terminal: &Terminal, report: &Report) -> Vec<String> {
    let prompts = &report.conversation.prompts;
    prompts.iter().map(|prompt| terminal.name(&first_line(prompt, PROMPT_COLUMNS_MAX))).collect()
}

/// The next safe step.
fn advice(report: &Report) -> Vec<String> {
    let mut advice = Vec::new();
    match report.outcome {
        Outcome::Done if report.operation.is_some() => advice.push(match report.verb {
            Verb::Redo => "`takeback undo` takes it back again".to_owned(),
            Verb::Switch => "`takeback versions` lists the versions; switching again leads back".to_owned(),
            Verb::Undo | Verb::Rewind | Verb::Revert | Verb::Restore => "`takeback redo` brings it again".to_owned(),
        }),
        Outcome::Conflict => advice
            .push("`--on-conflict keep` leaves those paths, `take` overwrites them, `merge` writes markers".to_owned()),
        _ => {}
    }
    if report.outcome == Outcome::Conflict
        && report.verb == Verb::Revert
        && report.dependents.iter().any(|dependent| !dependent.steps.is_empty())
    {
        advice.push("`--with-dependents` takes back the steps that are in the way, too".to_owned());
    }
    if !report.contested.is_empty() && report.outcome != Outcome::Refused {
        advice.push("`--include-contested` takes back what several may have changed, too".to_owned());
    }
    if report.outcome == Outcome::Done && report.conversation.result == ConversationResult::NoBoundary {
        advice.push("The conversation stays as it is: it is not known where these turns begin in it".to_owned());
    }
    if report.outcome == Outcome::Done && report.conversation.result == ConversationResult::Done {
        advice.push("The conversation is as it was, too".to_owned());
    }
    if report.conversation.result == ConversationResult::Unsupported {
        advice.push("The conversation stays as it is: the agent keeps it, and it cannot be moved from here".to_owned());
    }
    advice.extend(report.conversation.at_agent.as_ref().map(at_agent).unwrap_or_default());
    let is_outside = |file: &FileReport| is_left(file) && file.reason == Some(Reason::EditedOutside);
    if report.verb == Verb::Restore && report.files.iter().any(is_outside) {
        advice.push("`--include-outside` takes back what others have edited, too".to_owned());
    }
    if let [first, ..] = report.background.as_slice() {
        advice.push(format!("{first} may still run in the background; what it does from now on is not taken back"));
    }
    advice
}

/// How to get the agent to where the conversation stands.
pub(crate) fn at_agent(agent: &AtAgent) -> Vec<String> {
    let mut lines: Vec<String> =
        agent.trouble.iter().map(|trouble| format!("The agent was not moved: {trouble}")).collect();
    match (&agent.resume_in_chat, &agent.resume) {
        (Some(typed), Some(command)) => {
            lines.push(format!("Go on there: type `{typed}` in the agent's chat, or run `{command}`"));
        }
        (None, Some(command)) => lines.push(format!("Go on there: `{command}`")),
        (_, None) => lines.push("The agent's conversation was moved along".to_owned()),
    }
    lines
}
