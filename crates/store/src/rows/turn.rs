//! Turns: each opened by one human prompt.

use model::{CheckpointId, Coverage, SessionId, TurnId, TurnStatus};
use rusqlite::{Row, params};

use crate::columns::{number, put, take};
use crate::{Reader, StoreError, Writer};

/// One turn of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Its id; later turns have greater ones, none is ever given twice.
    pub id: TurnId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The agent's own id of the prompt.
    pub prompt_id: Option<String>,
    /// What the human asked for.
    pub prompt: Option<String>,
    /// How it ended, or that it has not.
    pub status: TurnStatus,
    /// How much of its footprint is known.
    pub coverage: Coverage,
    /// When it was opened.
    pub started_ns: i64,
    /// When it was closed.
    pub ended_ns: Option<i64>,
    /// The state of the workspace before it.
    pub opened_at: CheckpointId,
    /// The state of the workspace after it.
    pub closed_at: Option<CheckpointId>,
    /// When it completed last; stays when it is opened again.
    pub completed_ns: Option<i64>,
}

/// A turn that is about to be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTurn {
    /// The session it belongs to.
    pub session: SessionId,
    /// The agent's own id of the prompt.
    pub prompt_id: Option<String>,
    /// What the human asked for.
    pub prompt: Option<String>,
    /// When it is opened.
    pub started_ns: i64,
    /// The state of the workspace before it.
    pub opened_at: CheckpointId,
}

const COLUMNS: &str = "id, session, prompt_id, prompt, status, coverage, started_ns, ended_ns, opened_at, closed_at,
    completed_ns";

impl Reader<'_> {
    /// The turn with this id.
    pub fn turn(&self, id: TurnId) -> Result<Option<Turn>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM turn WHERE id = ?1"), params![put(&id)], turn)
    }

    /// The newest turn of a session that this prompt id names.
    pub fn turn_by_prompt(&self, session: SessionId, prompt_id: &str) -> Result<Option<Turn>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turn WHERE session = ?1 AND prompt_id = ?2 ORDER BY id DESC LIMIT 1");
        self.one(&sql, params![put(&session), prompt_id], turn)
    }

    /// The newest turn of a session that is still open.
    pub fn open_turn(&self, session: SessionId) -> Result<Option<Turn>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turn WHERE session = ?1 AND status = 'open' ORDER BY id DESC LIMIT 1");
        self.one(&sql, params![put(&session)], turn)
    }

    /// The newest turn of a session.
    pub fn newest_turn(&self, session: SessionId) -> Result<Option<Turn>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turn WHERE session = ?1 ORDER BY id DESC LIMIT 1");
        self.one(&sql, params![put(&session)], turn)
    }

    /// All turns of a session, oldest first.
    pub fn turns_of(&self, session: SessionId) -> Result<Vec<Turn>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM turn WHERE session = ?1 ORDER BY id");
        self.all(&sql, params![put(&session)], turn)
    }

    /// The newest `limit` turns of a session up to and including `until`, or up to now, the newest first. Cost grows with
    /// what is handed out, not with what came before.
    pub fn newest_turns(
        &self,
        session: SessionId,
        until: Option<TurnId>,
        limit: usize,
    ) -> Result<Vec<TurnId>, StoreError> {
        let sql = "SELECT id FROM turn WHERE session = ?1 AND id <= ?2 ORDER BY id DESC LIMIT ?3";
        let until = until.map_or(i64::MAX, |until| number(until.0));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(sql, params![put(&session), until, limit], |row| take(row, 0))
    }

    /// How many turns a session has.
    pub fn count_turns(&self, session: SessionId) -> Result<usize, StoreError> {
        let count = self
            .one("SELECT count(*) FROM turn WHERE session = ?1", params![put(&session)], |row| take::<u64>(row, 0))?;
        Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or_default())
    }

    /// The turns of a session that completed last, up to `limit`, by where they did, the newest first; then all that have
    /// completed once and were opened again. Cost grows with what is handed out, not with what came before.
    pub fn completed_turns(&self, session: SessionId, limit: usize) -> Result<Vec<Turn>, StoreError> {
        // Word for word the conditions of the two indices.
        let sql = format!(
            "SELECT {COLUMNS} FROM turn WHERE session = ?1 AND status = 'completed' ORDER BY closed_at DESC LIMIT ?2"
        );
        let mut turns = self.all(&sql, params![put(&session), i64::try_from(limit).unwrap_or(i64::MAX)], turn)?;
        let sql = format!(
            "SELECT {COLUMNS} FROM turn WHERE session = ?1 AND completed_ns IS NOT NULL AND status <> 'completed'
                ORDER BY id DESC"
        );
        turns.extend(self.all(&sql, params![put(&session)], turn)?);
        Ok(turns)
    }

    /// This turn and all later ones of every session, oldest first.
    pub fn turns_from(&self, first: TurnId) -> Result<Vec<Turn>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM turn WHERE id >= ?1 ORDER BY id"), params![put(&first)], turn)
    }
}

impl Writer<'_> {
    /// Opens a turn; its coverage is complete until somebody says otherwise.
    pub fn add_turn(&mut self, new: &NewTurn) -> Result<TurnId, StoreError> {
        let id = self.insert(
            "INSERT INTO turn(session, prompt_id, prompt, status, coverage, started_ns, opened_at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            params![
                put(&new.session),
                new.prompt_id,
                new.prompt,
                put(&TurnStatus::Open),
                put(&Coverage::Complete),
                new.started_ns,
                put(&new.opened_at)
            ],
        )?;
        Ok(TurnId(id))
    }

    /// Closes a turn.
    pub fn close_turn(
        &mut self,
        id: TurnId,
        status: TurnStatus,
        at_ns: i64,
        closed_at: CheckpointId,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE turn SET status = ?2, ended_ns = ?3, closed_at = ?4,
            completed_ns = CASE WHEN ?2 = 'completed' THEN ?3 ELSE completed_ns END
            WHERE id = ?1";
        self.run(sql, params![put(&id), put(&status), at_ns, put(&closed_at)])
    }

    /// Opens a closed turn again. That it had completed once is kept.
    pub fn reopen_turn(&mut self, id: TurnId) -> Result<(), StoreError> {
        let sql = "UPDATE turn SET status = ?2, ended_ns = NULL, closed_at = NULL WHERE id = ?1";
        self.run(sql, params![put(&id), put(&TurnStatus::Open)])
    }

    /// Notes how much of the turn's footprint is known.
    pub fn set_turn_coverage(&mut self, id: TurnId, coverage: Coverage) -> Result<(), StoreError> {
        self.run("UPDATE turn SET coverage = ?2 WHERE id = ?1", params![put(&id), put(&coverage)])
    }

    /// Notes the prompt of a turn, or that it has none.
    pub fn set_turn_prompt(
        &mut self,
        id: TurnId,
        prompt_id: Option<&str>,
        prompt: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE turn SET prompt_id = ?2, prompt = ?3 WHERE id = ?1";
        self.run(sql, params![put(&id), prompt_id, prompt])
    }

    /// Forgets a turn that was withdrawn before anything happened in it, with its steps and windows. Its id is not
    /// given again. Transitions are never forgotten: the caller makes sure that none names a step of it.
    pub fn remove_turn(&mut self, id: TurnId) -> Result<(), StoreError> {
        for table in ["step_window", "step", "gap"] {
            self.run(&format!("DELETE FROM {table} WHERE turn = ?1"), params![put(&id)])?;
        }
        self.run("DELETE FROM turn WHERE id = ?1", params![put(&id)])
    }
}

fn turn(row: &Row<'_>) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: take(row, 0)?,
        session: take(row, 1)?,
        prompt_id: take(row, 2)?,
        prompt: take(row, 3)?,
        status: take(row, 4)?,
        coverage: take(row, 5)?,
        started_ns: take(row, 6)?,
        ended_ns: take(row, 7)?,
        opened_at: take(row, 8)?,
        closed_at: take(row, 9)?,
        completed_ns: take(row, 10)?,
    })
}
