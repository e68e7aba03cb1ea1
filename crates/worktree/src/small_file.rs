//! Reads a small file that tells us something: a rule file, a git file. Not for the user's content.

use std::io::Read;

use disk::{Dir, DiskError};
use model::EntryKind;

/// No file that tells us something is greater than this.
const SIZE_BYTES_MAX: u64 = 1024 * 1024;

/// Why a small file could not be read.
pub(crate) enum SmallFileError {
    /// The operating system refused.
    Disk,
    /// It is no small file.
    TooLong,
}

impl From<DiskError> for SmallFileError {
    fn from(_: DiskError) -> Self {
        SmallFileError::Disk
    }
}

/// The bytes of the file `name` in `dir`; none if no regular file is there. Follows no link.
pub(crate) fn read(dir: &Dir, name: &[u8]) -> Result<Option<Vec<u8>>, SmallFileError> {
    if dir.stat(name)?.is_none_or(|stat| stat.kind != EntryKind::File) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    let file = dir.open_file(name)?;
    file.take(SIZE_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(|_| SmallFileError::Disk)?;
    if bytes.len() as u64 > SIZE_BYTES_MAX { Err(SmallFileError::TooLong) } else { Ok(Some(bytes)) }
}
