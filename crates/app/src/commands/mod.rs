//! One file per command. Each takes what was typed, calls the engine and says what came of it; none decides anything.

mod chat;
mod checkpoint;
mod completions;
mod context;
mod diff;
mod doctor;
mod fork;
mod gc;
mod hook;
mod log;
mod man;
mod order;
mod purge;
mod run;
mod sessions;
mod setup;
mod show;
mod status;
mod verify;
mod versions;
mod watch;

pub(crate) use setup::{Outcome, Plugged, State as SetupState};

use std::path::PathBuf;
use std::process::ExitCode;

use model::SessionId;
use takeback::{Environment, OrderError, Takeback, Workspace};

use crate::arguments::{Arguments, Command, Global};
use crate::terminal::Terminal;
use crate::{environment, explain, serve};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// Failed, nothing changed.
    Failed,
    /// Wrong usage.
    Usage,
    /// Nothing to do.
    Nothing,
    /// Conflict, nothing changed.
    Conflict,
    /// Refused, nothing changed.
    Refused,
    /// Partly done, or recovery needed.
    Partial,
    /// The status of a command that was run.
    Of(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Nothing => 3,
            Exit::Conflict => 4,
            Exit::Refused => 5,
            Exit::Partial => 6,
            Exit::Of(status) => status,
        })
    }
}

/// What every command has at hand.
pub(crate) struct Context<'a> {
    pub(crate) environment: Environment,
    pub(crate) takeback: Takeback,
    pub(crate) global: &'a Global,
    pub(crate) terminal: &'a Terminal,
}

/// A command that ended early, with what there is to say.
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl ToString) -> Self {
        Self { exit, message: message.to_string() }
    }
}

/// Any error of the engine that has no status of its own: nothing was changed.
impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::new(Exit::Failed, explain::chain(&error))
    }
}

/// Does what was typed.
pub(crate) fn run(arguments: Arguments, terminal: &Terminal) -> Exit {
    let done = match &arguments.command {
        Command::Completions(completions) => Ok(completions::run(terminal, completions)),
        Command::Man(man) => man::run(terminal, man),
        command => context(&arguments.global, terminal).and_then(|context| dispatch(&context, command)),
    };
    done.unwrap_or_else(|failure| fail(terminal, failure))
}

/// Does what was typed elsewhere than in a terminal, in an environment that is known already.
fn run_within(arguments: &Arguments, terminal: &Terminal, environment: Environment) -> Exit {
    let takeback = Takeback::new(environment.clone());
    let context = Context { takeback, environment, global: &arguments.global, terminal };
    dispatch(&context, &arguments.command).unwrap_or_else(|failure| fail(terminal, failure))
}

/// Says what is wrong with what was typed, or shows the help that was asked for.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    _ = error.print();
    ExitCode::from(if error.use_stderr() { 2 } else { 0 })
}

fn context<'a>(global: &'a Global, terminal: &'a Terminal) -> Result<Context<'a>, Failure> {
    let environment = environment::read().map_err(|message| Failure::new(Exit::Failed, message))?;
    Ok(Context { takeback: Takeback::new(environment.clone()), environment, global, terminal })
}

fn dispatch(context: &Context<'_>, command: &Command) -> Result<Exit, Failure> {
    match command {
        Command::Run(arguments) => run::run(context, arguments),
        Command::Undo(arguments) => order::undo(context, arguments),
        Command::Redo(arguments) => order::redo(context, arguments),
        Command::Rewind(arguments) => order::rewind(context, arguments),
        Command::Revert(arguments) => order::revert(context, arguments),
        Command::Restore(arguments) => order::restore(context, arguments),
        Command::Preview(arguments) => order::preview(context, arguments),
        Command::Status => status::run(context),
        Command::Log(arguments) => log::run(context, arguments),
        Command::Context => context::run(context),
        Command::Versions(arguments) => versions::run(context, arguments),
        Command::Switch(arguments) => order::switch(context, arguments),
        Command::Fork(arguments) => fork::run(context, arguments),
        Command::Show(arguments) => show::run(context, arguments),
        Command::Diff(arguments) => diff::run(context, arguments),
        Command::Sessions(arguments) => sessions::run(context, arguments),
        Command::Verify => verify::run(context),
        Command::Doctor => doctor::run(context),
        Command::Setup(arguments) => setup::run(context, arguments),
        Command::Gc(arguments) => gc::run(context, arguments),
        Command::Purge(arguments) => purge::run(context, arguments),
        Command::Checkpoint(arguments) => checkpoint::run(context, arguments),
        Command::Hook(arguments) => Ok(hook::run(context, arguments)),
        Command::FirstCapture => hook::first_capture(context),
        Command::MoveAgent => hook::move_agent(context),
        Command::Watch(arguments) => watch::run(context, arguments),
        Command::Serve(arguments) => serve::run(&context.takeback, context.terminal, arguments),
        Command::Completions(arguments) => Ok(completions::run(context.terminal, arguments)),
        Command::Man(arguments) => man::run(context.terminal, arguments),
    }
}

fn fail(terminal: &Terminal, failure: Failure) -> Exit {
    terminal.say(&format!("takeback: {}", failure.message));
    failure.exit
}

impl Context<'_> {
    /// The folder the command is about.
    pub(crate) fn folder(&self) -> PathBuf {
        let current = environment::current_folder();
        self.global.dir.as_ref().map_or(current.clone(), |dir| current.join(dir))
    }

    /// The workspace the command is about; it must be known.
    pub(crate) fn workspace(&self) -> Result<Workspace, Failure> {
        Ok(self.takeback.known_workspace_at(&self.folder())?)
    }

    /// The session that was named, or the one that was active last.
    pub(crate) fn session_or_newest(&self, workspace: &Workspace) -> Result<Option<SessionId>, Failure> {
        match self.session(workspace)? {
            Some(session) => Ok(Some(session)),
            None => Ok(workspace.newest_session()?),
        }
    }

    /// The session that was named, by its own id or the agent's; none if none was named.
    pub(crate) fn session(&self, workspace: &Workspace) -> Result<Option<SessionId>, Failure> {
        let Some(name) = &self.global.session else { return Ok(None) };
        let unknown = || OrderError::Unknown { what: "session", name: name.clone() };
        let found = workspace.session_named(name)?;
        Ok(Some(found.ok_or_else(|| Failure::new(Exit::Usage, unknown()))?))
    }
}
