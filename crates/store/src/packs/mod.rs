//! Packs: append-only files that hold the bytes of content, under its hash. Described in `docs/formats/packs.md`.
//!
//! A byte that was written is never written again. Which frames count is said by the database alone: a frame that no
//! row names is nothing, and a torn tail is passed over by appending after it.

mod claim;
mod compression;
mod frame;
mod reader;
mod scan;
mod writer;

use frame::{Coding, HEADER_BYTES};

pub(crate) use claim::{PackLock, await_pack, claim, create_above, lock_pack, numbers};
pub(crate) use frame::{Frame, PART_BYTES_MAX};
pub(crate) use reader::{PackReader, ReadError};
pub(crate) use scan::scan;
pub(crate) use writer::PackWriter;

/// A pack that has grown to this size takes nothing more.
pub(crate) const PACK_BYTES_MAX: u64 = 256 << 20;

/// How much of the disk is left to the database, which must be able to write when the packs no longer can.
pub(crate) const FREE_BYTES_MIN: u64 = 1 << 20;

/// Where content lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The pack.
    pub(crate) pack: u32,
    /// Where its first frame begins.
    pub(crate) offset_bytes: u64,
    /// How long all its frames are.
    pub(crate) stored_bytes: u64,
    /// How long the content is.
    pub(crate) size_bytes: u64,
}
