//! `undo`, `redo`, `rewind`, `revert`, `restore` and their `preview`: from what was typed to an order, and from the
//! report to words and exit status.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

use model::{ConflictPolicy, Memory, Outcome, Scope, SessionId, Verb, WorkspacePath};
use takeback::{
    Agreement, Order, OrderError, Permits, Report, Rest, RevertTarget, Selection, Workspace, WorkspaceError,
};

use super::{Context, Exit, Failure};
use crate::arguments::{
    OrderOptions, Policy, PreviewArguments, PreviewedVerb, RedoArguments, RestoreArguments, RevertArguments,
    RewindArguments, SwitchArguments, UndoArguments,
};
use crate::{explain, wire};

pub(crate) fn undo(context: &Context<'_>, arguments: &UndoArguments) -> Result<Exit, Failure> {
    carry_out(context, Way::apply(Verb::Undo), |_| Ok((undo_selection(arguments), &arguments.options)))
}

pub(crate) fn redo(context: &Context<'_>, arguments: &RedoArguments) -> Result<Exit, Failure> {
    carry_out(context, Way::apply(Verb::Redo), |_| Ok((redo_selection(arguments), &arguments.options)))
}

pub(crate) fn rewind(context: &Context<'_>, arguments: &RewindArguments) -> Result<Exit, Failure> {
    carry_out(context, Way::apply(Verb::Rewind), |_| Ok((rewind_selection(arguments)?, &arguments.options)))
}

pub(crate) fn revert(context: &Context<'_>, arguments: &RevertArguments) -> Result<Exit, Failure> {
    let way = Way { with_dependents: arguments.with_dependents, ..Way::apply(Verb::Revert) };
    carry_out(context, way, |_| Ok((revert_selection(arguments), &arguments.options)))
}

pub(crate) fn restore(context: &Context<'_>, arguments: &RestoreArguments) -> Result<Exit, Failure> {
    let way = Way { include_outside: arguments.include_outside, ..Way::apply(Verb::Restore) };
    carry_out(context, way, |workspace| Ok((restore_selection(context, workspace, arguments)?, &arguments.options)))
}

pub(crate) fn switch(context: &Context<'_>, arguments: &SwitchArguments) -> Result<Exit, Failure> {
    carry_out(context, Way::apply(Verb::Switch), |_| Ok((switch_selection(arguments)?, &arguments.options)))
}

pub(crate) fn preview(context: &Context<'_>, arguments: &PreviewArguments) -> Result<Exit, Failure> {
    match &arguments.verb {
        PreviewedVerb::Undo(undo) => {
            carry_out(context, Way::show(Verb::Undo), |_| Ok((undo_selection(undo), &undo.options)))
        }
        PreviewedVerb::Redo(redo) => {
            carry_out(context, Way::show(Verb::Redo), |_| Ok((redo_selection(redo), &redo.options)))
        }
        PreviewedVerb::Rewind(rewind) => {
            carry_out(context, Way::show(Verb::Rewind), |_| Ok((rewind_selection(rewind)?, &rewind.options)))
        }
        PreviewedVerb::Revert(revert) => {
            let way = Way { with_dependents: revert.with_dependents, ..Way::show(Verb::Revert) };
            carry_out(context, way, |_| Ok((revert_selection(revert), &revert.options)))
        }
        PreviewedVerb::Switch(switch) => {
            carry_out(context, Way::show(Verb::Switch), |_| Ok((switch_selection(switch)?, &switch.options)))
        }
        PreviewedVerb::Restore(restore) => {
            let way = Way { include_outside: restore.include_outside, ..Way::show(Verb::Restore) };
            carry_out(context, way, |workspace| Ok((restore_selection(context, workspace, restore)?, &restore.options)))
        }
    }
}

/// What is to be done with an order, besides what it selects.
#[derive(Clone, Copy)]
struct Way {
    verb: Verb,
    end: End,
    include_outside: bool,
    with_dependents: bool,
}

/// Whether an order is carried out or only shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Apply,
    Show,
}

impl Way {
    fn apply(verb: Verb) -> Self {
        Self { verb, end: End::Apply, include_outside: false, with_dependents: false }
    }

    fn show(verb: Verb) -> Self {
        Self { verb, end: End::Show, include_outside: false, with_dependents: false }
    }
}

fn carry_out<'a>(
    context: &Context<'_>,
    way: Way,
    typed: impl FnOnce(&Workspace) -> Result<(Selection, &'a OrderOptions), Failure>,
) -> Result<Exit, Failure> {
    let workspace = match context.takeback.known_workspace_at(&context.folder()) {
        Err(error @ WorkspaceError::Unknown(_)) => return Ok(nothing(context, way.verb, &error)),
        workspace => workspace?,
    };
    if context.session_or_newest(&workspace)?.is_none() {
        return Ok(nothing(context, way.verb, &OrderError::NoSession));
    }
    let (selection, options) = typed(&workspace)?;
    let order = Order {
        session: context.session(&workspace)?,
        selection,
        scope: scope(way.verb, options),
        policy: options.on_conflict.map(policy),
        memory: options.inform.then_some(Memory::Inform),
        permits: Permits {
            include_outside: way.include_outside,
            include_control: options.include_control,
            even_if_busy: options.even_if_busy,
            include_contested: options.include_contested,
            with_dependents: way.with_dependents,
        },
    };
    if options.stop
        && way.end == End::Apply
        && let Some(session) = context.session_or_newest(&workspace)?
    {
        bring_to_rest(context, &workspace, session)?;
    }
    let report = match way.end {
        End::Show => workspace.preview(&order).map_err(failure)?,
        End::Apply if context.global.yes => apply(context, &workspace, &order, Agreement::Whatever)?,
        End::Apply => match ask(context, &workspace, &order)? {
            Asked::Yes(shown) => apply(context, &workspace, &order, Agreement::To(&shown))?,
            Asked::Settled(exit) => return Ok(exit),
        },
    };
    tell(context, &report);
    Ok(exit_of(&report))
}

/// An agent may take so long to stop when it is asked to.
const REST_MAX: Duration = Duration::from_secs(15);

/// Asks a running agent to stop. What keeps it running is told by the refusal that follows.
fn bring_to_rest(context: &Context<'_>, workspace: &Workspace, session: SessionId) -> Result<(), Failure> {
    match workspace.bring_to_rest(session, REST_MAX).map_err(failure)? {
        Rest::Still => {}
        Rest::GoesOn => context.terminal.say("The agent was asked to stop and goes on"),
        Rest::NotAsked(why) => context.terminal.say(&why),
    }
    Ok(())
}

/// Says that nobody has worked here yet, so that there is nothing an order could be about.
fn nothing(context: &Context<'_>, verb: Verb, why: &dyn std::error::Error) -> Exit {
    let report = Report::nothing(verb);
    tell(context, &report);
    context.terminal.say(&explain::chain(why));
    exit_of(&report)
}

/// What a person said to a preview.
enum Asked {
    Yes(Box<Report>),
    /// There is nothing to ask about, or the answer was no: this is how the command ends.
    Settled(Exit),
}

/// Shows the plan and asks. Without a terminal nobody can be asked: then nothing is written.
fn ask(context: &Context<'_>, workspace: &Workspace, order: &Order) -> Result<Asked, Failure> {
    let shown = workspace.preview(order).map_err(failure)?;
    tell(context, &shown);
    if shown.outcome != Outcome::Preview {
        return Ok(Asked::Settled(exit_of(&shown)));
    }
    if !context.terminal.can_ask() {
        context.terminal.say("Nothing was changed: confirm with `--yes`");
        return Ok(Asked::Settled(Exit::Refused));
    }
    if context.terminal.ask("Do this?") {
        return Ok(Asked::Yes(Box::new(shown)));
    }
    context.terminal.say("Nothing was changed");
    Ok(Asked::Settled(Exit::Refused))
}

fn apply(
    context: &Context<'_>,
    workspace: &Workspace,
    order: &Order,
    agreement: Agreement<'_>,
) -> Result<Report, Failure> {
    let bar = explain::progress_bar(context.terminal, "Writing");
    let mut progress = |done: usize, total: usize| bar.set(done as u64, total as u64);
    let report = workspace.apply(order, agreement, &mut progress).map_err(failure);
    bar.clear();
    report
}

fn tell(context: &Context<'_>, report: &Report) {
    if context.terminal.is_json() {
        let message = report.trouble.as_ref().map(explain::trouble);
        context.terminal.print(&wire::outcome(report, message));
    } else {
        explain::report(context.terminal, report);
    }
}

/// The exit status of a report.
fn exit_of(report: &Report) -> Exit {
    match report.outcome {
        Outcome::Preview | Outcome::Done => Exit::Done,
        Outcome::Nothing => Exit::Nothing,
        Outcome::Conflict => Exit::Conflict,
        Outcome::Refused => Exit::Refused,
        Outcome::Partial => Exit::Partial,
        Outcome::Failed => Exit::Failed,
    }
}

fn failure(error: OrderError) -> Failure {
    let exit = match &error {
        OrderError::Unknown { .. } | OrderError::NoHunk { .. } | OrderError::Exists(_) => Exit::Usage,
        OrderError::AgentNamesSessions => Exit::Usage,
        OrderError::Running => Exit::Refused,
        OrderError::NoSession => Exit::Nothing,
        OrderError::Record(_) | OrderError::Store(_) | OrderError::Disk(_) | OrderError::Agent(_) => Exit::Failed,
    };
    Failure::new(exit, explain::chain(&error))
}

/// A switch is about the conversation, and `--files` takes the files along; elsewhere it leaves the conversation out.
fn scope(verb: Verb, options: &OrderOptions) -> Scope {
    match (verb, options.files, options.conversation) {
        (Verb::Switch, true, _) => Scope::Both,
        (Verb::Switch, false, _) | (_, false, true) => Scope::Conversation,
        (_, true, _) => Scope::Files,
        (_, false, false) => Scope::Both,
    }
}

fn policy(typed: Policy) -> ConflictPolicy {
    match typed {
        Policy::Stop => ConflictPolicy::Stop,
        Policy::Keep => ConflictPolicy::Keep,
        Policy::Take => ConflictPolicy::Take,
        Policy::Merge => ConflictPolicy::Merge,
    }
}

fn undo_selection(arguments: &UndoArguments) -> Selection {
    match arguments.steps {
        Some(count) => Selection::UndoSteps { count: count as usize },
        None => Selection::UndoTurns { count: arguments.turns.unwrap_or(1) as usize },
    }
}

fn redo_selection(arguments: &RedoArguments) -> Selection {
    Selection::Redo { count: arguments.operations as usize }
}

fn rewind_selection(arguments: &RewindArguments) -> Result<Selection, Failure> {
    let turn = arguments.turn.parse().map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Selection::Rewind { turn })
}

fn switch_selection(arguments: &SwitchArguments) -> Result<Selection, Failure> {
    let head = arguments.version.parse().map_err(|error| Failure::new(Exit::Usage, error))?;
    Ok(Selection::Switch { head })
}

fn revert_selection(arguments: &RevertArguments) -> Selection {
    Selection::Revert { targets: arguments.targets.iter().map(|text| RevertTarget::parse(text)).collect() }
}

fn restore_selection(
    context: &Context<'_>,
    workspace: &Workspace,
    arguments: &RestoreArguments,
) -> Result<Selection, Failure> {
    let checkpoint = arguments.checkpoint.parse().unwrap_or_else(|never| match never {});
    let paths = arguments.paths.iter().map(|path| workspace_path(context, workspace, path));
    Ok(Selection::Restore { checkpoint, paths: paths.collect::<Result<_, _>>()? })
}

/// A path as typed, relative to the folder the command is about, as a path of the workspace.
pub(crate) fn workspace_path(
    context: &Context<'_>,
    workspace: &Workspace,
    typed: &OsStr,
) -> Result<WorkspacePath, Failure> {
    let outside = || Failure::new(Exit::Usage, format!("`{}` is not inside the workspace", typed.to_string_lossy()));
    workspace
        .path_of(&context.folder().join(typed))
        .ok_or_else(outside)
        .and_then(|path| WorkspacePath::new(path.as_os_str().as_bytes()).map_err(|_| outside()))
}
