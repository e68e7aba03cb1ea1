//! Compression of one part. A part that does not get smaller is stored as it is.

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use super::Coding;

/// Fast: a capture compresses everything it sees, and waits for it.
const LEVEL: i32 = 1;

/// A part of at least this size is compressed only if a sample of it gets smaller.
const SAMPLED_BYTES_MIN: usize = 64 * 1024;
const SAMPLE_BYTES: usize = 8 * 1024;

thread_local! {
    // Making one costs more than compressing a small file with it.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> = RefCell::new(Compressor::new(LEVEL).ok());
    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = RefCell::new(Decompressor::new().ok());
}

/// Appends the part, compressed if that is smaller; says how.
pub(super) fn append(out: &mut Vec<u8>, raw: &[u8]) -> Coding {
    match compressed(raw) {
        Some(smaller) => {
            out.extend_from_slice(&smaller);
            Coding::Zstd
        }
        None => {
            out.extend_from_slice(raw);
            Coding::Plain
        }
    }
}

/// What was compressed; none if these bytes are not that, or more than `length` bytes.
pub(super) fn expand(stored: &[u8], length: usize) -> Option<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|zstd| zstd.as_mut()?.decompress(stored, length).ok())
}

fn compressed(raw: &[u8]) -> Option<Vec<u8>> {
    if raw.len() >= SAMPLED_BYTES_MIN {
        let middle = raw.len() / 2;
        let is_noise = |sample: &[u8]| smaller(sample).is_none();
        if is_noise(&raw[..SAMPLE_BYTES]) && is_noise(&raw[middle..middle + SAMPLE_BYTES]) {
            return None;
        }
    }
    smaller(raw)
}

fn smaller(raw: &[u8]) -> Option<Vec<u8>> {
    let compressed = COMPRESSOR.with_borrow_mut(|zstd| zstd.as_mut()?.compress(raw).ok())?;
    (compressed.len() < raw.len()).then_some(compressed)
}
