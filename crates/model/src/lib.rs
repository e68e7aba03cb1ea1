//! The nouns of takeback: ids, paths, entries, transitions, turns, plans, reasons and limits.
//!
//! Nothing here reads a file, asks the time, looks at the environment or knows a wire format. Every other
//! room speaks in these words, so a type changes here only when the vocabulary itself changes.
#![forbid(unsafe_code)]

mod cause;
mod content;
mod entry;
mod ids;
mod known;
pub mod limits;
mod operation;
mod path;
mod plan;
mod reason;
mod talk;
mod transition;
mod turn;
mod write_step;

pub use cause::{Cause, Evidence};
pub use content::{ContentHash, Contents, Keeper};
pub use entry::{Entry, EntryKind, Mode, SpecialKind};
pub use ids::{CheckpointId, HeadId, IdError, OperationId, Seq, SessionId, StepId, TurnId};
pub use known::{Index, Known, KnownChild, KnownFolder, Stamp};
pub use operation::{ConflictPolicy, Outcome, Scope, Verb};
pub use path::{PathError, WorkspacePath};
pub use plan::{Action, Change, FileResult, Gap, Left, Plan, Tree};
pub use reason::Reason;
pub use talk::{HeadKind, Memory, MessageKind};
pub use transition::{Move, Transition};
pub use turn::{Coverage, TurnState, TurnStatus};
pub use write_step::{Act, WriteStep};
