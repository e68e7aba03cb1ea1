//! Checkpoints: places in the ledger one can return to. A named one is pinned.

use model::{CheckpointId, Seq, SessionId, StepId, TurnId};
use rusqlite::{Row, params};

use crate::columns::{number, put, take, take_optional_step};
use crate::{Reader, StoreError, Writer};

/// One place in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// Its id; later checkpoints have greater ones.
    pub id: CheckpointId,
    /// When it was taken.
    pub at_ns: i64,
    /// What it was taken for: the event of the agent, or the act of ours.
    pub event: String,
    /// The session, if it was one's.
    pub session: Option<SessionId>,
    /// The turn, if it was in one.
    pub turn: Option<TurnId>,
    /// The step, if it was around one.
    pub step: Option<StepId>,
    /// The last transition that is part of this state; 0 if there is none.
    pub last_seq: Seq,
    /// Its name, if it has one.
    pub name: Option<String>,
}

/// A checkpoint that is about to be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCheckpoint {
    /// When.
    pub at_ns: i64,
    /// What for.
    pub event: String,
    /// The session, if it is one's.
    pub session: Option<SessionId>,
    /// The turn, if it is in one.
    pub turn: Option<TurnId>,
    /// The step, if it is around one.
    pub step: Option<StepId>,
}

/// Why a checkpoint was not named. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum NameError {
    /// There is no such checkpoint.
    #[error("There is no checkpoint {0}")]
    Unknown(CheckpointId),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

const COLUMNS: &str = "id, at_ns, event, session, turn, step_turn, step_number, last_seq, name";

impl Reader<'_> {
    /// The checkpoint with this id.
    pub fn checkpoint(&self, id: CheckpointId) -> Result<Option<Checkpoint>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM checkpoint WHERE id = ?1"), params![put(&id)], checkpoint)
    }

    /// The checkpoint with this name.
    pub fn checkpoint_by_name(&self, name: &str) -> Result<Option<Checkpoint>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM checkpoint WHERE name = ?1"), params![name], checkpoint)
    }

    /// The newest checkpoint in a turn that was taken at a time or before it.
    pub fn checkpoint_in_turn(&self, turn: TurnId, until_ns: i64) -> Result<Option<Checkpoint>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM checkpoint WHERE turn = ?1 AND at_ns <= ?2 ORDER BY id DESC LIMIT 1");
        self.one(&sql, params![put(&turn), until_ns], checkpoint)
    }

    /// Up to `limit` checkpoints, the newest first.
    pub fn checkpoints(&self, limit: u64) -> Result<Vec<Checkpoint>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM checkpoint ORDER BY id DESC LIMIT ?1");
        self.all(&sql, params![number(limit)], checkpoint)
    }

    /// All named checkpoints, oldest first.
    pub fn named_checkpoints(&self) -> Result<Vec<Checkpoint>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM checkpoint WHERE name IS NOT NULL ORDER BY id");
        self.all(&sql, params![], checkpoint)
    }

    /// The newest checkpoint.
    pub fn latest_checkpoint(&self) -> Result<Option<Checkpoint>, StoreError> {
        Ok(self.checkpoints(1)?.pop())
    }
}

impl Writer<'_> {
    /// Takes a checkpoint at the end of the ledger. Transitions that are added to it later move it with them.
    pub fn add_checkpoint(&mut self, new: &NewCheckpoint) -> Result<CheckpointId, StoreError> {
        let last = self.last_seq()?;
        let id = self.insert(
            "INSERT INTO checkpoint(at_ns, event, session, turn, step_turn, step_number, last_seq)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                new.at_ns,
                new.event,
                put(&new.session),
                put(&new.turn),
                put(&new.step.map(|step| step.turn)),
                put(&new.step.map(|step| step.number)),
                put(&last)
            ],
        )?;
        Ok(CheckpointId(id))
    }

    /// Gives a checkpoint a name, or takes it with none. A name that another checkpoint had moves to this one.
    pub fn name_checkpoint(&mut self, id: CheckpointId, name: Option<&str>) -> Result<(), NameError> {
        if self.checkpoint(id)?.is_none() {
            return Err(NameError::Unknown(id));
        }
        self.run("UPDATE checkpoint SET name = NULL WHERE name = ?1", params![name])?;
        self.run("UPDATE checkpoint SET name = ?2 WHERE id = ?1", params![put(&id), name])?;
        Ok(())
    }

    /// Moves the end of a checkpoint to a transition that was added to it.
    pub(super) fn extend_checkpoint(&mut self, id: CheckpointId, last: Seq) -> Result<(), StoreError> {
        let sql = "UPDATE checkpoint SET last_seq = max(last_seq, ?2) WHERE id = ?1";
        self.run(sql, params![put(&id), put(&last)])
    }
}

fn checkpoint(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    Ok(Checkpoint {
        id: take(row, 0)?,
        at_ns: take(row, 1)?,
        event: take(row, 2)?,
        session: take(row, 3)?,
        turn: take(row, 4)?,
        step: take_optional_step(row, 5)?,
        last_seq: take(row, 7)?,
        name: take(row, 8)?,
    })
}
