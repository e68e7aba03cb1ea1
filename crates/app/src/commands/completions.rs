//! `completions SHELL`: a script that completes commands and options, written from the one definition of what can be
//! typed.

use clap::CommandFactory;

use super::Exit;
use crate::arguments::{Arguments, CompletionsArguments};
use crate::terminal::Terminal;

/// Prints the script. Needs no workspace and no state.
pub(crate) fn run(terminal: &Terminal, arguments: &CompletionsArguments) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "takeback", &mut script);
    terminal.print_bytes(&script);
    Exit::Done
}
