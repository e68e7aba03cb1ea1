//! One thing in full: what a turn, step, operation or checkpoint was, and what it changed line by line. Reads only;
//! lists are in `history`.

mod blame;
mod change;
mod diff;
mod show;

use model::{OperationId, StepId, TurnId};
use store::{Checkpoint, Reader, StoreError};
use thiserror::Error;

use crate::error::RecordError;
use crate::order::CheckpointName;

pub use blame::{Author, AuthorKind, BlameView, BlamedLine};
pub use change::FileChange;
pub(crate) use change::file_changes;
pub use diff::{ContentDiff, DiffView, FileDiff};
pub use show::{CheckpointDetail, OperationDetail, Shown, StepDetail, TurnDetail};

/// One thing that can be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A turn.
    Turn(TurnId),
    /// A step.
    Step(StepId),
    /// An operation of takeback.
    Operation(OperationId),
    /// A checkpoint.
    Checkpoint(CheckpointName),
}

/// Something could not be shown. Nothing was changed.
#[derive(Debug, Error)]
pub enum InspectError {
    /// There is no such thing.
    #[error("Unknown {what}: `{name}`; `takeback log` lists what there is")]
    Unknown {
        /// What kind of thing.
        what: &'static str,
        /// Its name as given.
        name: String,
    },
    /// A file, or one of its earlier states, cannot be read as text.
    #[error("`{0}` is not text, or an earlier state of it is not in the store")]
    NotText(String),
    /// There is no turn yet that could be meant.
    #[error("No turn has been recorded here yet")]
    NoTurn,
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The present state could not be recorded.
    #[error("The present state could not be recorded: {0}")]
    Record(#[from] RecordError),
}

impl Target {
    /// Reads a target as typed: `t41`, `t41.2`, `op57`, `c128`; anything else is the name of a checkpoint.
    pub fn parse(text: &str) -> Self {
        if let Ok(turn) = text.parse() {
            return Target::Turn(turn);
        }
        if let Ok(step) = text.parse() {
            return Target::Step(step);
        }
        if let Ok(operation) = text.parse() {
            return Target::Operation(operation);
        }
        let Ok(checkpoint) = text.parse();
        Target::Checkpoint(checkpoint)
    }
}

fn unknown(what: &'static str, name: impl ToString) -> InspectError {
    InspectError::Unknown { what, name: name.to_string() }
}

/// The checkpoint that is meant.
fn checkpoint(reader: &Reader<'_>, name: &CheckpointName) -> Result<Checkpoint, InspectError> {
    match name {
        CheckpointName::Id(id) => reader.checkpoint(*id)?.ok_or_else(|| unknown("checkpoint", id)),
        // Whoever typed this may have meant any of these.
        CheckpointName::Name(name) => {
            reader.checkpoint_by_name(name)?.ok_or_else(|| unknown("turn, step, operation or checkpoint", name))
        }
    }
}
