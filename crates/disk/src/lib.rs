//! The only door to the machine: files, links, locks, the clock, and other processes.
//!
//! Nothing here knows what a turn or an operation is, or decides anything. It is the only room with `unsafe` code and
//! with `std::fs`. Names are bytes. Every call on somebody else's files goes through a [`Dir`], a handle on a real
//! folder, and follows no link; our own files are reached through [`state`].
//!
//! Linux is the tested platform. Calls that only Linux has stand beside portable ones, which [`Calls::Portable`] forces.

#[cfg(not(unix))]
compile_error!("takeback has no door to this platform yet: it runs on Linux and macOS only, and Windows is refused");

mod calls;
pub mod child;
pub mod clock;
mod content;
mod dir;
pub mod durable;
mod error;
mod file;
mod foreground;
mod lock;
mod process;
mod random;
mod readiness;
mod socket;
mod stat;
pub mod state;
mod tally;
mod termination;
mod watching;

pub use calls::Calls;
pub use content::{Intake, IntakeError, Supply, SupplyError};
pub use dir::{Dir, Listed};
pub use durable::durable_steps;
pub use error::DiskError;
pub use file::{NewFile, ReadFile};
pub use foreground::{Ended, Foreground, run_foreground};
pub use lock::{FairLock, Holder, LockError, LockGuard};
pub use process::{Process, spawn_detached};
pub use random::random_u64;
pub use readiness::{Awaited, wait_for_any};
pub use socket::{PrivateSocket, SocketError, connect_to_own};
pub use stat::Stat;
#[cfg(debug_assertions)]
pub use tally::{Tally, tally};
pub use termination::Termination;
pub use watching::{Drained, FolderWatch, MountWatch, Noticed, WatchId, mount_namespace};
