//! Windows: the span of a step in which what changes may be its work. Open ones are few and found at once; closed ones
//! are kept, because they say how a step was watched.

use model::{SessionId, StepId, WorkspacePath};
use rusqlite::{Row, params};

use crate::columns::{Coded, put, take, take_step};
use crate::{Reader, StoreError, Writer};

/// The window of one step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// The step.
    pub step: StepId,
    /// The session of the step.
    pub session: SessionId,
    /// The subagent of the step; none for the main agent.
    pub agent_id: Option<String>,
    /// Whether it is open.
    pub state: WindowState,
    /// The paths that the tool named before it ran.
    pub claims: Vec<WorkspacePath>,
    /// Whether the tool starts subagents, whose windows nest in this one.
    pub spawns: Spawns,
    /// Whether the call waited for a permission.
    pub asked_permission: bool,
    /// When it was opened.
    pub opened_ns: i64,
}

/// Whether a window is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WindowState {
    /// The tool runs.
    Open,
    /// The tool has ended and left something running.
    Background,
    /// Nothing of it runs.
    Closed,
}

/// What a tool starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Spawns {
    /// No subagent.
    Nothing,
    /// Subagents.
    Subagents,
}

impl Coded for WindowState {
    const WHAT: &'static str = "the state of a window";
    const ALL: &'static [Self] = &[WindowState::Open, WindowState::Background, WindowState::Closed];

    fn code(self) -> &'static str {
        match self {
            WindowState::Open => "open",
            WindowState::Background => "background",
            WindowState::Closed => "closed",
        }
    }
}

impl Coded for Spawns {
    const WHAT: &'static str = "what a tool starts";
    const ALL: &'static [Self] = &[Spawns::Nothing, Spawns::Subagents];

    fn code(self) -> &'static str {
        match self {
            Spawns::Nothing => "nothing",
            Spawns::Subagents => "subagents",
        }
    }
}

const COLUMNS: &str = "turn, number, session, agent_id, state, claims, spawns, asked_permission, opened_ns";

impl Reader<'_> {
    /// The window of a step.
    pub fn window(&self, step: StepId) -> Result<Option<Window>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM step_window WHERE turn = ?1 AND number = ?2");
        self.one(&sql, params![put(&step.turn), step.number], window)
    }

    /// Every window of every session that is open or in the background, sorted by step.
    pub fn open_windows(&self) -> Result<Vec<Window>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM step_window WHERE state <> 'closed' ORDER BY turn, number");
        self.all(&sql, params![], window)
    }

    /// Every window that was opened at this time or later, or is not closed, sorted by step. Cost: one pass over all of
    /// them.
    pub fn windows_since(&self, opened_ns: i64) -> Result<Vec<Window>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM step_window WHERE opened_ns >= ?1 OR state <> 'closed' ORDER BY turn, number"
        );
        self.all(&sql, params![opened_ns], window)
    }
}

impl Writer<'_> {
    /// Adds the window of a step. A window that the step already had is replaced.
    pub fn open_window(&mut self, window: &Window) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO step_window
                (turn, number, session, agent_id, state, claims, spawns, asked_permission, opened_ns)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            params![
                put(&window.step.turn),
                window.step.number,
                put(&window.session),
                window.agent_id,
                put(&window.state),
                put(&window.claims),
                put(&window.spawns),
                put(&window.asked_permission),
                window.opened_ns
            ],
        )
    }

    /// Opens, closes or moves a window to the background.
    pub fn set_window_state(&mut self, step: StepId, state: WindowState) -> Result<(), StoreError> {
        let sql = "UPDATE step_window SET state = ?3 WHERE turn = ?1 AND number = ?2";
        self.run(sql, params![put(&step.turn), step.number, put(&state)])
    }

    /// Notes that the call waited for a permission.
    pub fn mark_permission(&mut self, step: StepId) -> Result<(), StoreError> {
        let sql = "UPDATE step_window SET asked_permission = 1 WHERE turn = ?1 AND number = ?2";
        self.run(sql, params![put(&step.turn), step.number])
    }
}

fn window(row: &Row<'_>) -> rusqlite::Result<Window> {
    Ok(Window {
        step: take_step(row, 0)?,
        session: take(row, 2)?,
        agent_id: take(row, 3)?,
        state: take(row, 4)?,
        claims: take(row, 5)?,
        spawns: take(row, 6)?,
        asked_permission: take(row, 7)?,
        opened_ns: take(row, 8)?,
    })
}
