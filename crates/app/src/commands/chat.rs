//! A command that a person typed into an agent's chat: the same commands as in a terminal, for the session that was
//! typed in, with the words collected into one short text.

use std::ffi::OsString;

use agents::Event;
use clap::Parser;
use takeback::{Environment, Takeback};

use super::{Exit, run_within};
use crate::arguments::{Arguments, Command};
use crate::explain;
use crate::terminal::Terminal;

/// A chat is no place for long lists: of more lines than this the newest, or the first, are shown.
const LINES_MAX: usize = 30;

/// Does what was typed and returns what is to be shown. Never fails: what is wrong is the answer.
pub(crate) fn answer(environment: &Environment, event: &Event, words: &[String]) -> String {
    let environment = Environment { is_inside_step: false, speaks_from_chat: true, ..environment.clone() };
    let workspace = match Takeback::new(environment.clone()).workspace_of(event) {
        Ok(workspace) => workspace,
        Err(error) => return format!("takeback: {}", explain::chain(&error)),
    };
    let root = workspace.root_path().to_owned();
    drop(workspace);
    let typed = words.iter().map(OsString::from);
    let line = [OsString::from("takeback"), "-C".into(), root.into(), "--session".into(), event.session.clone().into()]
        .into_iter()
        .chain(std::iter::once(OsString::from("--yes")))
        .chain(typed);
    match Arguments::try_parse_from(line) {
        Ok(arguments) => act(arguments, environment),
        Err(error) => shortened(&error.render().to_string(), Keep::First),
    }
}

fn act(mut arguments: Arguments, environment: Environment) -> String {
    if !is_for_a_chat(&arguments.command) {
        return "takeback: this command is for a terminal; nothing was changed".to_owned();
    }
    arguments.global.json = false;
    let keep = if matches!(arguments.command, Command::Log(_)) { Keep::Last } else { Keep::First };
    let terminal = Terminal::collecting();
    let exit = run_within(&arguments, &terminal, environment);
    let text = shortened(&terminal.collected(), keep);
    match (text.is_empty(), exit) {
        (true, Exit::Done) => "takeback: done".to_owned(),
        (true, _) => "takeback: nothing to do".to_owned(),
        (false, _) => text,
    }
}

/// What writes into the workspace, or looks at what was recorded. Upkeep and plumbing are for a terminal.
fn is_for_a_chat(command: &Command) -> bool {
    matches!(
        command,
        Command::Undo(_)
            | Command::Redo(_)
            | Command::Rewind(_)
            | Command::Revert(_)
            | Command::Restore(_)
            | Command::Preview(_)
            | Command::Status
            | Command::Log(_)
            | Command::Show(_)
            | Command::Diff(_)
            | Command::Checkpoint(_)
            | Command::Versions(_)
            | Command::Switch(_)
            | Command::Fork(_)
            | Command::Sessions(_)
    )
}

/// Which end of a long text is worth more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keep {
    First,
    Last,
}

fn shortened(text: &str, keep: Keep) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    if lines.len() <= LINES_MAX {
        return lines.join("\n");
    }
    let left_out = format!("… {} more lines; the same command in a terminal shows them", lines.len() - LINES_MAX);
    match keep {
        Keep::First => [&lines[..LINES_MAX], &[left_out.as_str()]].concat().join("\n"),
        Keep::Last => [&[left_out.as_str()], &lines[lines.len() - LINES_MAX..]].concat().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_text_the_end_that_matters_is_kept() {
        let text = (1..=40).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
        assert!(shortened(&text, Keep::First).starts_with("1\n"));
        assert!(shortened(&text, Keep::Last).ends_with("\n40"));
        assert_eq!(shortened(&text, Keep::First).lines().count(), LINES_MAX + 1);
        assert_eq!(shortened("a\n", Keep::Last), "a");
    }
}
