//! Errors of the engine, one type per kind of work. Every one says what was left untouched.

use std::path::PathBuf;

use disk::DiskError;
use store::{AdoptError, OpenError, StoreError, WriteError};
use thiserror::Error;
use worktree::{CaptureError, LookError, RootError};

/// A workspace could not be opened. Nothing in it was touched.
#[derive(Debug, Error)]
pub enum WorkspaceError {
    /// Its root is missing or no folder.
    #[error(transparent)]
    Root(#[from] RootError),
    /// Its store could not be opened.
    #[error(transparent)]
    Store(#[from] OpenError),
    /// The state folder could not be used.
    #[error("The state folder cannot be used, the workspace was left untouched: {0}")]
    State(#[source] DiskError),
    /// An interrupted operation could not be cleaned up.
    #[error("An interrupted operation could not be taken back: {0}")]
    Recovery(#[from] RecordError),
    /// There is no workspace here yet.
    #[error("Nothing has been recorded for `{}` yet; begin with `takeback run -- COMMAND` or set up an agent", .0.display())]
    Unknown(PathBuf),
}

/// A barrier could not be recorded. The user's files were left untouched.
#[derive(Debug, Error)]
pub enum RecordError {
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The workspace could not be looked at.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A file of the state folder could not be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A clean-up dropped content that had just been found to be there.
    #[error("Content was cleaned up meanwhile; nothing was recorded, try again")]
    Vanished,
    /// The workspace could not be looked at.
    #[error(transparent)]
    Look(#[from] LookError),
    /// The workspace changed hands too often.
    #[error("Other processes kept changing the record; nothing was recorded, try again")]
    Contended,
    /// An event arrived without what is needed to record it.
    #[error("{0}; nothing was recorded")]
    Unusable(String),
}

/// An order could not even be planned. Nothing was changed.
#[derive(Debug, Error)]
pub enum OrderError {
    /// Something it names does not exist.
    #[error("Unknown {what}: `{name}`; nothing was changed, `takeback log` lists what there is")]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// Its name as given.
        name: String,
    },
    /// There is no such hunk.
    #[error("`{name}` cannot be taken back alone: {reason}; nothing was changed, `takeback diff` shows what there is")]
    NoHunk {
        /// What was asked for.
        name: String,
        /// Why not.
        reason: decide::PartError,
    },
    /// The session's agent is in the middle of something.
    #[error("The session's agent is running; nothing was changed, stop it first")]
    Running,
    /// What is to be made is there already.
    #[error("The session `{0}` exists already; nothing was changed, choose another id")]
    Exists(String),
    /// The agent gives its conversations their ids itself.
    #[error("The agent names its sessions itself; nothing was changed, fork without naming the new one")]
    AgentNamesSessions,
    /// The agent's side could not be made ready.
    #[error(transparent)]
    Agent(agents::DriverError),
    /// There is no session at all.
    #[error("No session has been recorded here yet; nothing was changed")]
    NoSession,
    /// The workspace could not be recorded first.
    #[error("The present state could not be stored, so nothing was changed: {0}")]
    Record(#[from] RecordError),
    /// The store could not be read.
    #[error("The store could not be read, so nothing was changed: {0}")]
    Store(#[from] StoreError),
    /// The user's files could not be looked at.
    #[error("The workspace could not be looked at, so nothing was changed: {0}")]
    Disk(#[from] DiskError),
}

impl From<AdoptError> for RecordError {
    fn from(error: AdoptError) -> Self {
        match error {
            AdoptError::Vanished(_) => RecordError::Vanished,
            AdoptError::Store(error) => RecordError::Store(error),
        }
    }
}

impl From<WriteError> for OrderError {
    fn from(error: WriteError) -> Self {
        OrderError::Record(error.into())
    }
}
