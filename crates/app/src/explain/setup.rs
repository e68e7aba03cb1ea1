//! A setup in words: what changes in the agent's files, which of its programs run, and what is left for the user.

use crate::commands::{Outcome, SetupState};
use crate::terminal::{Style, Terminal};

/// Says what a setup did or would do.
pub(crate) fn setup(terminal: &Terminal, outcome: &Outcome<'_>) {
    let plan = outcome.plan;
    if outcome.state != SetupState::Done {
        for file in plan.files.iter().chain(&plan.settled) {
            let path = file.path.display().to_string();
            terminal.print_bytes(&super::text_change(terminal, &path, file.before.as_deref(), file.after.as_deref()));
        }
        for command in &plan.commands {
            terminal.print(&format!("Run `{}`: {}\n", command.words.join(" "), command.why));
        }
    }
    let headline = match outcome.state {
        SetupState::Unchanged => format!("{}: nothing to change", outcome.agent),
        SetupState::Planned => format!("{}: this would change", outcome.agent),
        SetupState::Done => format!("{}: done", outcome.agent),
    };
    terminal.print(&format!("{}\n", terminal.styled(Style::Strong, &headline)));
    plan.notes.iter().for_each(|note| terminal.print(&format!("  {note}\n")));
    match &outcome.proof {
        Some(Ok(())) => terminal.print("  The hook was tried out: a turn was recorded and taken back\n"),
        Some(Err(message)) => terminal.say(&format!("takeback: the hook does not work yet: {message}")),
        None => {}
    }
}

/// Lists the agents with whether takeback is plugged in.
pub(crate) fn setups(terminal: &Terminal, states: &[(&str, Result<SetupState, String>)]) {
    for (agent, state) in states {
        let words = match state {
            Ok(SetupState::Unchanged) => "set up".to_owned(),
            Ok(_) => format!("not set up; `takeback setup {agent}` does it"),
            Err(message) => message.clone(),
        };
        terminal.print(&format!("{agent:<12} {words}\n"));
    }
}
