//! Activations: what has to happen at an agent that keeps its conversation itself, after an operation has been committed.
//! How it is done is the translator's; here its words are opaque.

use model::{OperationId, SessionId};
use rusqlite::{Row, params};

use crate::columns::{Coded, put, take};
use crate::{Reader, StoreError, Writer};

/// What an operation still means for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activation {
    /// The operation.
    pub operation: OperationId,
    /// Its session.
    pub session: SessionId,
    /// Which agent.
    pub agent: String,
    /// What is to be done, in the translator's words.
    pub lever: Vec<u8>,
    /// The command with which a person takes the conversation up.
    pub resume: Option<String>,
    /// How far it got.
    pub state: ActivationState,
    /// What went wrong the last time.
    pub trouble: Option<String>,
    /// When it was written down.
    pub made_ns: i64,
}

/// How far an activation got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActivationState {
    /// It is meant; nobody has said yet that it was done.
    Intended,
    /// It was done.
    Activated,
    /// The conversation went on elsewhere.
    Lifted,
    /// It could not be done.
    Failed,
}

impl Coded for ActivationState {
    const WHAT: &'static str = "the state of an activation";
    const ALL: &'static [Self] =
        &[ActivationState::Intended, ActivationState::Activated, ActivationState::Lifted, ActivationState::Failed];

    fn code(self) -> &'static str {
        match self {
            ActivationState::Intended => "intended",
            ActivationState::Activated => "activated",
            ActivationState::Lifted => "lifted",
            ActivationState::Failed => "failed",
        }
    }
}

const COLUMNS: &str = "operation, session, agent, lever, resume, state, trouble, made_ns";

impl Reader<'_> {
    /// The activation of an operation.
    pub fn activation(&self, operation: OperationId) -> Result<Option<Activation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM activation WHERE operation = ?1");
        self.one(&sql, params![put(&operation)], activation)
    }

    /// The activation of a session's newest operation that needed one.
    pub fn newest_activation(&self, session: SessionId) -> Result<Option<Activation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM activation WHERE session = ?1 ORDER BY operation DESC LIMIT 1");
        self.one(&sql, params![put(&session)], activation)
    }

    /// All activations, the oldest first.
    pub fn activations(&self) -> Result<Vec<Activation>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM activation ORDER BY operation"), params![], activation)
    }

    /// The activations of a session in a state, the oldest first.
    pub fn activations_in(&self, session: SessionId, state: ActivationState) -> Result<Vec<Activation>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM activation WHERE session = ?1 AND state = ?2 ORDER BY operation");
        self.all(&sql, params![put(&session), put(&state)], activation)
    }
}

impl Writer<'_> {
    /// Adds an activation.
    pub fn add_activation(&mut self, new: &Activation) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO activation(operation, session, agent, lever, resume, state, trouble, made_ns)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                put(&new.operation),
                put(&new.session),
                new.agent,
                new.lever,
                new.resume,
                put(&new.state),
                new.trouble,
                new.made_ns
            ],
        )
    }

    /// Notes how far an activation got, and what went wrong.
    pub fn set_activation(
        &mut self,
        operation: OperationId,
        state: ActivationState,
        trouble: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE activation SET state = ?2, trouble = ?3 WHERE operation = ?1";
        self.run(sql, params![put(&operation), put(&state), trouble])
    }
}

fn activation(row: &Row<'_>) -> rusqlite::Result<Activation> {
    Ok(Activation {
        operation: take(row, 0)?,
        session: take(row, 1)?,
        agent: row.get(2)?,
        lever: row.get(3)?,
        resume: row.get(4)?,
        state: take(row, 5)?,
        trouble: row.get(6)?,
        made_ns: row.get(7)?,
    })
}
