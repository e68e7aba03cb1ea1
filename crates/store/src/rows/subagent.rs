//! Subagents: who works inside a session besides its main agent. Their steps belong to the turn that spawned them.

use model::{SessionId, StepId, TurnId};
use rusqlite::{Row, params};

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

/// One subagent of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    /// The session it works in.
    pub session: SessionId,
    /// The agent's own id of it.
    pub agent_id: String,
    /// The subagent that spawned it; none if the main agent did.
    pub parent_agent: Option<String>,
    /// The turn that spawned it.
    pub turn: TurnId,
    /// The step that spawned it, as far as that is known.
    pub dispatch: Option<StepId>,
    /// When it started.
    pub started_ns: i64,
    /// When it stopped.
    pub stopped_ns: Option<i64>,
}

const COLUMNS: &str = "session, agent_id, parent_agent, turn, dispatch_turn, dispatch_number, started_ns, stopped_ns";

impl Reader<'_> {
    /// The subagent of a session with this id of the agent's own.
    pub fn subagent(&self, session: SessionId, agent_id: &str) -> Result<Option<Subagent>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM subagent WHERE session = ?1 AND agent_id = ?2");
        self.one(&sql, params![put(&session), agent_id], subagent)
    }

    /// All subagents of a session, in the order in which they started.
    pub fn subagents_of(&self, session: SessionId) -> Result<Vec<Subagent>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM subagent WHERE session = ?1 ORDER BY started_ns, agent_id");
        self.all(&sql, params![put(&session)], subagent)
    }
}

impl Writer<'_> {
    /// Adds a subagent. One that the session already has is replaced: it was started again.
    pub fn add_subagent(&mut self, new: &Subagent) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO subagent
                (session, agent_id, parent_agent, turn, dispatch_turn, dispatch_number, started_ns, stopped_ns)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                put(&new.session),
                new.agent_id,
                new.parent_agent,
                put(&new.turn),
                put(&new.dispatch.map(|step| step.turn)),
                new.dispatch.map(|step| step.number),
                new.started_ns,
                new.stopped_ns
            ],
        )
    }

    /// Notes that a subagent stopped.
    pub fn stop_subagent(&mut self, session: SessionId, agent_id: &str, at_ns: i64) -> Result<(), StoreError> {
        let sql = "UPDATE subagent SET stopped_ns = ?3 WHERE session = ?1 AND agent_id = ?2";
        self.run(sql, params![put(&session), agent_id, at_ns])
    }
}

fn subagent(row: &Row<'_>) -> rusqlite::Result<Subagent> {
    Ok(Subagent {
        session: take(row, 0)?,
        agent_id: take(row, 1)?,
        parent_agent: take(row, 2)?,
        turn: take(row, 3)?,
        dispatch: dispatch(row)?,
        started_ns: take(row, 6)?,
        stopped_ns: take(row, 7)?,
    })
}

fn dispatch(row: &Row<'_>) -> rusqlite::Result<Option<StepId>> {
    let (turn, number): (Option<TurnId>, Option<u32>) = (take(row, 4)?, take(row, 5)?);
    Ok(turn.zip(number).map(|(turn, number)| StepId { turn, number }))
}
