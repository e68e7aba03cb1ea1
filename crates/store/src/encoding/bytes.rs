//! The alphabet of all encodings: variable-length numbers and byte strings that carry their length.

use model::WorkspacePath;

/// Stored bytes that no version of this program wrote.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is malformed")]
pub(crate) struct Malformed {
    /// What was being read.
    pub(crate) what: &'static str,
}

/// Reads stored bytes from front to back; never beyond their end.
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Cursor<'a> {
    /// Starts at the front; `what` names the thing in an error.
    pub(crate) fn new(bytes: &'a [u8], what: &'static str) -> Self {
        Self { rest: bytes, what }
    }

    /// The error that says that this thing is malformed.
    pub(crate) fn malformed(&self) -> Malformed {
        Malformed { what: self.what }
    }

    /// Whether everything was read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Fails if anything is left.
    pub(crate) fn finish(self) -> Result<(), Malformed> {
        if self.is_at_end() { Ok(()) } else { Err(self.malformed()) }
    }

    /// The next `count` bytes.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| self.malformed())?;
        self.rest = rest;
        Ok(taken)
    }

    /// The next byte.
    pub(crate) fn byte(&mut self) -> Result<u8, Malformed> {
        let (first, rest) = self.rest.split_first().ok_or_else(|| self.malformed())?;
        self.rest = rest;
        Ok(*first)
    }

    /// The next `N` bytes.
    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or_else(|| self.malformed())?;
        self.rest = rest;
        Ok(*taken)
    }

    /// A number in the shortest form: seven bits a byte, the lowest first.
    pub(crate) fn number(&mut self) -> Result<u64, Malformed> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return Err(self.malformed());
            }
            value |= bits << shift;
            if byte < 0x80 {
                let is_shortest = byte != 0 || shift == 0;
                return if is_shortest { Ok(value) } else { Err(self.malformed()) };
            }
        }
        Err(self.malformed())
    }

    /// A number that fits into 32 bits.
    pub(crate) fn small_number(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.number()?).map_err(|_| self.malformed())
    }

    /// A number that may be negative.
    pub(crate) fn signed(&mut self) -> Result<i64, Malformed> {
        let folded = self.number()?;
        Ok((folded >> 1).cast_signed() ^ -((folded & 1).cast_signed()))
    }

    /// A byte string.
    pub(crate) fn string(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.number()?;
        self.take(usize::try_from(length).map_err(|_| self.malformed())?)
    }

    /// A path below the root.
    pub(crate) fn path(&mut self) -> Result<WorkspacePath, Malformed> {
        let bytes = self.string()?;
        WorkspacePath::new(bytes).ok().filter(|path| path.as_bytes() == bytes).ok_or_else(|| self.malformed())
    }
}

/// Appends a number in the shortest form.
pub(crate) fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number that may be negative: small distances from zero are short.
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put_number(out, ((value << 1) ^ (value >> 63)).cast_unsigned());
}

/// Appends a byte string with its length.
pub(crate) fn put_string(out: &mut Vec<u8>, bytes: &[u8]) {
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}
