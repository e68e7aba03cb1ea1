//! What can be typed: the one definition behind parsing, help, man page and completions. Nothing is looked up here.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use takeback::HELPER_COMMAND;

/// Reversible work for coding agents: take back what an agent did, bring it again, keep everybody else's edits.
#[derive(Debug, Parser)]
#[command(name = "takeback", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that stand before or after the verb.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// The workspace: this folder or the nearest known one above it.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// The session, by takeback's id or by the agent's own; default: the one that was active last.
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// Print one JSON object.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Answer yes where a terminal would be asked.
    #[arg(long, global = true)]
    pub(crate) yes: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command and record what it changes as a turn.
    Run(RunArguments),
    /// Take back the newest turns, or steps, of the session.
    Undo(UndoArguments),
    /// Bring again what the newest operations took back.
    Redo(RedoArguments),
    /// Take back everything the session did from a turn on.
    Rewind(RewindArguments),
    /// Take back exactly what is named, and nothing newer.
    Revert(RevertArguments),
    /// Return to a checkpoint; edits from outside are kept.
    Restore(RestoreArguments),
    /// Show what a verb would do; writes nothing.
    Preview(PreviewArguments),
    /// Show how the workspace stands.
    Status,
    /// List turns with their steps and files.
    Log(LogArguments),
    /// Show one turn, step, operation or checkpoint in full.
    Show(ShowArguments),
    /// Show changes as a diff.
    Diff(DiffArguments),
    /// Take a checkpoint; with a name it is pinned.
    Checkpoint(CheckpointArguments),
    /// List the sessions of the workspace.
    Sessions,
    /// Read everything that is stored again and name what is damaged.
    Verify,
    /// Try takeback out in a scratch folder here and say how it fares.
    Doctor,
    /// Drop content that nothing needs any more.
    Gc,
    /// Remove a path's content from the store for good.
    Purge(PurgeArguments),
    /// Record one event of an agent, read from standard input.
    Hook(HookArguments),
    /// Print the completions for a shell.
    Completions(CompletionsArguments),
    /// Print the manual page.
    Man,
    #[command(name = HELPER_COMMAND, hide = true)]
    FirstCapture,
}

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The command and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// What every verb that writes understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct OrderOptions {
    /// Move the files alone.
    #[arg(long, conflicts_with = "conversation")]
    pub(crate) files: bool,
    /// Move the conversation alone.
    #[arg(long)]
    pub(crate) conversation: bool,
    /// What to do at a path that others have changed since; default: as the settings say.
    #[arg(long, value_name = "POLICY")]
    pub(crate) on_conflict: Option<Policy>,
    /// Treat agent settings, hook files and CI files like any other file.
    #[arg(long)]
    pub(crate) include_control: bool,
    /// Go on although the session's agent seems to be running.
    #[arg(long)]
    pub(crate) even_if_busy: bool,
}

/// The ways to treat a conflict.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Policy {
    /// Write nothing at all and list the conflicts.
    Stop,
    /// Leave those paths and do the rest.
    Keep,
    /// Write the old state all the same; the present one stays in the store.
    Take,
    /// Write conflict markers into text.
    Merge,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct UndoArguments {
    /// How many turns.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "steps")]
    pub(crate) turns: Option<u32>,
    /// Take back this many file-changing steps instead of turns.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) steps: Option<u32>,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RedoArguments {
    /// How many operations.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 1)]
    pub(crate) operations: u32,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RewindArguments {
    /// The first turn to take back, like `t41`.
    #[arg(value_name = "TURN")]
    pub(crate) turn: String,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RevertArguments {
    /// Turns (`t41`), steps (`t41.2`), paths of a turn (`t41:src/a.rs`), operations (`op57`), subagents or paths.
    #[arg(value_name = "TARGET", required = true)]
    pub(crate) targets: Vec<String>,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreArguments {
    /// A checkpoint by id (`c128`) or name.
    #[arg(value_name = "CHECKPOINT")]
    pub(crate) checkpoint: String,
    /// Only these paths and what is below them; taken literally, never as patterns.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    /// Take back edits from outside too.
    #[arg(long)]
    pub(crate) include_outside: bool,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Args)]
pub(crate) struct PreviewArguments {
    /// The verb with its arguments.
    #[command(subcommand)]
    pub(crate) verb: PreviewedVerb,
}

/// The verbs that can be previewed.
#[derive(Debug, Subcommand)]
pub(crate) enum PreviewedVerb {
    /// Take back the newest turns, or steps, of the session.
    Undo(UndoArguments),
    /// Bring again what the newest operations took back.
    Redo(RedoArguments),
    /// Take back everything the session did from a turn on.
    Rewind(RewindArguments),
    /// Take back exactly what is named, and nothing newer.
    Revert(RevertArguments),
    /// Return to a checkpoint; edits from outside are kept.
    Restore(RestoreArguments),
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only the newest turns.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// A turn, step, operation or checkpoint.
    #[arg(value_name = "ID")]
    pub(crate) target: String,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A turn, step or operation: what it changed. A checkpoint: what changed since. Default: the newest turn.
    #[arg(value_name = "ID")]
    pub(crate) target: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckpointArguments {
    /// A name to find it by.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct PurgeArguments {
    /// The path, relative to the workspace.
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
}

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// Whose event it is; `generic` is the canonical shape.
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}
