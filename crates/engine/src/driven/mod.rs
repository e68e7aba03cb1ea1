//! Agents that keep their conversation themselves. Their record is read into the graph (`follow`), what is decided here
//! is carried over to them with their own levers (`lever`, `activation`), and what they must know is kept until a hook
//! can tell it (`tell`). Rows and the agent's own files only; no file of the workspace is looked at.

mod activation;
mod follow;
mod import;
mod lever;
mod moves;
mod seat;
mod tell;

pub use activation::ACTIVATION_COMMAND;
pub(crate) use activation::{
    activate, at_agent, discard_prepared, discard_superseded, intend, note_prepared, stand_at,
};
pub(crate) use follow::{Look, adopt_lineage, follow};
pub(crate) use lever::{PrepareError, Prepared, Reach, prepare, prepare_fork, reach};
pub(crate) use moves::return_to_old_chain;
pub(crate) use seat::{ask_to_stop, is_seat_new, note_seat, records, session_of_kept, sign_of_life};
pub(crate) use tell::{Done, note_operation, tell};

/// Whether an agent keeps its conversation itself.
pub(crate) fn is_driven(agent: &str) -> bool {
    agents::driver(agent).is_some()
}
