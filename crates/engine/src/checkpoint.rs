//! Checkpoints made on request, and the checks of what is stored.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use model::{CheckpointId, SessionId};
use store::{NameError, NewSession, StoreError, Writer};

use crate::error::{OrderError, RecordError};
use crate::first_capture;
use crate::moment::Moment;
use crate::run::{RUN_AGENT, TERMINAL_SESSION};
use crate::sessions;
use crate::workspace::Workspace;

impl Workspace {
    /// Takes a checkpoint of the present state. With a name it is pinned and can be restored by it; a name that is in use
    /// moves to the new one.
    pub fn checkpoint(&self, name: Option<&str>) -> Result<CheckpointId, OrderError> {
        first_capture::finish(self)?;
        self.record("checkpoint", |recording| {
            let session = Some(newest_or_own_session(&mut recording.writer, self.root_path())?);
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

/// A checkpoint is made for the session that was active last. Where none is, it begins the one of the terminal, so that
/// there is somebody to restore it for.
fn newest_or_own_session(writer: &mut Writer<'_>, root: &Path) -> Result<SessionId, StoreError> {
    match sessions::newest(writer)? {
        Some(session) => Ok(session.id),
        None => writer.add_session(&NewSession {
            agent: RUN_AGENT.to_owned(),
            native: TERMINAL_SESSION.to_owned(),
            parent: None,
            forked_at: None,
            cwd: root.as_os_str().as_bytes().to_vec(),
            started_ns: disk::clock::now_ns(),
        }),
    }
}

fn unusable(error: NameError) -> RecordError {
    match error {
        NameError::Store(error) => error.into(),
        other => RecordError::Unusable(other.to_string()),
    }
}
