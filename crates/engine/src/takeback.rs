//! [`Takeback`]: the way in. It knows the state folder, finds workspaces and hands events to them.

use std::path::{Path, PathBuf};

use agents::{Event, TranslateError};
use thiserror::Error;

use crate::error::{RecordError, WorkspaceError};
use crate::home::Home;
use crate::record::{self, Received};
use crate::workspace::{CoverageMode, Workspace};
use crate::{Environment, first_capture};

/// The way into everything that is recorded for one user.
#[derive(Debug, Clone)]
pub struct Takeback {
    pub(crate) home: Home,
    pub(crate) environment: Environment,
}

/// An event could not be recorded. The user's files were left untouched.
#[derive(Debug, Error)]
pub enum ReceiveError {
    /// It could not be understood.
    #[error(transparent)]
    Translate(#[from] TranslateError),
    /// Its workspace could not be opened.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// It could not be written down.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl Takeback {
    /// Takes the folders to work with. Nothing is made or read yet.
    pub fn new(environment: Environment) -> Self {
        Self { home: Home::new(environment.state_folder.clone()), environment }
    }

    /// The workspace of a folder: the nearest known one at or above it, else the git top level above it, else the folder
    /// itself. It is made if it is new; an interrupted operation is taken back first.
    pub fn workspace_at(&self, folder: &Path) -> Result<Workspace, WorkspaceError> {
        let root = self.root_for(folder)?;
        Workspace::open(&self.home, &self.environment, &root)
    }

    /// The same, but nothing is made: a folder of which nothing has been recorded is an error.
    pub fn known_workspace_at(&self, folder: &Path) -> Result<Workspace, WorkspaceError> {
        let root = self.root_for(folder)?;
        if !self.home.knows(&root) {
            return Err(WorkspaceError::Unknown(root));
        }
        Workspace::open(&self.home, &self.environment, &root)
    }

    /// Records what an agent says of itself.
    ///
    /// The session is bound to a workspace by its first event. On success the returned sentences are for the user. On
    /// an error nothing of this event was recorded. Never writes into the workspace.
    pub fn receive(&self, agent: &str, payload: &[u8]) -> Result<Received, ReceiveError> {
        self.receive_event(&agents::translate(agent, payload)?)
    }

    /// Records an event that was translated already.
    pub fn receive_event(&self, event: &Event) -> Result<Received, ReceiveError> {
        let root = self.root_of_event(event)?;
        let workspace = Workspace::open(&self.home, &self.environment, &root)?;
        Ok(record::record(&workspace, event)?)
    }

    /// The workspace that an event's session is bound to.
    pub fn workspace_of(&self, event: &Event) -> Result<Workspace, WorkspaceError> {
        let root = self.root_of_event(event)?;
        Workspace::open(&self.home, &self.environment, &root)
    }

    /// Makes the first capture of a workspace, unless it is made already or somebody else is making it.
    pub fn make_first_capture(&self, root: &Path) -> Result<Received, ReceiveError> {
        let workspace = self.workspace_at(root)?;
        Ok(Received::saying(first_capture::finish(&workspace)?))
    }

    pub(crate) fn root_of_event(&self, event: &Event) -> Result<PathBuf, WorkspaceError> {
        self.home.prepare().map_err(WorkspaceError::State)?;
        let bound = self.home.root_of_session(&event.agent, &event.session).map_err(WorkspaceError::State)?;
        if let Some(root) = bound {
            return Ok(root);
        }
        let folder = event.cwd.as_deref().ok_or_else(|| {
            WorkspaceError::Recovery(RecordError::Unusable("The first event of a session has no `cwd`".to_owned()))
        })?;
        let root = self.root_for(Path::new(folder))?;
        self.home.bind_session(&event.agent, &event.session, &root).map_err(WorkspaceError::State)
    }

    fn root_for(&self, folder: &Path) -> Result<PathBuf, WorkspaceError> {
        let folder = worktree::Root::open(folder)?.path().to_owned();
        let top = worktree::find_git_top_level(&folder);
        let known = folder
            .ancestors()
            .take_while(|above| top.as_deref().is_none_or(|top| above.starts_with(top)))
            .find(|above| self.home.knows(above) && !self.is_touched_only(above));
        Ok(known.map(Path::to_owned).or(top).unwrap_or(folder))
    }

    /// Work below a home folder or the like is not drawn into it, unless it is that very folder.
    fn is_touched_only(&self, root: &Path) -> bool {
        let workspace = Workspace::open(&self.home, &self.environment, root);
        workspace.is_ok_and(|workspace| matches!(workspace.coverage_mode(), Ok(CoverageMode::TouchedPaths)))
    }
}
