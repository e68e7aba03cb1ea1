//! One command under record: a turn with a single step around a program that keeps the terminal.

use std::ffi::OsString;
use std::path::Path;

use disk::{Ended, Foreground};
use model::{TurnId, TurnStatus};
use thiserror::Error;

use crate::error::RecordError;
use crate::workspace::Workspace;

/// Tells the program, and all it starts, that it runs inside a recorded step.
pub const INSIDE_STEP_VARIABLE: &str = "TAKEBACK_STEP";

/// The agent of sessions that are single commands and have no conversation.
pub(crate) const RUN_AGENT: &str = "run";

/// The one session of that agent in a workspace.
pub(crate) const TERMINAL_SESSION: &str = "terminal";

/// A command to be run.
#[derive(Debug, Clone, Copy)]
pub struct Command<'a> {
    /// The program, by path or by name.
    pub program: &'a OsString,
    /// Its arguments.
    pub arguments: &'a [OsString],
    /// The folder it runs in.
    pub dir: &'a Path,
}

/// How a command ended and what was recorded of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEnd {
    /// Its exit status as a shell would tell it: the code, or 128 and the number of the signal.
    pub status: u8,
    /// The turn it was recorded as, if it could be recorded to its end.
    pub turn: Option<TurnId>,
    /// Warnings and troubles for the user.
    pub said: Vec<String>,
}

/// A command was not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// What was there before could not be recorded.
    #[error("The command was not run, since the state before it could not be recorded: {0}")]
    NotRecorded(#[from] RecordError),
    /// It could not be started.
    #[error("The command could not be started: {0}")]
    NotStarted(#[source] disk::DiskError),
}

impl Workspace {
    /// Runs a command and records it as a turn. Its terminal, its keys and its exit status are its own.
    ///
    /// An error means that the command did not run. A trouble in recording what it did afterwards is among the
    /// sentences and leaves the exit status alone.
    pub fn run(&self, command: Command<'_>) -> Result<CommandEnd, RunError> {
        let line = line(command);
        let session = self.begin_session(RUN_AGENT, TERMINAL_SESSION)?;
        let mut said = session.said.clone();
        let turn = session.begin_turn(&line)?;
        let step = turn.begin_step("run", &line)?;
        let environment = [(OsString::from(INSIDE_STEP_VARIABLE), OsString::from("run"))];
        let ended = disk::run_foreground(&Foreground {
            program: command.program,
            arguments: command.arguments,
            dir: command.dir,
            environment: &environment,
        });
        let (status, turn_status) = match &ended {
            Ok(ended) => (status_of(ended), turn_status_of(ended)),
            Err(_) => (127, TurnStatus::Failed),
        };
        let recorded = step.end(turn_status != TurnStatus::Completed).and_then(|received| {
            said.extend(received.said);
            turn.end(turn_status)
        });
        let turn = match recorded {
            Ok(received) => {
                said.extend(received.said);
                self.newest_turn(session.id)
            }
            Err(error) => {
                said.push(format!("What the command did could not be recorded: {error}"));
                None
            }
        };
        ended.map(|_| CommandEnd { status, turn, said }).map_err(RunError::NotStarted)
    }

    fn newest_turn(&self, session: model::SessionId) -> Option<TurnId> {
        self.store.read().ok()?.newest_turn(session).ok()?.map(|turn| turn.id)
    }
}

fn status_of(ended: &Ended) -> u8 {
    let status = ended.code.or_else(|| ended.signal.map(|signal| 128 + signal)).unwrap_or(1);
    u8::try_from(status & 0xff).unwrap_or(1)
}

fn turn_status_of(ended: &Ended) -> TurnStatus {
    match (ended.code, ended.signal) {
        (Some(0), _) => TurnStatus::Completed,
        (None, Some(_)) => TurnStatus::Interrupted,
        _ => TurnStatus::Failed,
    }
}

/// The command as one would type it, for people.
fn line(command: Command<'_>) -> String {
    let words = std::iter::once(command.program).chain(command.arguments);
    words.map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
