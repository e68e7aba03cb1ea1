//! [`Order`]: what somebody asks to be taken back or brought again, as a value. It says nothing of how.

use std::fmt;
use std::str::FromStr;

use model::{
    CheckpointId, ConflictPolicy, HeadId, Memory, OperationId, Scope, SessionId, StepId, TurnId, Verb, WorkspacePath,
};

/// One request to take back or bring again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// For which session; none: the one that was active last.
    pub session: Option<SessionId>,
    /// What.
    pub selection: Selection,
    /// Which halves move.
    pub scope: Scope,
    /// What happens on a conflict; none: as the settings say.
    pub policy: Option<ConflictPolicy>,
    /// What happens to the model's memory of turns that are taken back; none: as the settings say.
    pub memory: Option<Memory>,
    /// What is allowed beyond the usual.
    pub permits: Permits,
}

/// What an order takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// The session's newest live turns.
    UndoTurns {
        /// How many, at least 1.
        count: usize,
    },
    /// The session's newest file-changing steps.
    UndoSteps {
        /// How many, at least 1.
        count: usize,
    },
    /// What the session's newest operations have taken.
    Redo {
        /// How many, at least 1.
        count: usize,
    },
    /// The session's live turns from one on.
    Rewind {
        /// The first.
        turn: TurnId,
    },
    /// Exactly what is named.
    Revert {
        /// The names.
        targets: Vec<RevertTarget>,
    },
    /// Another version of the conversation; with files, their state goes along.
    Switch {
        /// The version.
        head: HeadId,
    },
    /// Everything since a checkpoint.
    Restore {
        /// The checkpoint, by id or name.
        checkpoint: CheckpointName,
        /// Only these paths and what is below them; empty: all.
        paths: Vec<WorkspacePath>,
    },
}

/// One thing to revert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RevertTarget {
    /// A turn.
    Turn(TurnId),
    /// A step.
    Step(StepId),
    /// An operation of takeback.
    Operation(OperationId),
    /// What a turn did to one path and what is below it.
    PathOfTurn(TurnId, WorkspacePath),
    /// What a step did to one path and what is below it.
    PathOfStep(StepId, WorkspacePath),
    /// One hunk of what a turn or step did to a file; if it changed a path that ends so, that path.
    Hunk {
        /// Which turn or step.
        of: Maker,
        /// The file.
        path: WorkspacePath,
        /// The number of the hunk in the difference of this path, from 1.
        number: usize,
    },
    /// A subagent by its id, or else a path that the session has changed.
    SubagentOrPath(String),
}

/// Who made a change: a whole turn or one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// A turn.
    Turn(TurnId),
    /// A step.
    Step(StepId),
}

/// A checkpoint as users name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckpointName {
    /// `c128`.
    Id(CheckpointId),
    /// A name given by the user.
    Name(String),
}

/// What an order may do beyond the usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permits {
    /// A restore takes back edits from outside too.
    pub include_outside: bool,
    /// Control files are treated like any other.
    pub include_control: bool,
    /// Goes on although the session's agent seems to be running.
    pub even_if_busy: bool,
    /// What the chosen steps only may have made is taken back too, whoever else may have.
    pub include_contested: bool,
    /// A revert takes the later steps along that need what goes.
    pub with_dependents: bool,
}

impl Permits {
    /// Nothing beyond the usual.
    pub const NONE: Permits = Permits {
        include_outside: false,
        include_control: false,
        even_if_busy: false,
        include_contested: false,
        with_dependents: false,
    };
}

impl Selection {
    /// The verb of this selection.
    pub fn verb(&self) -> Verb {
        match self {
            Selection::UndoTurns { .. } | Selection::UndoSteps { .. } => Verb::Undo,
            Selection::Redo { .. } => Verb::Redo,
            Selection::Rewind { .. } => Verb::Rewind,
            Selection::Revert { .. } => Verb::Revert,
            Selection::Restore { .. } => Verb::Restore,
            Selection::Switch { .. } => Verb::Switch,
        }
    }
}

impl RevertTarget {
    /// Reads a target as typed: `t41`, `t41.2`, `op57`, `t41:src/a.rs`, `t41.2:src/a.rs#3`; anything else is a subagent's
    /// id or a path.
    pub fn parse(text: &str) -> Self {
        if let Ok(turn) = text.parse() {
            return RevertTarget::Turn(turn);
        }
        if let Ok(step) = text.parse() {
            return RevertTarget::Step(step);
        }
        if let Ok(operation) = text.parse() {
            return RevertTarget::Operation(operation);
        }
        let part = text.split_once(':').and_then(|(maker, path)| RevertTarget::part(Maker::parse(maker)?, path));
        part.unwrap_or_else(|| RevertTarget::SubagentOrPath(text.to_owned()))
    }

    fn part(of: Maker, text: &str) -> Option<Self> {
        let hunk = text.rsplit_once('#').and_then(|(path, number)| {
            let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
            Some((WorkspacePath::new(path).ok()?, number.parse().ok().filter(|_| is_number)?))
        });
        if let Some((path, number)) = hunk {
            return Some(RevertTarget::Hunk { of, path, number });
        }
        let path = WorkspacePath::new(text).ok()?;
        Some(match of {
            Maker::Turn(turn) => RevertTarget::PathOfTurn(turn, path),
            Maker::Step(step) => RevertTarget::PathOfStep(step, path),
        })
    }
}

impl Maker {
    /// Whether a step is, or belongs to, the maker.
    pub(crate) fn has(self, step: StepId) -> bool {
        match self {
            Maker::Turn(turn) => step.turn == turn,
            Maker::Step(only) => step == only,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().map(Maker::Turn).or_else(|_| text.parse().map(Maker::Step)).ok()
    }
}

impl fmt::Display for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Maker::Turn(turn) => turn.fmt(f),
            Maker::Step(step) => step.fmt(f),
        }
    }
}

impl FromStr for CheckpointName {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(text.parse().map_or_else(|_| CheckpointName::Name(text.to_owned()), CheckpointName::Id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_read_by_its_spelling() {
        let path = WorkspacePath::new("src/a.rs").expect("a path");
        assert_eq!(RevertTarget::parse("t4"), RevertTarget::Turn(TurnId(4)));
        assert_eq!(RevertTarget::parse("t4:src/a.rs"), RevertTarget::PathOfTurn(TurnId(4), path.clone()));
        let step = StepId { turn: TurnId(4), number: 2 };
        assert_eq!(RevertTarget::parse("t4.2:src/a.rs"), RevertTarget::PathOfStep(step, path.clone()));
        let hunk = |of, number| RevertTarget::Hunk { of, path: path.clone(), number };
        assert_eq!(RevertTarget::parse("t4:src/a.rs#3"), hunk(Maker::Turn(TurnId(4)), 3));
        assert_eq!(RevertTarget::parse("t4.2:src/a.rs#0"), hunk(Maker::Step(step), 0));
        assert!(matches!(RevertTarget::parse("t4:a#+1"), RevertTarget::PathOfTurn(..)));
        assert_eq!(RevertTarget::parse("op2"), RevertTarget::Operation(OperationId(2)));
        assert_eq!(RevertTarget::parse("t4x"), RevertTarget::SubagentOrPath("t4x".into()));
        assert_eq!(RevertTarget::parse("t4:../x"), RevertTarget::SubagentOrPath("t4:../x".into()));
    }
}
