//! The trial: changes like those of a shell are made in a scratch workspace, taken back, brought again, and compared each
//! time with what was there. Somebody else's edit in between must stay.

use std::path::Path;

use disk::{Dir, DiskError};
use model::{Mode, Outcome, Scope, TurnStatus, WorkspacePath};
use thiserror::Error;

use super::edits::{self, EditError};
use super::picture::{Picture, PictureError};
use super::scratch::Scratch;
use crate::Environment;
use crate::apply::Agreement;
use crate::error::{OrderError, RecordError, WorkspaceError};
use crate::home::Home;
use crate::order::{Order, Permits, Selection};
use crate::workspace::Workspace;

/// A trial that went well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trial {
    /// How many paths were changed, taken back and brought again.
    pub paths: usize,
    /// Whether it was made on the file system of the workspace.
    pub shares_file_system: bool,
}

/// A trial that could not be made, or went wrong. The workspace was left untouched.
#[derive(Debug, Error)]
pub enum TrialError {
    /// There is no folder outside of the workspace that may be written.
    #[error("There is no folder outside of the workspace to try it out in")]
    NoPlace,
    /// The folder it is about could not be opened.
    #[error(transparent)]
    Root(#[from] worktree::RootError),
    /// The scratch folder could not be used.
    #[error("The scratch folder could not be used: {0}")]
    Disk(#[from] DiskError),
    /// The scratch folder could not be looked at.
    #[error("The scratch folder could not be looked at: {0}")]
    Picture(#[from] PictureError),
    /// The scratch folder could not be changed.
    #[error("The scratch folder could not be changed: {0}")]
    Edit(#[from] EditError),
    /// The scratch workspace could not be made.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// What was changed could not be recorded.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// What was recorded could not be taken back or brought again.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The hook that the agent would run did not do its work.
    #[error("The hook failed: {0}")]
    Hook(String),
    /// The hook ran, and what happened meanwhile is still there.
    #[error("What a tool made was not taken back")]
    NotTakenBack,
    /// It ended otherwise than it should.
    #[error("`{verb}` ended with `{}`", outcome.code())]
    Ended {
        /// What was tried.
        verb: &'static str,
        /// How it ended.
        outcome: Outcome,
    },
    /// Something is not what it should be.
    #[error("After `{verb}` the path `{path}` is not what it was")]
    Differs {
        /// What was done.
        verb: &'static str,
        /// The first path that differs.
        path: WorkspacePath,
    },
}

/// Tries takeback out for the folder at `root`, on its file system but not inside it.
///
/// Makes a scratch folder with a workspace and a store of its own and removes it afterwards. The folder at `root` and its
/// store are neither read nor written.
pub fn try_out(environment: &Environment, root: &Path) -> Result<Trial, TrialError> {
    let root = worktree::Root::open(root)?;
    let scratch = Scratch::make(environment, root.path())?.ok_or(TrialError::NoPlace)?;
    let own_environment = Environment {
        state_folder: scratch.folder.join("state"),
        config_folder: None,
        home_folder: None,
        temp_folder: environment.temp_folder.clone(),
        helper_program: None,
        watcher: crate::WatcherChoice::Off,
        agent_home: agents::AgentHome::default(),
        speaks_from_chat: false,
        is_inside_step: false,
    };
    let dir = Dir::open(&scratch.folder)?;
    dir.make_dir(b"workspace", Mode::FOLDER)?;
    let dir = dir.open_child(b"workspace")?;
    edits::lay_out(&dir)?;
    let home = Home::new(own_environment.state_folder.clone());
    let workspace = Workspace::open(&home, &own_environment, &scratch.folder.join("workspace"))?;
    let paths = undo_and_redo(&workspace, &dir)?;
    Ok(Trial { paths, shares_file_system: scratch.shares_file_system })
}

/// Says how many paths moved.
fn undo_and_redo(workspace: &Workspace, dir: &Dir) -> Result<usize, TrialError> {
    let session = workspace.begin_session("takeback", "doctor")?;
    let before = Picture::take(dir)?;
    let turn = session.begin_turn("try takeback out")?;
    let step = turn.begin_step("Bash", "write, delete, rename, chmod, link")?;
    edits::change_like_a_shell(dir)?;
    step.end(false)?;
    turn.end(TurnStatus::Completed)?;
    let after = Picture::take(dir)?;
    let paths = before.differences(&after).len();

    edits::edit_as_the_user(dir)?;
    let now = Picture::take(dir)?;
    let user_file = WorkspacePath::root().child(edits::USER_FILE).unwrap_or_else(|_| WorkspacePath::root());
    try_order(workspace, Selection::UndoTurns { count: 1 }, "undo")?;
    compare(dir, &before.with(&user_file, &now), "undo")?;
    try_order(workspace, Selection::Redo { count: 1 }, "redo")?;
    compare(dir, &now, "redo")?;
    Ok(paths)
}

pub(super) fn try_order(workspace: &Workspace, selection: Selection, verb: &'static str) -> Result<(), TrialError> {
    let order =
        Order { session: None, selection, scope: Scope::Both, policy: None, memory: None, permits: Permits::NONE };
    match workspace.apply(&order, Agreement::Whatever, &mut |_, _| {})?.outcome {
        Outcome::Done => Ok(()),
        outcome => Err(TrialError::Ended { verb, outcome }),
    }
}

fn compare(dir: &Dir, expected: &Picture, verb: &'static str) -> Result<(), TrialError> {
    match expected.differences(&Picture::take(dir)?).into_iter().next() {
        None => Ok(()),
        Some(path) => Err(TrialError::Differs { verb, path }),
    }
}
