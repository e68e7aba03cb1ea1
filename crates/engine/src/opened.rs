//! For hosts that live longer than one event: a session is opened once, and its later events go straight to its
//! workspace.

use agents::Event;
use model::SessionId;

use crate::error::RecordError;
use crate::record::{self, Received};
use crate::takeback::{ReceiveError, Takeback};
use crate::workspace::Workspace;

/// A session with the workspace it belongs to.
pub struct OpenedSession {
    /// The workspace.
    pub workspace: Workspace,
    /// The session's id in it.
    pub id: SessionId,
    /// Sentences for the user.
    pub said: Vec<String>,
}

impl Takeback {
    /// Records the event that begins a session, and says where it was recorded.
    ///
    /// A session that is known stays with the workspace of its first event. On an error nothing was recorded. Never
    /// writes into the workspace.
    pub fn open_session(&self, event: &Event) -> Result<OpenedSession, ReceiveError> {
        let root = self.root_of_event(event)?;
        let workspace = Workspace::open(&self.home, &self.environment, &root)?;
        let said = workspace.receive(event)?.said;
        let known = workspace.store.read().and_then(|reader| reader.session_by_native(&event.agent, &event.session));
        let id = known.map_err(RecordError::from)?.ok_or(RecordError::Contended)?.id;
        Ok(OpenedSession { workspace, id, said })
    }
}

impl Workspace {
    /// Records an event of a session that belongs to this workspace. On an error nothing of it was recorded.
    pub fn receive(&self, event: &Event) -> Result<Received, RecordError> {
        record::record(self, event)
    }
}
