//! What was done to paths, in signs and words that reports, logs and details share.

use model::{Action, Evidence, WorkspacePath};
use takeback::{FileChange, NamedEffect, NamedGap};

use super::{listed, reason};
use crate::terminal::{Style, Terminal};

/// More paths of one kind than this are summed up.
const NAMES_MAX: usize = 4;

/// The sign of an action, in its colour.
pub(crate) fn sign(terminal: &Terminal, action: Action) -> String {
    let (sign, style) = match action {
        Action::Create => ("+", Style::Good),
        Action::Delete => ("-", Style::Bad),
        Action::Write => ("~", Style::Warning),
        Action::Mode => ("m", Style::Warning),
        Action::Link => ("l", Style::Warning),
        Action::Dir => ("d", Style::Faint),
        Action::None => (" ", Style::Faint),
    };
    terminal.styled(style, sign)
}

/// What to add where it is not certain whose change it was.
pub(crate) fn doubt(terminal: &Terminal, evidence: Evidence) -> String {
    let words = match evidence {
        Evidence::Exact | Evidence::Window => return String::new(),
        Evidence::Late => "seen late: may be somebody else's",
        Evidence::Contested => "several worked at once: may be somebody else's",
    };
    terminal.styled(Style::Faint, &format!("  ({words})"))
}

/// One line for one changed path.
pub(crate) fn change_line(terminal: &Terminal, change: &FileChange) -> String {
    let from = change.moved_from.as_ref().map(|from| format!("{} -> ", terminal.name(&from.to_string())));
    let path = path_name(terminal, &change.path, change.action());
    let doubt = doubt(terminal, change.evidence);
    format!("{} {}{path}{doubt}", sign(terminal, change.action()), from.unwrap_or_default())
}

/// A path as people read it; a folder that comes or goes ends in `/`.
pub(crate) fn path_name(terminal: &Terminal, path: &WorkspacePath, action: Action) -> String {
    let slash = if action == Action::Dir { "/" } else { "" };
    format!("{}{slash}", terminal.name(&path.to_string()))
}

/// What is not covered, one line for each reason.
pub(crate) fn gap_lines(terminal: &Terminal, gaps: &[NamedGap]) -> Vec<String> {
    let mut by_reason: Vec<(model::Reason, Vec<String>)> = Vec::new();
    for gap in gaps {
        let name = terminal.name(&super::shown_path(&gap.path));
        match by_reason.iter_mut().find(|(reason, _)| *reason == gap.reason) {
            Some((_, names)) => names.push(name),
            None => by_reason.push((gap.reason, vec![name])),
        }
    }
    let line = |(why, names): (model::Reason, Vec<String>)| {
        let why = terminal.styled(Style::Faint, &format!("({})", reason(why)));
        format!("{}  {why}", listed(names.into_iter(), NAMES_MAX))
    };
    by_reason.into_iter().map(line).collect()
}

/// What left the workspace, one line for each effect.
pub(crate) fn effect_lines(terminal: &Terminal, effects: &[NamedEffect]) -> Vec<String> {
    let line = |effect: &NamedEffect| {
        let step = effect.step.map(|step| format!("{step}  ")).unwrap_or_default();
        format!("{step}{}  {}", terminal.name(&effect.summary), terminal.styled(Style::Faint, &effect_words(effect)))
    };
    effects.iter().map(line).collect()
}

/// A heading with lines below it; nothing if there are none.
pub(crate) fn section(heading: &str, below: Vec<String>, lines_max: usize) -> String {
    if below.is_empty() { String::new() } else { format!("{heading}\n{}", lines(below, lines_max)) }
}

/// Indented lines. Of very many only the first are shown.
pub(crate) fn lines(lines: Vec<String>, lines_max: usize) -> String {
    let more = lines.len().saturating_sub(lines_max);
    let mut text: String = lines.into_iter().take(lines_max).map(|line| format!("  {line}\n")).collect();
    if more > 0 {
        text.push_str(&format!("  and {more} more (`--json` lists all)\n"));
    }
    text
}

fn effect_words(effect: &NamedEffect) -> String {
    let words = match effect.class {
        takeback::EffectClass::Restorable => "comes back with the files",
        takeback::EffectClass::Compensable => "another act can make up for it",
        takeback::EffectClass::Irreversible => "cannot be taken back",
        takeback::EffectClass::Unknown => "it is not known what it did",
    };
    format!("({words})")
}
