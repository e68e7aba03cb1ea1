//! Sessions that are put away, and which one is meant where none is named. Putting away is a mark: nothing of a session
//! is dropped, and what branched off it keeps what it inherited.

use model::SessionId;
use store::{Reader, Session, StoreError, WriteError};
use thiserror::Error;

use crate::workspace::Workspace;

/// Before anything was ever seen of a session.
const NEVER_NS: i64 = 0;

/// A session was not put away, or not brought back. Nothing was changed.
#[derive(Debug, Error)]
pub enum PutAwayError {
    /// There is no such session.
    #[error("Unknown session: `{0}`; nothing was changed, `takeback sessions` lists what there is")]
    Unknown(SessionId),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl Workspace {
    /// Puts a session away: it is not listed and never meant where none is named, until something of it is seen again.
    ///
    /// Everything it did can still be taken back by its name, and by the sessions that branched off it. On an error
    /// nothing was changed.
    pub fn put_session_away(&self, session: SessionId) -> Result<(), PutAwayError> {
        self.mark_removed(session, disk::clock::now_ns())
    }

    /// Brings a session back that was put away. On an error nothing was changed.
    pub fn bring_session_back(&self, session: SessionId) -> Result<(), PutAwayError> {
        self.mark_removed(session, NEVER_NS)
    }

    fn mark_removed(&self, session: SessionId, at_ns: i64) -> Result<(), PutAwayError> {
        let mut writer = self.store.write("sessions", store::Durability::Full)?;
        writer.session(session)?.ok_or(PutAwayError::Unknown(session))?;
        writer.remove_session(session, at_ns)?;
        Ok(writer.commit()?)
    }
}

/// The sessions that are not put away, the oldest first.
pub(crate) fn listed(reader: &Reader<'_>) -> Result<Vec<Session>, StoreError> {
    let mut sessions = reader.sessions()?;
    sessions.retain(|session| !is_put_away(session));
    Ok(sessions)
}

/// The session that is meant where none is named: the one of which something was seen last.
pub(crate) fn newest(reader: &Reader<'_>) -> Result<Option<Session>, StoreError> {
    Ok(listed(reader)?.into_iter().max_by_key(|session| (session.active_ns, session.id)))
}

/// A session that went on after it was put away is there again.
fn is_put_away(session: &Session) -> bool {
    session.removed_ns.is_some_and(|removed_ns| removed_ns >= session.active_ns)
}
