//! Notes: what the model of an agent that keeps its conversation itself must still be told, each once.

use model::{OperationId, SessionId};
use rusqlite::params;

use crate::columns::put;
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// What a session's model has not been told yet, the oldest first.
    pub fn untold_notes(&self, session: SessionId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT text FROM note WHERE session = ?1 AND told_ns IS NULL ORDER BY id";
        self.all(sql, params![put(&session)], |row| row.get(0))
    }
}

impl Writer<'_> {
    /// Keeps something that a session's model must be told.
    pub fn add_note(
        &mut self,
        session: SessionId,
        operation: Option<OperationId>,
        text: &str,
        made_ns: i64,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO note(session, operation, text, made_ns) VALUES (?1, ?2, ?3, ?4)";
        self.run(sql, params![put(&session), put(&operation), text, made_ns])
    }

    /// Hands out what has not been told yet, the oldest first, and notes that it is told now.
    pub fn tell_notes(&mut self, session: SessionId, told_ns: i64) -> Result<Vec<String>, StoreError> {
        let untold = self.untold_notes(session)?;
        self.run(
            "UPDATE note SET told_ns = ?2 WHERE session = ?1 AND told_ns IS NULL",
            params![put(&session), told_ns],
        )?;
        Ok(untold)
    }
}
