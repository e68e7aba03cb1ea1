//! `man [COMMAND]`: the manual page of the program or of one command, written from the one definition of what can be
//! typed.

use clap::CommandFactory;
use clap_mangen::Man;

use super::{Exit, Failure};
use crate::arguments::{Arguments, ManArguments};
use crate::terminal::Terminal;

/// Prints a manual page. Needs no workspace and no state.
pub(crate) fn run(terminal: &Terminal, arguments: &ManArguments) -> Result<Exit, Failure> {
    let mut program = Arguments::command();
    program.build();
    let command = match &arguments.command {
        None => program,
        Some(name) => {
            let found = program.get_subcommands().find(|command| command.get_name() == name && !command.is_hide_set());
            let unknown =
                || Failure::new(Exit::Usage, format!("Unknown command: `{name}`; `takeback --help` lists them"));
            found.ok_or_else(unknown)?.clone()
        }
    };
    let mut page = Vec::new();
    Man::new(command).render(&mut page)?;
    terminal.print_bytes(&page);
    Ok(Exit::Done)
}
