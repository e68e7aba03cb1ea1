//! [`Transition`]: one observed change of one path, the unit of the ledger.

use crate::{Cause, CheckpointId, Entry, Evidence, Seq, WorkspacePath};

/// One observed change of one path.
///
/// A thing that moved is two transitions of the same checkpoint: at its old path with [`Move::To`] and `after` absent,
/// at its new path with [`Move::From`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Its place in the ledger.
    pub seq: Seq,
    /// The barrier at which it was seen.
    pub checkpoint: CheckpointId,
    /// Where.
    pub path: WorkspacePath,
    /// What was there before.
    pub before: Entry,
    /// What was there after.
    pub after: Entry,
    /// The other end, if the thing that was here, or is here now, moved.
    pub moved: Option<Move>,
    /// Who made it.
    pub cause: Cause,
    /// How well that is known.
    pub evidence: Evidence,
}

/// The other end of a move.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// What is here now was there before.
    From(WorkspacePath),
    /// What was here before is there now.
    To(WorkspacePath),
}
