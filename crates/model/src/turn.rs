//! The states a turn can be in.

/// How a turn ended, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnStatus {
    /// Still going on, as far as is known.
    Open,
    /// The agent finished its answer.
    Completed,
    /// Somebody stopped it, or it vanished.
    Interrupted,
    /// It ended in an error.
    Failed,
}

/// Whether a turn's work stands, seen from the session that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TurnState {
    /// It stands.
    Live,
    /// It was taken back and can be brought again.
    Undone,
    /// It was taken back and the session has moved on.
    Abandoned,
}

/// How much of a turn's footprint is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Coverage {
    /// All of it, as far as the rules of coverage go.
    Complete,
    /// Something could not be recorded.
    Partial,
    /// Nothing could be recorded.
    None,
}

impl TurnStatus {
    /// The stable code, as printed in JSON and stored.
    pub fn code(self) -> &'static str {
        match self {
            TurnStatus::Open => "open",
            TurnStatus::Completed => "completed",
            TurnStatus::Interrupted => "interrupted",
            TurnStatus::Failed => "failed",
        }
    }

    /// The status with this code.
    pub fn from_code(code: &str) -> Option<Self> {
        [Self::Open, Self::Completed, Self::Interrupted, Self::Failed].into_iter().find(|s| s.code() == code)
    }
}

impl TurnState {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            TurnState::Live => "live",
            TurnState::Undone => "undone",
            TurnState::Abandoned => "abandoned",
        }
    }
}

impl Coverage {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Coverage::Complete => "complete",
            Coverage::Partial => "partial",
            Coverage::None => "none",
        }
    }
}
