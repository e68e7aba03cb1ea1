//! Fields of a message in bytes: numbers, byte strings and sorted lists of them, each with its length before it. Knows no
//! message.

use std::collections::BTreeSet;
use std::io::{self, Read};

use model::limits;

/// Bytes that are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed;

/// Writes the fields of one message.
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    pub(crate) fn begin(version: u8) -> Self {
        Self(vec![0, 0, 0, 0, version])
    }

    pub(crate) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    pub(crate) fn number(&mut self, number: u64) {
        self.0.extend(number.to_le_bytes());
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.0.extend(bytes);
    }

    pub(crate) fn list<T>(&mut self, list: &BTreeSet<T>, bytes: impl Fn(&T) -> &[u8]) {
        self.length(list.len());
        list.iter().for_each(|item| self.bytes(bytes(item)));
    }

    /// The whole message, with its length before it. One that is too long keeps only its length, and nobody reads it.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len() - 4).unwrap_or(u32::MAX);
        self.0[..4].copy_from_slice(&length.to_le_bytes());
        self.0
    }

    fn length(&mut self, length: usize) {
        self.0.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }
}

/// Reads the fields of one message.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn begin(message: &'a [u8], version: u8) -> Result<Self, Malformed> {
        let mut reader = Self(message);
        if reader.byte()? == version { Ok(reader) } else { Err(Malformed) }
    }

    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        Ok(self.take(1)?[0])
    }

    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        let bytes = self.take(8)?.try_into().map_err(|_| Malformed)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.length()?;
        self.take(length)
    }

    /// A list in its order, each item once.
    pub(crate) fn list<T: Ord>(
        &mut self,
        item: impl Fn(&'a [u8]) -> Result<T, Malformed>,
    ) -> Result<BTreeSet<T>, Malformed> {
        let count = self.length()?;
        let mut list = BTreeSet::new();
        for _ in 0..count {
            let next = item(self.bytes()?)?;
            if list.last().is_some_and(|last| *last >= next) {
                return Err(Malformed);
            }
            list.insert(next);
        }
        Ok(list)
    }

    pub(crate) fn finish(self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed) }
    }

    fn length(&mut self) -> Result<usize, Malformed> {
        let bytes = self.take(4)?.try_into().map_err(|_| Malformed)?;
        usize::try_from(u32::from_le_bytes(bytes)).map_err(|_| Malformed)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }
}

/// Reads one message from a stream, without its length. One that is longer than is allowed is an error and not read.
pub(crate) fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > limits::WATCHER_MESSAGE_BYTES_MAX {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut message = Vec::new();
    let read = from.take(length).read_to_end(&mut message)?;
    if read as u64 == length { Ok(message) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}
