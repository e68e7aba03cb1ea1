//! Reading content from one pack. Nothing is given out as whole that does not hash to its name.

use std::io::{self, Write};

use disk::state::StateFile;
use model::ContentHash;

use super::{Frame, HEADER_BYTES, Place};
use crate::layout::Layout;

/// One pack, open for reading.
#[derive(Debug)]
pub(crate) struct PackReader {
    file: StateFile,
}

/// Why content could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// The pack is not there.
    Gone,
    /// What lies there is not this content, or the disk does not give it.
    Damaged,
    /// The sink refused it.
    Sink(io::Error),
}

impl PackReader {
    /// Opens a pack.
    pub(crate) fn open(layout: &Layout, number: u32) -> Result<Self, ReadError> {
        let file = StateFile::open(&layout.pack(number));
        let file = file.map_err(|error| if error.is_not_found() { ReadError::Gone } else { ReadError::Damaged })?;
        Ok(Self { file })
    }

    /// How long the pack is.
    pub(crate) fn length_bytes(&self) -> Result<u64, ReadError> {
        self.file.length_bytes().map_err(|_| ReadError::Damaged)
    }

    /// Writes content into a sink, part by part. Success means that it hashes to its name; on an error part of it may
    /// have been written.
    pub(crate) fn copy(&self, hash: &ContentHash, place: &Place, sink: &mut dyn Write) -> Result<(), ReadError> {
        let mut hasher = blake3::Hasher::new();
        let mut offset = place.offset_bytes;
        let mut missing_bytes = place.size_bytes;
        let end = place.offset_bytes.checked_add(place.stored_bytes).ok_or(ReadError::Damaged)?;
        for part in 0.. {
            let frame = self.frame_at(offset, end)?;
            if (frame.hash, frame.part, frame.content_bytes) != (*hash, part, place.size_bytes) {
                return Err(ReadError::Damaged);
            }
            let raw = self.part_after(offset, &frame)?;
            hasher.update(&raw);
            sink.write_all(&raw).map_err(ReadError::Sink)?;
            offset += frame.length_bytes();
            missing_bytes = missing_bytes.checked_sub(raw.len() as u64).ok_or(ReadError::Damaged)?;
            if missing_bytes == 0 || raw.is_empty() {
                break;
            }
        }
        let is_whole = missing_bytes == 0 && offset == end && hasher.finalize().as_bytes() == &hash.0;
        if is_whole { Ok(()) } else { Err(ReadError::Damaged) }
    }

    /// A piece of the pack as it is. Not checked: whoever uses it later checks what it holds.
    pub(crate) fn piece(&self, offset: u64, length: u64) -> Result<Vec<u8>, ReadError> {
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| ReadError::Damaged)?];
        self.file.read_exact_at(&mut bytes, offset).map_err(|_| ReadError::Damaged)?;
        Ok(bytes)
    }

    /// The header at an offset, if one is there and its frame ends before `end`.
    pub(super) fn frame_at(&self, offset: u64, end: u64) -> Result<Frame, ReadError> {
        let mut header = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut header, offset).map_err(|_| ReadError::Damaged)?;
        let frame = Frame::read(&header).ok_or(ReadError::Damaged)?;
        let is_inside = end.checked_sub(offset).is_some_and(|room| frame.length_bytes() <= room);
        if is_inside { Ok(frame) } else { Err(ReadError::Damaged) }
    }

    fn part_after(&self, offset: u64, frame: &Frame) -> Result<Vec<u8>, ReadError> {
        let mut stored = vec![0; frame.stored_bytes as usize];
        self.file.read_exact_at(&mut stored, offset + HEADER_BYTES as u64).map_err(|_| ReadError::Damaged)?;
        frame.part_from(stored).ok_or(ReadError::Damaged)
    }
}
