//! How a workspace stands: what could be taken back or brought again, what is running, what needs care. Reads only.

use std::path::PathBuf;

use decide::selection;
use model::{OperationId, Scope, SessionId, StepId, TurnId};
use store::{OperationState, WindowState};

use crate::error::RecordError;
use crate::history;
use crate::sessions;
use crate::workspace::{CoverageMode, Workspace};

/// How a workspace stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusView {
    /// Its root.
    pub root: PathBuf,
    /// How much of it is watched.
    pub coverage: CoverageMode,
    /// How many paths are known.
    pub entries: usize,
    /// How many sessions it has seen.
    pub sessions: usize,
    /// How many turns the session has.
    pub turns: usize,
    /// The session's turns that could be taken back, the newest first.
    pub undoable: Vec<TurnId>,
    /// The session's operations that could be brought again, the newest first.
    pub redoable: Vec<OperationId>,
    /// Steps of any session whose windows are open.
    pub running: Vec<StepId>,
    /// Operations that could not be taken back completely.
    pub stuck: Vec<OperationId>,
    /// What the store takes on disk, in bytes.
    pub stored_bytes: u64,
}

impl Workspace {
    /// How it stands for a session, or for the one that was active last.
    pub fn status(&self, session: Option<SessionId>) -> Result<StatusView, RecordError> {
        let reader = self.store.read()?;
        let session = match session {
            Some(id) => Some(id),
            None => sessions::newest(&reader)?.map(|session| session.id),
        };
        let past = match session {
            Some(id) => history::history(&reader, id)?,
            None => selection::History::default(),
        };
        let windows = reader.open_windows()?;
        let stuck = reader.open_operations()?.into_iter().filter(|operation| operation.state == OperationState::Stuck);
        Ok(StatusView {
            root: self.root_path().to_owned(),
            coverage: self.coverage_mode()?,
            entries: reader.index()?.len(),
            sessions: sessions::listed(&reader)?.len(),
            turns: past.turns.len(),
            undoable: selection::turns_to_undo(&past, Scope::Both, usize::MAX),
            redoable: selection::operations_to_redo(&past, Scope::Both, usize::MAX),
            running: windows.iter().filter(|w| w.state == WindowState::Open).map(|w| w.step).collect(),
            stuck: stuck.map(|operation| operation.id).collect(),
            stored_bytes: self.stored_bytes()?,
        })
    }

    /// What the store takes on disk, in allocated bytes.
    pub(crate) fn stored_bytes(&self) -> Result<u64, RecordError> {
        let mut bytes = 0;
        for folder in [self.folder.clone(), self.folder.join("packs")] {
            for file in disk::state::list(&folder)? {
                bytes += disk::state::size(&file)?.map_or(0, |size| size.allocated_bytes);
            }
        }
        Ok(bytes)
    }
}
