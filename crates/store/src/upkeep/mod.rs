//! Looking after a store: checking all of it, dropping what nothing names, and removing what must not be kept.

mod compact;
mod move_content;
mod named;
mod purge;
mod verify;

pub use compact::{CompactError, Compacted};
pub use purge::{Purge, PurgeError, Purged};
pub use verify::{Damage, DamageKind, Verified, VerifyReport};
