//! A report in words: what was done, what was left alone and why, what could not be undone, and the next safe step.

use model::{Action, Evidence, FileResult, Outcome, Verb};
use takeback::{ConversationResult, FileReport, NamedEffect, NamedGap, Report, Trouble};

use super::{count, reason};
use crate::terminal::{Style, Terminal, harmless};

/// More lines of one kind than this are summed up.
const LINES_MAX: usize = 40;

/// Says what became of an order.
pub(crate) fn report(terminal: &Terminal, report: &Report) {
    let mut text = headline(terminal, report);
    let (moved, left): (Vec<_>, Vec<_>) = report.files.iter().partition(|file| is_moved(file));
    section(&mut text, moved.iter().map(|file| moved_line(terminal, file)).collect());
    if !left.is_empty() {
        text.push_str("Left alone:\n");
        section(&mut text, left.iter().map(|file| left_line(terminal, file)).collect());
    }
    if !report.gaps.is_empty() {
        text.push_str("Not covered:\n");
        section(&mut text, report.gaps.iter().map(|gap| gap_line(terminal, gap)).collect());
    }
    if !report.effects.is_empty() {
        text.push_str("Not undone, since it left the workspace:\n");
        section(&mut text, report.effects.iter().map(|effect| effect_line(terminal, effect)).collect());
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
                "The agent is still running ({}); nothing was changed, stop it first or add `--even-if-busy`",
                steps.join(", ")
            )
        }
        Trouble::InsideStep { what } => format!(
            "`{what}` is not allowed from inside an agent's own step; nothing was changed, a person may do it in a terminal"
        ),
        Trouble::Locked { holder } => format!("{holder}; nothing was changed, try again"),
        Trouble::Drift { paths } => {
            let first: Vec<String> = paths.iter().take(3).map(|path| format!("`{}`", harmless(&path.to_string()))).collect();
            format!("The workspace has changed since the preview ({}); nothing was changed, look again", first.join(", "))
        }
        Trouble::NotPerformed { message } => format!("{message}; what had been done was taken back"),
        Trouble::NeedsRecovery { message } => {
            format!("{message}; recovery is needed, run `takeback status` and then the same command again")
        }
    }
}

fn headline(terminal: &Terminal, report: &Report) -> String {
    let files = report.files.iter().filter(|file| is_moved(file)).count();
    let turns = report.turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let about = if turns.is_empty() { String::new() } else { format!(" of {turns}") };
    let operation = report.operation.map(|id| format!(" ({id})")).unwrap_or_default();
    let (style, text) = match report.outcome {
        Outcome::Preview => (Style::Strong, format!("Would {} {}{about}", verb(report.verb), count(files, "path"))),
        Outcome::Done => (Style::Good, format!("{} {}{about}{operation}", done(report.verb), count(files, "path"))),
        Outcome::Nothing => (Style::Strong, format!("Nothing to {}", verb(report.verb))),
        Outcome::Conflict => (Style::Warning, format!("Nothing was changed: conflicts in what would {}", verb(report.verb))),
        Outcome::Refused => (Style::Warning, "Refused, nothing was changed".to_owned()),
        Outcome::Partial => (Style::Bad, format!("Not finished{operation}")),
        Outcome::Failed => (Style::Bad, "Failed, nothing was changed".to_owned()),
    };
    let why = report.trouble.as_ref().map(|why| format!("{}\n", trouble(why))).unwrap_or_default();
    format!("{}\n{why}", terminal.styled(style, &text))
}

fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Undo => "undo",
        Verb::Redo => "redo",
        Verb::Rewind => "rewind",
        Verb::Revert => "revert",
        Verb::Restore => "restore",
    }
}

fn done(verb: Verb) -> &'static str {
    match verb {
        Verb::Undo => "Undone:",
        Verb::Redo => "Redone:",
        Verb::Rewind => "Rewound:",
        Verb::Revert => "Reverted:",
        Verb::Restore => "Restored:",
    }
}

fn section(text: &mut String, lines: Vec<String>) {
    let more = lines.len().saturating_sub(LINES_MAX);
    for line in lines.into_iter().take(LINES_MAX) {
        text.push_str("  ");
        text.push_str(&line);
        text.push('\n');
    }
    if more > 0 {
        text.push_str(&format!("  … and {more} more (`--json` lists all)\n"));
    }
}

fn is_moved(file: &FileReport) -> bool {
    matches!(file.result, FileResult::Done | FileResult::Planned)
        || (file.result == FileResult::Skipped && file.action != Action::None)
}

fn moved_line(terminal: &Terminal, file: &FileReport) -> String {
    let (sign, style) = match file.action {
        Action::Create => ("+", Style::Good),
        Action::Delete => ("-", Style::Bad),
        Action::Write => ("~", Style::Warning),
        Action::Mode => ("m", Style::Warning),
        Action::Link => ("l", Style::Warning),
        Action::Dir => ("d", Style::Faint),
        Action::None => (" ", Style::Faint),
    };
    let note = file.reason.map(|why| format!("  ({})", reason(why))).unwrap_or_default();
    let doubt = match file.evidence {
        Evidence::Exact | Evidence::Window => String::new(),
        Evidence::Late | Evidence::Contested => {
            terminal.styled(Style::Faint, &format!("  [{} evidence]", file.evidence.code()))
        }
    };
    format!("{} {}{note}{doubt}", terminal.styled(style, sign), terminal.name(&file.path.to_string()))
}

fn left_line(terminal: &Terminal, file: &FileReport) -> String {
    let style = if file.result == FileResult::Conflict { Style::Bad } else { Style::Faint };
    let why = file.reason.map(reason).unwrap_or_default();
    format!("{}  {}: {why}", terminal.name(&file.path.to_string()), terminal.styled(style, file.result.code()))
}

fn gap_line(terminal: &Terminal, gap: &NamedGap) -> String {
    format!("{}: {}", terminal.name(&String::from_utf8_lossy(&gap.path)), reason(gap.reason))
}

fn effect_line(terminal: &Terminal, effect: &NamedEffect) -> String {
    let step = effect.step.map(|step| format!("{step} ")).unwrap_or_default();
    format!("{step}{}  ({})", terminal.name(&effect.summary), effect.class.code())
}

/// The next safe step.
fn advice(report: &Report) -> Vec<String> {
    let mut advice = Vec::new();
    match report.outcome {
        Outcome::Done if report.verb != Verb::Redo && report.operation.is_some() => {
            advice.push("`takeback redo` brings it again".to_owned());
        }
        Outcome::Conflict => advice.push(
            "Choose with `--on-conflict keep` (leave those paths), `take` (write the old state) or `merge` (conflict markers)"
                .to_owned(),
        ),
        _ => {}
    }
    if report.conversation.result == ConversationResult::NoBoundary && report.outcome == Outcome::Done {
        advice.push("The conversation was left as it is: it is not known where these turns begin in it".to_owned());
    }
    advice
}
