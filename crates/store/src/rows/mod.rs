//! The rows: one file per thing that is remembered, with its public struct, its queries on [`crate::Reader`] and its
//! changes on [`crate::Writer`]. Times are nanoseconds since the Unix epoch and come from the caller. A
//! change of something that is not there changes nothing.

mod activation;
mod checkpoint;
mod event;
mod gap;
mod index;
mod journal;
mod ledger;
mod native;
mod note;
mod operation;
mod path;
mod pin;
mod repository;
mod reversal;
mod session;
mod setting;
mod step;
mod subagent;
mod talk;
mod turn;
mod window;

pub use activation::{Activation, ActivationState};
pub use checkpoint::{Checkpoint, NameError, NewCheckpoint};
pub use event::{Event, HEAD_MOVED};
pub use ledger::NewTransition;
pub use native::NativeTalk;
pub use operation::{NewOperation, Operation, OperationEnd, OperationState};
pub use repository::Repository;
pub use session::{NewSession, Session};
pub use step::{NewStep, Step, StepExit};
pub use subagent::Subagent;
pub use talk::{EntryPlace, Head, NewHead, NewTalkEntry, TalkEntry};
pub use turn::{NewTurn, Turn};
pub use window::{Spawns, Window, WindowState};

pub(crate) use event::scrub_events;
pub(crate) use ledger::NamedContent;
