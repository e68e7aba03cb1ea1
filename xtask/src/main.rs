//! `cargo xtask`: the checks and generators of this workspace, one row per command. It reads sources and runs other
//! programs; nothing of the product depends on it.
#![forbid(unsafe_code)]

mod check;
mod clients;
mod demo;
mod graph;
mod picture;
mod repository;
mod rust;
mod tidy;
mod trees;

use std::path::Path;
use std::process::ExitCode;

/// Why a command could not do its work at all, as opposed to having found something.
pub(crate) type Fault = Box<dyn std::error::Error>;

/// What a command that did its work has to say in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Everything is as it should be.
    Clean,
    /// Something was found, and said.
    Found,
}

struct Command {
    name: &'static str,
    summary: &'static str,
    run: fn(&Path) -> Result<Verdict, Fault>,
}

const COMMANDS: &[Command] = &[
    Command { name: "check", summary: "every check and test there is, the way a release is judged", run: check::run },
    Command {
        name: "clients",
        summary: "installs the agents that tests drive; needs the network once",
        run: clients::run,
    },
    Command {
        name: "compare",
        summary: "an agent's own undo beside takeback's, on one story, as a table",
        run: check::compare,
    },
    Command { name: "demo", summary: "the main job, shown on a scratch copy of this repository", run: demo::run },
    Command { name: "picture", summary: "draws docs/picture.svg from what the program prints", run: picture::run },
    Command { name: "tidy", summary: "the walls and house rules that the compiler does not hold", run: tidy::run },
    Command { name: "trees", summary: "the main job on real source trees; needs the network", run: trees::run },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name] = arguments.as_slice() else { return usage() };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else { return usage() };
    match repository::root().and_then(|root| (command.run)(&root)) {
        Ok(Verdict::Clean) => ExitCode::SUCCESS,
        Ok(Verdict::Found) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("xtask {name}: {fault}");
            ExitCode::FAILURE
        }
    }
}

fn usage() -> ExitCode {
    eprintln!("Usage: cargo xtask COMMAND\n");
    for command in COMMANDS {
        eprintln!("  {:8} {}", command.name, command.summary);
    }
    ExitCode::from(2)
}
