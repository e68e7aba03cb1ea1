//! Steps: tool calls inside a turn.

use model::{SessionId, StepId, TurnId, WorkspacePath};
use rusqlite::{Row, params};

use crate::columns::{Coded, put, take, take_step};
use crate::{Reader, StoreError, Writer};

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its turn and its number there; a number is never given twice.
    pub id: StepId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The subagent that called; none for the main agent.
    pub agent_id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The agent's own id of the call.
    pub use_id: Option<String>,
    /// One line for people.
    pub summary: String,
    /// The whole command, if the tool ran one.
    pub command: Option<String>,
    /// The paths that the tool was told to read, as far as its arguments name them.
    pub reads: Vec<WorkspacePath>,
    /// When it started.
    pub started_ns: i64,
    /// When it ended.
    pub ended_ns: Option<i64>,
    /// How it ended.
    pub exit: StepExit,
}

/// A step that is about to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewStep {
    /// The session it belongs to.
    pub session: SessionId,
    /// The subagent that calls; none for the main agent.
    pub agent_id: Option<String>,
    /// The tool.
    pub tool: String,
    /// The agent's own id of the call.
    pub use_id: Option<String>,
    /// One line for people.
    pub summary: String,
    /// The whole command, if the tool runs one.
    pub command: Option<String>,
    /// The paths that the tool is told to read, as far as its arguments name them.
    pub reads: Vec<WorkspacePath>,
    /// When it starts.
    pub started_ns: i64,
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepExit {
    /// Nobody said, or it goes on.
    Unknown,
    /// Well.
    Ok,
    /// With a failure.
    Failed,
}

impl Coded for StepExit {
    const WHAT: &'static str = "the end of a step";
    const ALL: &'static [Self] = &[StepExit::Unknown, StepExit::Ok, StepExit::Failed];

    fn code(self) -> &'static str {
        match self {
            StepExit::Unknown => "unknown",
            StepExit::Ok => "ok",
            StepExit::Failed => "failed",
        }
    }
}

const COLUMNS: &str =
    "turn, number, session, agent_id, tool, use_id, summary, command, started_ns, ended_ns, exit, reads";

impl Reader<'_> {
    /// The step with this id.
    pub fn step(&self, id: StepId) -> Result<Option<Step>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM step WHERE turn = ?1 AND number = ?2");
        self.one(&sql, params![put(&id.turn), id.number], step)
    }

    /// The newest step of a session with this id of the agent's own.
    pub fn step_by_use(&self, session: SessionId, use_id: &str) -> Result<Option<Step>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM step WHERE session = ?1 AND use_id = ?2
                ORDER BY turn DESC, number DESC LIMIT 1"
        );
        self.one(&sql, params![put(&session), use_id], step)
    }

    /// The steps of a turn, in order.
    pub fn steps_of(&self, turn: TurnId) -> Result<Vec<Step>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM step WHERE turn = ?1 ORDER BY number"), params![put(&turn)], step)
    }

    /// The steps of a subagent of a session, in order.
    pub fn steps_of_agent(&self, session: SessionId, agent_id: &str) -> Result<Vec<Step>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM step WHERE session = ?1 AND agent_id = ?2 ORDER BY turn, number");
        self.all(&sql, params![put(&session), agent_id], step)
    }

    /// The steps that started at this time or later and may have read something by their arguments, sorted.
    pub fn reading_steps_since(&self, started_ns: i64) -> Result<Vec<Step>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM step WHERE started_ns >= ?1 AND (reads IS NOT NULL OR command IS NOT NULL)
                ORDER BY turn, number"
        );
        self.all(&sql, params![started_ns], step)
    }
}

impl Writer<'_> {
    /// Adds a step at the end of a turn. Its number was never given before in that turn, removed steps included.
    pub fn add_step(&mut self, turn: TurnId, new: &NewStep) -> Result<StepId, StoreError> {
        let number = self.next_step_number(turn)?;
        self.run(
            "INSERT INTO step(turn, number, session, agent_id, tool, use_id, summary, command, started_ns, exit, reads)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            params![
                put(&turn),
                number,
                put(&new.session),
                new.agent_id,
                new.tool,
                new.use_id,
                new.summary,
                new.command,
                new.started_ns,
                put(&StepExit::Unknown),
                put(&Some(&new.reads).filter(|reads| !reads.is_empty()).cloned())
            ],
        )?;
        Ok(StepId { turn, number })
    }

    /// Notes that a step ended.
    pub fn end_step(&mut self, id: StepId, at_ns: i64, exit: StepExit) -> Result<(), StoreError> {
        let sql = "UPDATE step SET ended_ns = ?3, exit = ?4 WHERE turn = ?1 AND number = ?2";
        self.run(sql, params![put(&id.turn), id.number, at_ns, put(&exit)])
    }

    /// Forgets a step that was denied, with its window. Its number is not given again.
    pub fn remove_step(&mut self, id: StepId) -> Result<(), StoreError> {
        for table in ["step_window", "step"] {
            let sql = format!("DELETE FROM {table} WHERE turn = ?1 AND number = ?2");
            self.run(&sql, params![put(&id.turn), id.number])?;
        }
        Ok(())
    }

    fn next_step_number(&mut self, turn: TurnId) -> Result<u32, StoreError> {
        let sql = "UPDATE turn SET steps_made = steps_made + 1 WHERE id = ?1 RETURNING steps_made";
        let number = self.one(sql, params![put(&turn)], |row| take(row, 0))?;
        number.ok_or_else(|| StoreError::Database(format!("There is no turn {turn}").into()))
    }
}

fn step(row: &Row<'_>) -> rusqlite::Result<Step> {
    Ok(Step {
        id: take_step(row, 0)?,
        session: take(row, 2)?,
        agent_id: take(row, 3)?,
        tool: take(row, 4)?,
        use_id: take(row, 5)?,
        summary: take(row, 6)?,
        command: take(row, 7)?,
        started_ns: take(row, 8)?,
        ended_ns: take(row, 9)?,
        exit: take(row, 10)?,
        reads: take::<Option<Vec<WorkspacePath>>>(row, 11)?.unwrap_or_default(),
    })
}
