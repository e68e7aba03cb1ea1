//! One frame: a header of fixed size and one part of some content, as it is or compressed. The parts of one content
//! follow one another without a gap; each header tells the whole, so that a frame can be understood alone.

use model::ContentHash;

use super::compression;

/// The length of a header.
pub(crate) const HEADER_BYTES: usize = 64;

/// The greatest part of content in one frame.
pub(crate) const PART_BYTES_MAX: usize = 1 << 20;

const MAGIC: [u8; 4] = *b"TKBF";
const VERSION: u8 = 1;

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The content this is a part of.
    pub(crate) hash: ContentHash,
    /// How long the whole content is.
    pub(crate) content_bytes: u64,
    /// Which part this is, from 0.
    pub(crate) part: u32,
    /// How long the part is.
    pub(crate) part_bytes: u32,
    /// How long it is as stored after the header.
    pub(crate) stored_bytes: u32,
    /// How it is stored.
    pub(crate) coding: Coding,
}

/// How a part is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Byte for byte.
    Plain,
    /// As one zstd frame.
    Zstd,
}

impl Frame {
    /// The whole frame, header and part, ready to be appended.
    pub(crate) fn bytes(hash: &ContentHash, content_bytes: u64, part: u32, raw: &[u8]) -> Vec<u8> {
        let mut out = vec![0; HEADER_BYTES];
        let coding = compression::append(&mut out, raw);
        let frame = Frame {
            hash: *hash,
            content_bytes,
            part,
            part_bytes: small(raw.len()),
            stored_bytes: small(out.len() - HEADER_BYTES),
            coding,
        };
        out[..HEADER_BYTES].copy_from_slice(&frame.header());
        out
    }

    /// The header.
    pub(crate) fn header(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[0..4].copy_from_slice(&MAGIC);
        header[4] = VERSION;
        header[5] = match self.coding {
            Coding::Plain => 0,
            Coding::Zstd => 1,
        };
        header[8..40].copy_from_slice(&self.hash.0);
        header[40..48].copy_from_slice(&self.content_bytes.to_le_bytes());
        header[48..52].copy_from_slice(&self.part.to_le_bytes());
        header[52..56].copy_from_slice(&self.part_bytes.to_le_bytes());
        header[56..60].copy_from_slice(&self.stored_bytes.to_le_bytes());
        let sum = checksum(&header);
        header[60..64].copy_from_slice(&sum);
        header
    }

    /// What a header says; none if these bytes are no header.
    pub(crate) fn read(header: &[u8; HEADER_BYTES]) -> Option<Self> {
        let number = |at: usize| header[at..at + 4].try_into().ok().map(u32::from_le_bytes);
        let frame = Frame {
            hash: ContentHash(header[8..40].try_into().ok()?),
            content_bytes: u64::from_le_bytes(header[40..48].try_into().ok()?),
            part: number(48)?,
            part_bytes: number(52)?,
            stored_bytes: number(56)?,
            coding: match header[5] {
                0 => Coding::Plain,
                1 => Coding::Zstd,
                _ => return None,
            },
        };
        let is_small = frame.part_bytes as usize <= PART_BYTES_MAX && frame.stored_bytes <= frame.part_bytes;
        (is_small && frame.header() == *header).then_some(frame)
    }

    /// How long header and part are together.
    pub(crate) fn length_bytes(&self) -> u64 {
        HEADER_BYTES as u64 + u64::from(self.stored_bytes)
    }

    /// The part as it was, from what is stored after the header; none if that is damaged.
    pub(crate) fn part_from(&self, stored: Vec<u8>) -> Option<Vec<u8>> {
        let raw = match self.coding {
            Coding::Plain => stored,
            Coding::Zstd => compression::expand(&stored, self.part_bytes as usize)?,
        };
        (raw.len() == self.part_bytes as usize).then_some(raw)
    }
}

fn checksum(header: &[u8; HEADER_BYTES]) -> [u8; 4] {
    let hash = blake3::hash(&header[..60]);
    hash.as_bytes().first_chunk().copied().expect("because a hash is longer than four bytes")
}

fn small(length: usize) -> u32 {
    u32::try_from(length).expect("because no part is greater than its limit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(frame: &[u8]) -> Option<Vec<u8>> {
        let header = Frame::read(frame.first_chunk()?)?;
        header.part_from(frame[HEADER_BYTES..].to_vec())
    }

    proptest! {
        #[test]
        fn a_part_reads_back_as_it_was_written(raw in proptest::collection::vec(any::<u8>(), 0..5000), part: u32) {
            let frame = Frame::bytes(&ContentHash([3; 32]), 9, part, &raw);
            let header = Frame::read(frame.first_chunk().unwrap());
            prop_assert_eq!(header.map(|header| header.length_bytes()), Some(frame.len() as u64));
            prop_assert_eq!(read(&frame), Some(raw));
        }

        #[test]
        fn any_bytes_are_a_header_or_none(bytes in proptest::array::uniform32(any::<[u8; 2]>())) {
            let bytes: [u8; 64] = bytes.concat().try_into().unwrap();
            prop_assert_eq!(Frame::read(&bytes), None);
        }

        #[test]
        fn a_changed_header_is_no_header(at in 0..HEADER_BYTES, bit in 0..8) {
            let frame = Frame { hash: ContentHash([9; 32]), content_bytes: 5, part: 0, part_bytes: 5, stored_bytes: 5,
                coding: Coding::Plain };
            let mut header = frame.header();
            header[at] ^= 1_u8 << bit;
            prop_assert_eq!(Frame::read(&header), None);
        }
    }

    #[test]
    fn a_damaged_part_never_panics() {
        let frame = Frame::bytes(&ContentHash([3; 32]), 9, 0, &b"the same again and again ".repeat(40));
        for at in HEADER_BYTES..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 0x55;
            _ = read(&damaged);
        }
    }

    #[test]
    fn text_gets_smaller_and_noise_does_not_get_greater() {
        let text = b"fn main() { println!(\"hello\"); }\n".repeat(100);
        assert!(Frame::bytes(&ContentHash([0; 32]), 0, 0, &text).len() < text.len() / 4);
        let noise: Vec<u8> = blake3::Hasher::new().finalize_xof().fill_vec(200_000);
        assert_eq!(Frame::bytes(&ContentHash([0; 32]), 0, 0, &noise).len(), HEADER_BYTES + noise.len());
    }

    trait FillVec {
        fn fill_vec(self, length: usize) -> Vec<u8>;
    }

    impl FillVec for blake3::OutputReader {
        fn fill_vec(mut self, length: usize) -> Vec<u8> {
            let mut bytes = vec![0; length];
            self.fill(&mut bytes);
            bytes
        }
    }
}
