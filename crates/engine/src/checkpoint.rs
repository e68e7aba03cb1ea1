//! Checkpoints made on request, and the checks of what is stored.

use model::{CheckpointId, SessionId};
use store::{NameError, StoreError};

use crate::error::{OrderError, RecordError};
use crate::first_capture;
use crate::moment::Moment;
use crate::workspace::Workspace;

impl Workspace {
    /// Takes a checkpoint of the present state. With a name it is pinned and can be restored by it; a name that is in use
    /// moves to the new one.
    pub fn checkpoint(&self, name: Option<&str>) -> Result<CheckpointId, OrderError> {
        first_capture::finish(self)?;
        self.record("checkpoint", |recording| {
            let session: Option<SessionId> = recording.writer.newest_session()?.map(|session| session.id);
            let entered = recording.enter(&Moment::of("checkpoint", session))?;
            recording.writer.name_checkpoint(entered.checkpoint, name).map_err(unusable)?;
            Ok(entered.checkpoint)
        })
        .map_err(OrderError::from)
    }

    /// The checkpoint of a name, if there is one.
    pub fn checkpoint_named(&self, name: &str) -> Result<Option<CheckpointId>, StoreError> {
        Ok(self.store.read()?.checkpoint_by_name(name)?.map(|checkpoint| checkpoint.id))
    }
}

fn unusable(error: NameError) -> RecordError {
    match error {
        NameError::Store(error) => error.into(),
        other => RecordError::Unusable(other.to_string()),
    }
}
