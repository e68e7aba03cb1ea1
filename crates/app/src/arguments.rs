//! What can be typed: the one definition behind parsing, help, manual page and completions. Nothing is looked up here;
//! the examples of the long help are in [`examples`].

mod examples;
mod orders;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use takeback::{ACTIVATION_COMMAND, HELPER_COMMAND, WATCHER_COMMAND};

pub(crate) use orders::{
    OrderOptions, Policy, PreviewArguments, PreviewedVerb, RedoArguments, RestoreArguments, RevertArguments,
    RewindArguments, SwitchArguments, UndoArguments,
};

/// Reversible work for coding agents: take back what an agent did, bring it again, keep everybody else's edits.
#[derive(Debug, Parser)]
#[command(name = "takeback", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_long_help = examples::PROGRAM)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that stand before or after the verb.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// The workspace: this folder or the nearest known one above it.
    ///
    /// Without it the search begins where the command is typed. Paths in arguments are meant from this folder.
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) dir: Option<PathBuf>,
    /// The session, by takeback's id or by the agent's own.
    ///
    /// Without it the session that was active last is meant. `takeback sessions` lists them.
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) session: Option<String>,
    /// Print one JSON object.
    ///
    /// It goes to standard output alone; everything else goes to standard error.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Answer yes where a terminal would be asked.
    ///
    /// Without it, and without a terminal, whatever would write prints its plan and exits with 5. It does not override a
    /// conflict or a running agent.
    #[arg(long, global = true)]
    pub(crate) yes: bool,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run a command and record what it changes as a turn.
    ///
    /// The command keeps the terminal, its keys and its exit status.
    #[command(after_long_help = examples::RUN)]
    Run(RunArguments),
    /// Take back the newest turns, or steps, of the session.
    ///
    /// Only what the session did is taken back: later edits of others are kept, merged, or a conflict. A turn that is
    /// taken back can be brought again with `redo`.
    #[command(after_long_help = examples::UNDO)]
    Undo(UndoArguments),
    /// Bring again what the newest operations took back.
    ///
    /// It reaches back over undo, rewind, revert and restore, the newest first, until a turn has ended since.
    #[command(after_long_help = examples::REDO)]
    Redo(RedoArguments),
    /// Take back everything the session did from a turn on.
    ///
    /// Files and conversation go back together; `--files` or `--conversation` moves one half alone.
    #[command(after_long_help = examples::REWIND)]
    Rewind(RewindArguments),
    /// Take back exactly what is named, and nothing newer.
    ///
    /// The conversation stays as it is.
    #[command(after_long_help = examples::REVERT)]
    Revert(RevertArguments),
    /// Return to a checkpoint; edits from outside are kept.
    ///
    /// Everything since the checkpoint goes, whoever's session it was. Edits by the user and by other programs are kept
    /// and named unless `--include-outside` is given.
    #[command(after_long_help = examples::RESTORE)]
    Restore(RestoreArguments),
    /// Show what a verb would do; writes nothing.
    ///
    /// Takes the same arguments as the verb and exits as the verb would, with 0 when there is something to do.
    #[command(after_long_help = examples::PREVIEW)]
    Preview(PreviewArguments),
    /// Show how the workspace stands.
    ///
    /// Exits with 6 if an operation was interrupted and could not be taken back completely.
    Status,
    /// List turns with their steps and files.
    ///
    /// The oldest comes first. Signs before a path: + made, - deleted, ~ written, m mode, l link, d folder.
    #[command(after_long_help = examples::LOG)]
    Log(LogArguments),
    /// Show one turn, step, operation or checkpoint in full.
    #[command(after_long_help = examples::SHOW)]
    Show(ShowArguments),
    /// Show changes as a diff.
    ///
    /// Text is compared line by line, as `patch` reads it; binary files, modes, links and moves are named.
    #[command(after_long_help = examples::DIFF)]
    Diff(DiffArguments),
    /// Take a checkpoint; with a name it is pinned.
    ///
    /// Every step of an agent has checkpoints of its own; this one is for people.
    #[command(after_long_help = examples::CHECKPOINT)]
    Checkpoint(CheckpointArguments),
    /// Show what the next run of the session gets.
    ///
    /// After an undo these are the entries before the turns that were taken back.
    Context,
    /// List the versions of the session's conversation.
    ///
    /// Every rewind and every fork makes a version; the older ones stay and can be switched to.
    Versions(VersionsArguments),
    /// Go on with another version of the conversation.
    ///
    /// The files stay as they are; with `--files` they go along to where that version ended.
    #[command(after_long_help = examples::SWITCH)]
    Switch(SwitchArguments),
    /// Make another version, or another session, that goes on from a turn.
    ///
    /// What is forked from stays as it is, and so do the files. `--session` names the session to fork from; an id that no
    /// session has yet is that of the new one, as with `--into`.
    #[command(after_long_help = examples::FORK)]
    Fork(ForkArguments),
    /// List the sessions of the workspace.
    ///
    /// The ids they have here and at their agents, with what `--session` understands.
    Sessions(SessionsArguments),
    /// Read everything that is stored again and name what is damaged.
    ///
    /// Exits with 1 if anything is damaged, and names every path that cannot be brought back because of it.
    Verify,
    /// Try takeback out in a scratch folder here and say how it fares.
    ///
    /// The scratch folder lies on the same file system but not in the workspace, and is removed afterwards; the workspace
    /// itself is only looked at. Exits with 1 if something is wrong.
    Doctor,
    /// Plug takeback into an agent, or take it out again.
    ///
    /// Shows what would change and asks. Other settings of the agent stay byte for byte. Afterwards the hook that the agent
    /// will run is tried out in a scratch folder. Without an agent it lists the agents there are.
    #[command(after_long_help = examples::SETUP)]
    Setup(SetupArguments),
    /// Drop content that nothing needs any more.
    ///
    /// Nothing that any turn, checkpoint or operation needs is dropped. Not allowed from inside an agent's step.
    Gc(GcArguments),
    /// Remove a path's content from the store for good.
    ///
    /// Everything the path, or what is below it, ever held goes, also from what was recorded of events; the path cannot
    /// be brought back to any earlier state, nor can other paths that held the same, which are named. The file itself is
    /// left as it is. Not allowed from inside an agent's step.
    #[command(after_long_help = examples::PURGE)]
    Purge(PurgeArguments),
    /// Record one event of an agent, read from standard input.
    ///
    /// For the hooks of an agent. Whatever happens, it exits with 0 and says troubles on standard error.
    Hook(HookArguments),
    /// Serve hosts that keep a conversation themselves, as JSON-RPC 2.0.
    ///
    /// One message per line, over standard input and output until the input ends, or with `--socket` over a unix socket
    /// until the process is asked to end.
    #[command(after_long_help = examples::SERVE)]
    Serve(ServeArguments),
    /// Print the completions for a shell.
    #[command(after_long_help = examples::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Print the manual page of the program or of one command.
    #[command(after_long_help = examples::MAN)]
    Man(ManArguments),
    #[command(name = HELPER_COMMAND, hide = true)]
    FirstCapture,
    #[command(name = ACTIVATION_COMMAND, hide = true)]
    MoveAgent,
    /// Run the watcher until nobody needs it; started by a hook.
    #[command(name = WATCHER_COMMAND, hide = true)]
    Watch(WatchArguments),
}

/// How to watch.
#[derive(Debug, Args)]
pub(crate) struct WatchArguments {
    /// Say on standard error how it ends.
    #[arg(long)]
    pub(crate) foreground: bool,
    /// End the one that runs instead.
    #[arg(long)]
    pub(crate) end: bool,
    /// End after so many milliseconds in which nobody asks.
    #[arg(long, value_name = "MS")]
    pub(crate) idle_ms: Option<u64>,
}

/// What to run.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The command and its arguments.
    ///
    /// It is run as it is; for a shell's syntax, run a shell.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "CMD")]
    pub(crate) command: Vec<OsString>,
}

/// Where to go on from.
#[derive(Debug, Clone, Args)]
pub(crate) struct ForkArguments {
    /// The last turn that is kept.
    ///
    /// Without it all that was said is kept.
    #[arg(value_name = "TURN")]
    pub(crate) turn: Option<String>,
    /// Make a session of this id for it, instead of another version of the same one.
    ///
    /// The id is the agent's own.
    #[arg(long, value_name = "NEW")]
    pub(crate) into: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only the newest turns.
    ///
    /// The numbers of turns rise and are never given twice, so those of others may be missing in between.
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Instead: each line of a file with the turn, session or person that changed it last.
    ///
    /// What was taken back and brought again is its first author's; a file that moved is followed.
    #[arg(long, value_name = "PATH", conflicts_with = "limit")]
    pub(crate) blame: Option<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// A turn (`t41`), step (`t41.2`), operation (`op57`) or checkpoint (`c128` or its name).
    #[arg(value_name = "ID")]
    pub(crate) target: String,
}

#[derive(Debug, Args)]
pub(crate) struct DiffArguments {
    /// A turn, step or operation: what it changed. A checkpoint: what changed since.
    ///
    /// Without it the newest turn of the session is meant.
    #[arg(value_name = "ID")]
    pub(crate) target: Option<String>,
    /// With two versions, like `h1 h3`: what was said and changed on only one of them.
    #[arg(value_name = "VERSION", requires = "target")]
    pub(crate) other: Option<String>,
}

/// What to do with versions.
#[derive(Debug, Args)]
pub(crate) struct VersionsArguments {
    /// Put this version away: it is no longer listed, but stays and can be switched to.
    ///
    /// One that holds turns of its own needs `--yes`.
    #[arg(long, value_name = "VERSION")]
    pub(crate) remove: Option<String>,
}

/// What to do with sessions.
#[derive(Debug, Args)]
pub(crate) struct SessionsArguments {
    /// Put this session away: it is no longer listed nor the default, until its agent goes on with it.
    ///
    /// Nothing is dropped: it can still be named, what it did can be taken back, and its forks keep what they inherited.
    #[arg(long, value_name = "ID", conflicts_with = "bring_back")]
    pub(crate) remove: Option<String>,
    /// Bring a session back that was put away.
    #[arg(long, value_name = "ID")]
    pub(crate) bring_back: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CheckpointArguments {
    /// A name to find it by.
    ///
    /// A name that is in use moves to the new checkpoint.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GcArguments {
    /// Go on although an agent seems to be running.
    ///
    /// For an agent that died in the middle of a step.
    #[arg(long)]
    pub(crate) even_if_busy: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PurgeArguments {
    /// The path, and what is below it.
    ///
    /// It is taken literally, never as a pattern, and need not exist any more.
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
    /// Go on although an agent seems to be running.
    ///
    /// For an agent that died in the middle of a step.
    #[arg(long)]
    pub(crate) even_if_busy: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SetupArguments {
    /// Which agent.
    #[arg(value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// For the user, in every folder; this is the default.
    #[arg(long, conflicts_with = "project")]
    pub(crate) user: bool,
    /// For the project in the present folder alone.
    #[arg(long)]
    pub(crate) project: bool,
    /// Show what would change, and change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Take takeback out of the agent again.
    #[arg(long)]
    pub(crate) remove: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// Whose event it is; `generic` is the canonical shape.
    #[arg(value_name = "AGENT")]
    pub(crate) agent: String,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// Listen at this unix socket instead.
    ///
    /// Its folder must let nobody else in and is made if it is missing. Several clients may connect.
    #[arg(long, value_name = "PATH")]
    pub(crate) socket: Option<PathBuf>,
    /// Print the schema of the protocol and end.
    #[arg(long, conflicts_with = "socket")]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// The command; without it the page of the program.
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_contradicts_itself_nowhere() {
        Arguments::command().debug_assert();
    }
}
