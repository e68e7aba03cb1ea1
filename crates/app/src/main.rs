//! The takeback command: reads what was typed, lets the engine do it, and says what came of it.
#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod environment;
mod explain;
mod serve;
mod terminal;
mod wire;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;
use crate::terminal::Terminal;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return commands::usage(&error),
    };
    let terminal = Terminal::new(arguments.global.json);
    commands::run(arguments, &terminal).into()
}
