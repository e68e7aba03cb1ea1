//! Sessions: lines of work, each with one agent. An agent may give one session several ids of its own over time (a cut
//! or a resume makes a new one); all of them lead to the same session.

use disk::Process;
use model::{SessionId, TurnId};
use rusqlite::{Row, params};

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

/// One line of work with one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id in this workspace.
    pub id: SessionId,
    /// Which agent, as named by its translator.
    pub agent: String,
    /// The agent's own id of the session; the newest if it gave several.
    pub native: String,
    /// The session it descends from.
    pub parent: Option<SessionId>,
    /// The last turn of the parent that belongs to this session's past.
    pub forked_at: Option<TurnId>,
    /// The folder it was started in.
    pub cwd: Vec<u8>,
    /// When it started.
    pub started_ns: i64,
    /// When anything of it was last seen.
    pub active_ns: i64,
    /// When it ended; none while it goes on.
    pub ended_ns: Option<i64>,
    /// When the user put it away; none while it is listed.
    pub removed_ns: Option<i64>,
    /// The agent's process that was seen at work on it last, where it could be told.
    pub process: Option<Process>,
}

/// A session that is not in the store yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSession {
    /// Which agent.
    pub agent: String,
    /// The agent's own id.
    pub native: String,
    /// The session it descends from.
    pub parent: Option<SessionId>,
    /// The last turn of the parent that belongs to this session's past.
    pub forked_at: Option<TurnId>,
    /// The folder it was started in.
    pub cwd: Vec<u8>,
    /// When it started.
    pub started_ns: i64,
}

const COLUMNS: &str = "id, agent, native, parent, forked_at, cwd, started_ns, active_ns, ended_ns, removed_ns, \
                       process_pid, process_started_ticks";

impl Reader<'_> {
    /// The session with this id.
    pub fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM session WHERE id = ?1"), params![put(&id)], session)
    }

    /// The session that this agent calls, or once called, `native`.
    pub fn session_by_native(&self, agent: &str, native: &str) -> Result<Option<Session>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM session WHERE id =
                (SELECT session FROM session_native WHERE agent = ?1 AND native = ?2)"
        );
        self.one(&sql, params![agent, native], session)
    }

    /// Every id that the agent ever gave this session, sorted.
    pub fn natives_of(&self, id: SessionId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT native FROM session_native WHERE session = ?1 ORDER BY native";
        self.all(sql, params![put(&id)], |row| take(row, 0))
    }

    /// All sessions, oldest first.
    pub fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM session ORDER BY id"), params![], session)
    }

    /// The session of which something was seen last, of those that were not put away.
    pub fn newest_session(&self) -> Result<Option<Session>, StoreError> {
        let sql =
            format!("SELECT {COLUMNS} FROM session WHERE removed_ns IS NULL ORDER BY active_ns DESC, id DESC LIMIT 1");
        self.one(&sql, params![], session)
    }
}

impl Writer<'_> {
    /// Adds a session. Fails, and adds nothing, if the agent already has a session with this id of its own.
    pub fn add_session(&mut self, new: &NewSession) -> Result<SessionId, StoreError> {
        if let Some(known) = self.session_by_native(&new.agent, &new.native)? {
            return Err(StoreError::Database(format!("`{}` is already session {}", new.native, known.id).into()));
        }
        let id = SessionId(self.insert(
            "INSERT INTO session(agent, native, parent, forked_at, cwd, started_ns, active_ns)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            params![new.agent, new.native, put(&new.parent), put(&new.forked_at), new.cwd, new.started_ns],
        )?);
        let sql = "INSERT INTO session_native(agent, native, session) VALUES (?1, ?2, ?3)";
        self.run(sql, params![new.agent, new.native, put(&id)])?;
        Ok(id)
    }

    /// Notes that a session descends from another, whose last turn in its past is this one.
    pub fn set_parent(&mut self, id: SessionId, parent: SessionId, forked_at: TurnId) -> Result<(), StoreError> {
        let sql = "UPDATE session SET parent = ?2, forked_at = ?3 WHERE id = ?1";
        self.run(sql, params![put(&id), put(&parent), put(&forked_at)])
    }

    /// Notes that the agent now calls this session `native`; the older ids still lead to it. An id that led to another
    /// session of the agent leads to this one from now on.
    pub fn add_native(&mut self, id: SessionId, native: &str) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO session_native(agent, native, session)
                SELECT agent, ?2, id FROM session WHERE id = ?1",
            params![put(&id), native],
        )?;
        self.run("UPDATE session SET native = ?2 WHERE id = ?1", params![put(&id), native])
    }

    /// Notes that something of the session was seen; an earlier time than the noted one changes nothing.
    pub fn touch_session(&mut self, id: SessionId, at_ns: i64) -> Result<(), StoreError> {
        let sql = "UPDATE session SET active_ns = max(active_ns, ?2) WHERE id = ?1";
        self.run(sql, params![put(&id), at_ns])
    }

    /// Notes that the session ended.
    pub fn end_session(&mut self, id: SessionId, at_ns: i64) -> Result<(), StoreError> {
        self.run("UPDATE session SET ended_ns = ?2 WHERE id = ?1", params![put(&id), at_ns])
    }

    /// Puts a session away. Nothing of it is dropped: what branched off it keeps what it inherited.
    pub fn remove_session(&mut self, id: SessionId, at_ns: i64) -> Result<(), StoreError> {
        self.run("UPDATE session SET removed_ns = ?2 WHERE id = ?1", params![put(&id), at_ns])
    }

    /// Notes which process of the agent is at work on the session, or that it cannot be told.
    pub fn set_session_process(&mut self, id: SessionId, process: Option<Process>) -> Result<(), StoreError> {
        let sql = "UPDATE session SET process_pid = ?2, process_started_ticks = ?3 WHERE id = ?1";
        let (pid, ticks) = (process.map(|it| i64::from(it.pid)), process.map(|it| it.started_ticks.cast_signed()));
        self.run(sql, params![put(&id), pid, ticks])
    }

    /// Notes that an ended session goes on.
    pub fn reopen_session(&mut self, id: SessionId) -> Result<(), StoreError> {
        self.run("UPDATE session SET ended_ns = NULL WHERE id = ?1", params![put(&id)])
    }
}

fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: take(row, 0)?,
        agent: take(row, 1)?,
        native: take(row, 2)?,
        parent: take(row, 3)?,
        forked_at: take(row, 4)?,
        cwd: take(row, 5)?,
        started_ns: take(row, 6)?,
        active_ns: take(row, 7)?,
        ended_ns: take(row, 8)?,
        removed_ns: take(row, 9)?,
        process: process(row)?,
    })
}

fn process(row: &Row<'_>) -> rusqlite::Result<Option<Process>> {
    let (pid, ticks): (Option<i64>, Option<i64>) = (take(row, 10)?, take(row, 11)?);
    let of = |pid: i64, ticks: i64| Some(Process { pid: pid.try_into().ok()?, started_ticks: ticks.try_into().ok()? });
    Ok(pid.zip(ticks).and_then(|(pid, ticks)| of(pid, ticks)))
}
