//! Looking through a whole pack without the database: what it holds by its own account.

use std::collections::BTreeSet;

use model::ContentHash;

use super::reader::{PackReader, ReadError};

/// What a pack holds by its own account.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Scanned {
    /// The content of which it has at least one frame.
    pub(crate) hashes: BTreeSet<ContentHash>,
    /// Whether frames follow one another from its beginning to its end. If not, it may hold anything.
    pub(crate) is_sound: bool,
}

/// Reads the headers of a pack from its beginning for as long as they make sense.
pub(crate) fn scan(pack: &PackReader) -> Result<Scanned, ReadError> {
    let end = pack.length_bytes()?;
    let mut scanned = Scanned::default();
    let mut offset = 0;
    while offset < end {
        let Ok(frame) = pack.frame_at(offset, end) else { return Ok(scanned) };
        scanned.hashes.insert(frame.hash);
        offset += frame.length_bytes();
    }
    scanned.is_sound = true;
    Ok(scanned)
}
