//! Operations: acts of takeback itself.

use model::{CheckpointId, OperationId, Scope, SessionId, TurnId, Verb};
use rusqlite::{Row, params};

use crate::columns::{Coded, put, take};
use crate::{Reader, StoreError, Writer};

/// One act of takeback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its id; later operations have greater ones.
    pub id: OperationId,
    /// The session it was done for.
    pub session: Option<SessionId>,
    /// What it is.
    pub verb: Verb,
    /// Which halves it moves.
    pub scope: Scope,
    /// How far it got.
    pub state: OperationState,
    /// The turns it takes back or brings again.
    pub turns: Vec<TurnId>,
    /// The state of the workspace right before it wrote.
    pub rescue: CheckpointId,
    /// The state of the workspace after it.
    pub closing: Option<CheckpointId>,
    /// When it began.
    pub started_ns: i64,
    /// When it ended.
    pub ended_ns: Option<i64>,
    /// The operation that brought its work again.
    pub redone_by: Option<OperationId>,
    /// The operations whose work it brings again.
    pub redoes: Vec<OperationId>,
    /// For a switch: the turns of the version it leads to, beyond what both share.
    pub brings: Vec<TurnId>,
    /// What was reported to the user; only the faces know how to read it.
    pub report: String,
}

/// An operation that is about to begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOperation {
    /// The session it is done for.
    pub session: Option<SessionId>,
    /// What it is.
    pub verb: Verb,
    /// Which halves it moves.
    pub scope: Scope,
    /// The turns it takes back or brings again.
    pub turns: Vec<TurnId>,
    /// The state of the workspace right before it writes.
    pub rescue: CheckpointId,
    /// When it begins.
    pub started_ns: i64,
    /// The operations whose work it brings again.
    pub redoes: Vec<OperationId>,
    /// For a switch: the turns of the version it leads to, beyond what both share.
    pub brings: Vec<TurnId>,
}

/// How an operation ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationEnd {
    /// How far it got.
    pub state: OperationState,
    /// The state of the workspace after it.
    pub closing: Option<CheckpointId>,
    /// When it ended.
    pub ended_ns: i64,
    /// What is reported to the user.
    pub report: String,
}

/// How far an operation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationState {
    /// It is under way, or died under way.
    Open,
    /// It is done.
    Committed,
    /// It failed, and what it had done was put back.
    Compensated,
    /// It failed, and something could not be put back.
    Stuck,
}

impl Coded for OperationState {
    const WHAT: &'static str = "the state of an operation";
    const ALL: &'static [Self] =
        &[OperationState::Open, OperationState::Committed, OperationState::Compensated, OperationState::Stuck];

    fn code(self) -> &'static str {
        match self {
            OperationState::Open => "open",
            OperationState::Committed => "committed",
            OperationState::Compensated => "compensated",
            OperationState::Stuck => "stuck",
        }
    }
}

const COLUMNS: &str = "id, session, verb, scope, state, turns, rescue, closing, started_ns, ended_ns, redone_by,
    redoes, report, brings";

impl Reader<'_> {
    /// The operation with this id.
    pub fn operation(&self, id: OperationId) -> Result<Option<Operation>, StoreError> {
        self.one(&format!("SELECT {COLUMNS} FROM operation WHERE id = ?1"), params![put(&id)], operation)
    }

    /// The operations done for a session, oldest first.
    pub fn operations_of(&self, session: SessionId) -> Result<Vec<Operation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM operation WHERE session = ?1 ORDER BY id");
        self.all(&sql, params![put(&session)], operation)
    }

    /// All operations, oldest first.
    pub fn operations(&self) -> Result<Vec<Operation>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM operation ORDER BY id"), params![], operation)
    }

    /// The operations that are open or stuck, oldest first. None nearly always, and that is found at once.
    pub fn open_operations(&self) -> Result<Vec<Operation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM operation WHERE state IN ('open', 'stuck') ORDER BY id");
        self.all(&sql, params![], operation)
    }

    /// The operations whose journal has not been dropped, oldest first: those that are open or stuck, and those whose
    /// process died before it had cleaned up. None nearly always, and that is found at once.
    pub fn journalled_operations(&self) -> Result<Vec<Operation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM operation WHERE id IN (SELECT operation FROM journal) ORDER BY id");
        self.all(&sql, params![], operation)
    }
}

impl Writer<'_> {
    /// Adds an open operation.
    pub fn add_operation(&mut self, new: &NewOperation) -> Result<OperationId, StoreError> {
        let id = self.insert(
            "INSERT INTO operation(session, verb, scope, state, turns, rescue, started_ns, redoes, report, brings)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, '', ?9)",
            params![
                put(&new.session),
                put(&new.verb),
                put(&new.scope),
                put(&OperationState::Open),
                put(&new.turns),
                put(&new.rescue),
                new.started_ns,
                put(&new.redoes),
                put(&new.brings)
            ],
        )?;
        Ok(OperationId(id))
    }

    /// Notes how far an operation got.
    pub fn set_operation_state(&mut self, id: OperationId, state: OperationState) -> Result<(), StoreError> {
        self.run("UPDATE operation SET state = ?2 WHERE id = ?1", params![put(&id), put(&state)])
    }

    /// Notes how an operation ended.
    pub fn end_operation(&mut self, id: OperationId, end: &OperationEnd) -> Result<(), StoreError> {
        self.run(
            "UPDATE operation SET state = ?2, closing = ?3, ended_ns = ?4, report = ?5 WHERE id = ?1",
            params![put(&id), put(&end.state), put(&end.closing), end.ended_ns, end.report],
        )
    }

    /// Notes that `by` brought the work of `id` again.
    pub fn mark_redone(&mut self, id: OperationId, by: OperationId) -> Result<(), StoreError> {
        self.run("UPDATE operation SET redone_by = ?2 WHERE id = ?1", params![put(&id), put(&by)])
    }
}

fn operation(row: &Row<'_>) -> rusqlite::Result<Operation> {
    Ok(Operation {
        id: take(row, 0)?,
        session: take(row, 1)?,
        verb: take(row, 2)?,
        scope: take(row, 3)?,
        state: take(row, 4)?,
        turns: take(row, 5)?,
        rescue: take(row, 6)?,
        closing: take(row, 7)?,
        started_ns: take(row, 8)?,
        ended_ns: take(row, 9)?,
        redone_by: take(row, 10)?,
        redoes: take(row, 11)?,
        report: take(row, 12)?,
        brings: take::<Option<Vec<TurnId>>>(row, 13)?.unwrap_or_default(),
    })
}
