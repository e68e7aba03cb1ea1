//! [`StoreContents`]: the door through which content is read. What it gives was hashed in the same call; what is
//! damaged is never given, and never taken for something that is not there.

use std::io::{self, Write};
use std::sync::Arc;

use disk::{Supply, SupplyError};
use model::{ContentHash, Contents, Keeper, limits};
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::StoreError;
use crate::columns::{put, take};
use crate::open::Shared;
use crate::packs::{PackReader, Place, ReadError};

/// Reads the content of one store, as committed at the time of each call. Usable from several threads.
#[derive(Debug, Clone)]
pub struct StoreContents {
    shared: Arc<Shared>,
}

impl StoreContents {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    fn locate(&self, hash: &ContentHash) -> Result<Option<Place>, StoreError> {
        place_of(&*self.shared.connections.lease()?, hash)
    }

    /// Finds and copies. A pack that has gone was moved by a clean-up since it was looked up: then it is looked up
    /// again.
    fn find_and_copy(&self, hash: &ContentHash, sink: &mut dyn Write) -> Result<(), SupplyError> {
        for _ in 0..2 {
            let located = self.locate(hash).map_err(|_| SupplyError::Damaged(*hash))?;
            let place = located.ok_or(SupplyError::Missing(*hash))?;
            let copied =
                PackReader::open(&self.shared.layout, place.pack).and_then(|pack| pack.copy(hash, &place, sink));
            match copied {
                Err(ReadError::Gone) => {}
                copied => return copied.map_err(|error| of_read(error, hash)),
            }
        }
        Err(SupplyError::Damaged(*hash))
    }
}

impl Supply for StoreContents {
    fn copy(&self, hash: &ContentHash, sink: &mut dyn Write) -> Result<(), SupplyError> {
        self.find_and_copy(hash, sink)
    }
}

impl Keeper for StoreContents {
    /// Reads the whole content to find out.
    fn holds(&self, hash: &ContentHash) -> bool {
        self.find_and_copy(hash, &mut io::sink()).is_ok()
    }
}

impl Contents for StoreContents {
    fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        let place = self.locate(hash).ok()??;
        if place.size_bytes > limits::MERGE_SIZE_BYTES_MAX {
            return None;
        }
        let mut bytes = Vec::new();
        self.find_and_copy(hash, &mut bytes).ok()?;
        Some(bytes)
    }

    fn name(&self, bytes: &[u8]) -> ContentHash {
        name_of(bytes)
    }
}

/// The name of these bytes.
pub(crate) fn name_of(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// Where the database says that content lies.
pub(crate) fn place_of(connection: &Connection, hash: &ContentHash) -> Result<Option<Place>, StoreError> {
    let sql = "SELECT pack, offset_bytes, stored_bytes, size_bytes FROM content WHERE hash = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    let place = statement.query_row(params![put(hash)], |row| place(row, 0));
    Ok(place.optional()?)
}

/// The place in the four columns from this one on.
pub(crate) fn place(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Place> {
    Ok(Place {
        pack: take(row, at)?,
        offset_bytes: take(row, at + 1)?,
        stored_bytes: take(row, at + 2)?,
        size_bytes: take(row, at + 3)?,
    })
}

fn of_read(error: ReadError, hash: &ContentHash) -> SupplyError {
    match error {
        ReadError::Gone | ReadError::Damaged => SupplyError::Damaged(*hash),
        ReadError::Sink(error) => SupplyError::Write(error),
    }
}
