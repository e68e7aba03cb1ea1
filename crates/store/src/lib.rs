//! The memory: everything that is remembered of one workspace, in one folder of state.
//!
//! Metadata (ledger, index, sessions, operations, journal) is in one SQLite database and changes in transactions; the
//! bytes of files are in append-only packs, under their hash. Content counts from the commit of the row that names
//! it, and that row is committed only after the content is on the disk. What is read is checked: content by its hash,
//! rows by their form. Damage is an error, never a guess.
//!
//! Nothing here decides: what to record, drop or take back is said by the caller. The user's folder is never touched.
#![forbid(unsafe_code)]

mod adopt;
mod columns;
mod connections;
mod contents;
mod counted;
mod encoding;
mod error;
mod intake;
mod layout;
mod open;
mod packs;
mod rows;
mod schema;
mod transaction;
mod upkeep;

pub use adopt::{AdoptError, Adopted};
pub use contents::StoreContents;
pub use counted::database_steps;
pub use error::StoreError;
pub use intake::StoreIntake;
pub use open::{OpenError, Store};
pub use rows::{
    Activation, ActivationState, Checkpoint, EntryPlace, Event, HEAD_MOVED, Head, NameError, NativeTalk, NewCheckpoint,
    NewHead, NewOperation, NewSession, NewStep, NewTalkEntry, NewTransition, NewTurn, Operation, OperationEnd,
    OperationState, Repository, Session, Spawns, Step, StepExit, Subagent, TalkEntry, Turn, Window, WindowState,
};
pub use transaction::{Durability, Reader, WriteError, Writer};
pub use upkeep::{CompactError, Compacted, Damage, DamageKind, Purge, PurgeError, Purged, Verified, VerifyReport};
