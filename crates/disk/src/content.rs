//! The two doors through which bytes pass between the workspace and the store: [`Supply`] out of the store,
//! [`Intake`] into it. Only the traits; the store implements them.

use std::io::{self, Read, Write};

use model::ContentHash;

use crate::DiskError;

/// Gives the bytes of stored content.
pub trait Supply: Send + Sync {
    /// Writes the bytes named by `hash` into `sink`.
    ///
    /// Success means that what was written hashes to `hash`. On an error part of the bytes may have been written, and
    /// none of them may be used.
    fn copy(&self, hash: &ContentHash, sink: &mut dyn Write) -> Result<(), SupplyError>;
}

/// Takes bytes into the store.
pub trait Intake: Send + Sync {
    /// Whether the bytes named by `hash` are there already.
    fn holds(&self, hash: &ContentHash) -> bool;

    /// Stores `bytes`, which hash to `hash`.
    fn put_bytes(&self, hash: &ContentHash, bytes: &[u8]) -> Result<(), IntakeError>;

    /// Stores what `reader` gives, if that is `size_bytes` long and hashes to `hash`; else stores nothing.
    fn put_stream(&self, hash: &ContentHash, size_bytes: u64, reader: &mut dyn Read) -> Result<(), IntakeError>;
}

/// Why content could not be given.
#[derive(Debug, thiserror::Error)]
pub enum SupplyError {
    /// The store does not have it.
    #[error("Content {0} is not in the store")]
    Missing(ContentHash),
    /// The store has bytes under this name that are not these.
    #[error("Content {0} is damaged in the store")]
    Damaged(ContentHash),
    /// The sink refused the bytes.
    #[error("Could not write the content out")]
    Write(#[source] io::Error),
}

/// Why content could not be taken in. Nothing of it is in the store then.
#[derive(Debug, thiserror::Error)]
pub enum IntakeError {
    /// The disk of the store, or its budget, is full.
    #[error("No space is left for the store")]
    NoSpace,
    /// The stream did not hash to the name it was announced under: somebody was writing.
    #[error("The content changed while it was read")]
    Changed,
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
}
