//! The conversation in words: what the next run gets, and the versions there are.

use model::HeadId;
use takeback::{ContextView, SaidView, VersionDiff, VersionSide, VersionView};

use crate::terminal::{Style, Terminal};

/// More characters of one entry than this are cut.
const CHARACTERS_MAX: usize = 100;

/// Lists the entries of a context.
pub(crate) fn context(terminal: &Terminal, view: &ContextView) {
    let mut text = String::new();
    for said in &view.entries {
        text.push_str(&said_line(terminal, said));
    }
    terminal.print(if text.is_empty() { "The next run gets an empty conversation\n" } else { &text });
    if view.is_staged {
        terminal.say("Turns were taken out; `takeback redo` brings them again until a turn completes");
    }
}

/// Lists versions.
pub(crate) fn versions(terminal: &Terminal, versions: &[VersionView]) {
    let line = |view: &VersionView| {
        let mark = if view.is_selected { terminal.styled(Style::Good, "*") } else { " ".to_owned() };
        let turns: Vec<String> = view.turns.iter().map(ToString::to_string).collect();
        let from = view.parent.map(|parent| format!(" from {parent}")).unwrap_or_default();
        let turns = if turns.is_empty() { "no turns of its own".to_owned() } else { turns.join(" ") };
        format!("{mark} {} {}{from}: {turns}\n", view.id, view.kind.code())
    };
    let text: String = versions.iter().map(line).collect();
    terminal.print(if text.is_empty() { "Nothing has been said yet\n" } else { &text });
}

/// Says what was said and changed on only one of two versions.
pub(crate) fn version_diff(terminal: &Terminal, versions: (HeadId, HeadId), diff: &VersionDiff) {
    let sides = [(versions.0, &diff.first), (versions.1, &diff.second)];
    terminal.print(&sides.map(|(head, side)| side_lines(terminal, head, side)).concat());
}

fn side_lines(terminal: &Terminal, head: HeadId, side: &VersionSide) -> String {
    let mut text = format!("{}\n", terminal.styled(Style::Strong, &format!("Only on {head}")));
    if side.entries.is_empty() {
        text.push_str("  nothing\n");
    }
    for said in &side.entries {
        text.push_str(&format!("  {}", said_line(terminal, said)));
    }
    for change in &side.files {
        text.push_str(&format!("  {} {}\n", change.action.code(), terminal.name(&change.path.to_string())));
    }
    text
}

fn said_line(terminal: &Terminal, said: &SaidView) -> String {
    let content = String::from_utf8_lossy(&said.payload);
    let line: String = content.lines().next().unwrap_or_default().chars().take(CHARACTERS_MAX).collect();
    let kind = terminal.styled(Style::Faint, &format!("{:<10}", said.kind.code()));
    format!("{kind} {}\n", terminal.name(&line))
}
