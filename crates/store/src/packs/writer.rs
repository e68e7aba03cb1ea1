//! Appending to one pack, by its only writer.

use std::io::Read;
use std::path::PathBuf;

use disk::state::{self, StateFile};
use disk::{DiskError, IntakeError};
use model::ContentHash;

use super::claim::PackLock;
use super::{FREE_BYTES_MIN, Frame, PACK_BYTES_MAX, PART_BYTES_MAX, PackReader, Place};
use crate::layout::Layout;

/// A claimed pack.
#[derive(Debug)]
pub(crate) struct PackWriter {
    file: StateFile,
    length_bytes: u64,
    is_synced: bool,
    folder: PathBuf,
    lock: PackLock,
}

impl PackWriter {
    pub(super) fn new(lock: PackLock, file: StateFile, layout: &Layout) -> Result<Self, DiskError> {
        let length_bytes = file.length_bytes()?;
        Ok(Self { file, length_bytes, is_synced: true, folder: layout.packs(), lock })
    }

    /// Which pack this is.
    pub(crate) fn number(&self) -> u32 {
        self.lock.number()
    }

    /// Whether it has grown so much that nothing more should go in.
    pub(crate) fn is_full(&self) -> bool {
        self.length_bytes >= PACK_BYTES_MAX
    }

    /// Appends frames that were made before. On an error the pack is as it was.
    pub(crate) fn append(&mut self, frames: &[u8], size_bytes: u64) -> Result<Place, IntakeError> {
        let start = self.length_bytes;
        self.append_at_end(frames).inspect_err(|_| self.cut_back(start))?;
        Ok(self.place(start, size_bytes))
    }

    /// Appends what a reader gives, part by part. On an error, or if it is not what it was announced as, the pack is as
    /// it was.
    pub(crate) fn append_stream(
        &mut self,
        hash: &ContentHash,
        size_bytes: u64,
        reader: &mut dyn Read,
    ) -> Result<Place, IntakeError> {
        let start = self.length_bytes;
        self.append_parts(hash, size_bytes, reader).inspect_err(|_| self.cut_back(start))?;
        Ok(self.place(start, size_bytes))
    }

    /// Appends content as another pack stores it, byte for byte, also if it is damaged there. Content that cannot be
    /// read is [`IntakeError::Changed`]. On an error the pack is as it was.
    pub(crate) fn append_stored(&mut self, source: &PackReader, place: &Place) -> Result<Place, IntakeError> {
        let start = self.length_bytes;
        let mut offset = 0;
        while offset < place.stored_bytes {
            let length = (place.stored_bytes - offset).min(PART_BYTES_MAX as u64);
            let piece = source.piece(place.offset_bytes + offset, length).map_err(|_| IntakeError::Changed);
            piece.and_then(|piece| self.append_at_end(&piece)).inspect_err(|_| self.cut_back(start))?;
            offset += length;
        }
        Ok(self.place(start, place.size_bytes))
    }

    /// Waits until everything that was appended is on the disk.
    pub(crate) fn sync(&mut self) -> Result<(), DiskError> {
        if !self.is_synced {
            self.file.sync()?;
            self.is_synced = true;
        }
        Ok(())
    }

    fn place(&self, start: u64, size_bytes: u64) -> Place {
        let stored_bytes = self.length_bytes - start;
        Place { pack: self.number(), offset_bytes: start, stored_bytes, size_bytes }
    }

    fn append_parts(&mut self, hash: &ContentHash, size_bytes: u64, reader: &mut dyn Read) -> Result<(), IntakeError> {
        let mut hasher = blake3::Hasher::new();
        let mut seen_bytes = 0;
        for part in 0.. {
            let raw = read_part(reader)?;
            hasher.update(&raw);
            seen_bytes += raw.len() as u64;
            if part == 0 || !raw.is_empty() {
                self.append_at_end(&Frame::bytes(hash, size_bytes, part, &raw))?;
            }
            if raw.len() < PART_BYTES_MAX || seen_bytes > size_bytes {
                break;
            }
        }
        let is_as_announced = seen_bytes == size_bytes && hasher.finalize().as_bytes() == &hash.0;
        if is_as_announced { Ok(()) } else { Err(IntakeError::Changed) }
    }

    fn append_at_end(&mut self, bytes: &[u8]) -> Result<(), IntakeError> {
        let needed = FREE_BYTES_MIN + bytes.len() as u64;
        if state::free_space_bytes(&self.folder)? < needed {
            return Err(IntakeError::NoSpace);
        }
        self.is_synced = false;
        self.file.append(bytes).map_err(of_disk)?;
        self.length_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Removes what a failed append left at the end: it is our own, and the database needs the room. If that fails too,
    /// it stays as a torn tail, and the next append goes after it.
    fn cut_back(&mut self, start: u64) {
        self.length_bytes = match self.file.truncate(start) {
            Ok(()) => start,
            Err(_) => self.file.length_bytes().unwrap_or(u64::MAX),
        };
    }
}

/// The next part: as much as fits, less only at the end of the stream.
fn read_part(reader: &mut dyn Read) -> Result<Vec<u8>, IntakeError> {
    let mut raw = Vec::new();
    let read = reader.take(PART_BYTES_MAX as u64).read_to_end(&mut raw);
    // What cannot be read to its end is not what was announced.
    read.map(|_| raw).map_err(|_| IntakeError::Changed)
}

fn of_disk(error: DiskError) -> IntakeError {
    if error.is_no_space() { IntakeError::NoSpace } else { IntakeError::Disk(error) }
}
