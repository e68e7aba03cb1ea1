//! What can be typed behind the verbs that write, and behind `preview`.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

/// What every verb that writes understands.
#[derive(Debug, Clone, Args)]
pub(crate) struct OrderOptions {
    /// Move the files alone.
    ///
    /// The conversation of the agent stays as it is.
    #[arg(long, conflicts_with = "conversation")]
    pub(crate) files: bool,
    /// Move the conversation alone.
    ///
    /// No file is written.
    #[arg(long)]
    pub(crate) conversation: bool,
    /// Leave the conversation as it is and tell the model what was taken back.
    ///
    /// Without it the settings decide (`memory` in `takeback.toml`), and without those the turns are cut out.
    #[arg(long, conflicts_with = "conversation")]
    pub(crate) inform: bool,
    /// What to do at a path that others have changed since.
    ///
    /// Without it the settings decide (`conflict` in `takeback.toml`), and without those `stop`.
    #[arg(long, value_name = "POLICY")]
    pub(crate) on_conflict: Option<Policy>,
    /// Treat agent settings, hook files and CI files like any other file.
    ///
    /// Without it such files are left alone and named, but for what the session itself wrote there last.
    #[arg(long)]
    pub(crate) include_control: bool,
    /// Take back what several may have changed, although it is not clear who did.
    ///
    /// Without it such changes go only if all who may have made them are taken back. Not allowed from inside an agent's
    /// step.
    #[arg(long)]
    pub(crate) include_contested: bool,
    /// Stop the session's agent first, if it is running.
    ///
    /// It is asked as it can be asked itself (OpenCode; Codex in a terminal with its daemon) and waited for, 15 seconds at most.
    /// If it cannot be asked or goes on, nothing is changed. Not allowed from inside an agent's step.
    #[arg(long, conflicts_with = "even_if_busy")]
    pub(crate) stop: bool,
    /// Go on although the session's agent seems to be running.
    ///
    /// For an agent that died in the middle of a step. Not allowed from inside an agent's step.
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
    /// How many turns; 1 if nothing is said.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "steps")]
    pub(crate) turns: Option<u32>,
    /// Take back this many file-changing steps instead of turns.
    ///
    /// Steps that changed no file are not counted.
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
    /// Turns, steps, operations, subagents, paths or hunks.
    ///
    /// A turn is `t41`, a step `t41.2` with all that subagents it started did, a path of one of these `t41:src/a.rs`, a
    /// hunk of it `t41:src/a.rs#2` with its number in `takeback diff`, an operation `op57`. Anything else is a subagent's
    /// id or a path that the session changed.
    #[arg(value_name = "TARGET", required = true)]
    pub(crate) targets: Vec<String>,
    /// Take back later steps too that need what is taken back.
    ///
    /// Those that changed the same lines, or what was made, as the preview names them; and the ones that need these.
    #[arg(long)]
    pub(crate) with_dependents: bool,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct RestoreArguments {
    /// A checkpoint by id (`c128`) or name.
    #[arg(value_name = "CHECKPOINT")]
    pub(crate) checkpoint: String,
    /// Only these paths and what is below them.
    ///
    /// They are taken literally, never as patterns.
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<OsString>,
    /// Take back edits from outside too.
    ///
    /// What the user and other programs changed since the checkpoint goes as well. Not allowed from inside an agent's
    /// step.
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

/// Which version.
#[derive(Debug, Clone, Args)]
pub(crate) struct SwitchArguments {
    /// The version, like `h3`.
    ///
    /// `takeback versions` lists them.
    #[arg(value_name = "VERSION")]
    pub(crate) version: String,
    #[command(flatten)]
    pub(crate) options: OrderOptions,
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
    /// Go on with another version of the conversation.
    Switch(SwitchArguments),
}
