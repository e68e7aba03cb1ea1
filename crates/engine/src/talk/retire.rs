//! Putting versions away. It is a mark on the version: nothing that was said is removed, and switching to it takes the
//! mark off again.

use model::{HeadId, SessionId};
use store::StoreError;
use thiserror::Error;

use super::view::own_turns;
use crate::workspace::Workspace;

/// Whether a version may be put away although it holds turns that no other has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnTurns {
    /// Only a version that adds nothing is put away.
    Keep,
    /// The user has agreed.
    PutAway,
}

/// A version was not put away. Nothing was changed.
#[derive(Debug, Error)]
pub enum RetireError {
    /// There is no such version.
    #[error("Unknown version: `{0}`; nothing was changed, `takeback versions` lists what there is")]
    Unknown(HeadId),
    /// The session stands on it.
    #[error("The session stands on `{0}`; nothing was changed, switch to another version first")]
    Selected(HeadId),
    /// It holds turns that are on no other version.
    #[error("`{head}` holds turns of its own ({turns}); nothing was changed, confirm with `--yes`")]
    HoldsTurns {
        /// The version.
        head: HeadId,
        /// The turns, for people.
        turns: String,
    },
    /// The store could not be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store could not be written.
    #[error(transparent)]
    Write(#[from] store::WriteError),
}

impl Workspace {
    /// Puts a version away, so that it is no longer listed. What was said on it stays, and it can be switched to.
    pub fn retire_version(&self, session: SessionId, head: HeadId, own: OwnTurns) -> Result<(), RetireError> {
        let mut writer = self.store.write("versions", store::Durability::Full)?;
        let row = writer.head(head)?.filter(|row| row.session == session).ok_or(RetireError::Unknown(head))?;
        if writer.selected_head(session)?.is_some_and(|selected| selected.id == head) {
            return Err(RetireError::Selected(head));
        }
        let turns = own_turns(&writer, &row)?;
        if own == OwnTurns::Keep && !turns.is_empty() {
            let turns = turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
            return Err(RetireError::HoldsTurns { head, turns });
        }
        writer.retire_head(head, true)?;
        Ok(writer.commit()?)
    }
}
