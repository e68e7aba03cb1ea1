//! [`ReadFile`] and [`NewFile`]: an open regular file to read, and one that is being made.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;

use model::Mode;
use rustix::io::{Errno, retry_on_intr};

use crate::{Calls, DiskError, Stat, clock, durable, tally};

/// A regular file opened for reading.
#[derive(Debug)]
pub struct ReadFile {
    fd: OwnedFd,
    calls: Calls,
    opened: Stat,
}

/// A file that is being made. Its bytes are not synced, and its mode is set only by [`NewFile::finish`]; until then only
/// its owner may read it. Dropping it unfinished leaves it as it is, under its name.
#[derive(Debug)]
pub struct NewFile {
    fd: OwnedFd,
    mode: Mode,
    path: String,
    position: u64,
    ends_in_hole: bool,
}

/// A run of zeros that is left out, so that a sparse file stays sparse; the block size of common file systems.
const HOLE_BYTES: usize = 4096;
const ZEROS: [u8; HOLE_BYTES] = [0; HOLE_BYTES];

/// What is asked of `statx`: all but the access time.
#[cfg(target_os = "linux")]
pub(crate) const STATX_MASK: rustix::fs::StatxFlags = {
    use rustix::fs::StatxFlags as F;
    F::TYPE
        .union(F::MODE)
        .union(F::NLINK)
        .union(F::UID)
        .union(F::GID)
        .union(F::INO)
        .union(F::SIZE)
        .union(F::MTIME)
        .union(F::CTIME)
        .union(F::BTIME)
        .union(F::MNT_ID)
};

impl ReadFile {
    pub(crate) fn new(fd: OwnedFd, calls: Calls, opened: Stat) -> Self {
        Self { fd, calls, opened }
    }

    /// How the file looked right after it was opened.
    pub fn opened(&self) -> &Stat {
        &self.opened
    }

    /// How the file looks now.
    pub fn stat(&self) -> Result<Stat, DiskError> {
        stat_of(&self.fd, self.calls).map_err(|errno| DiskError {
            verb: "look at",
            path: "an open file".to_owned(),
            source: errno.into(),
        })
    }
}

impl Read for ReadFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = retry_on_intr(|| rustix::io::read(&self.fd, &mut *buffer))?;
        tally::read(count);
        Ok(count)
    }
}

impl NewFile {
    pub(crate) fn new(fd: OwnedFd, mode: Mode, path: String) -> Self {
        Self { fd, mode, path, position: 0, ends_in_hole: false }
    }

    pub(crate) fn fd(&self) -> &OwnedFd {
        &self.fd
    }

    /// Gives the file its full length and its exact mode, the last thing done to it.
    ///
    /// Fails with a permission error if the operating system drops a special bit.
    pub fn finish(self) -> Result<(), DiskError> {
        self.complete().map_err(|errno| DiskError { verb: "finish", path: self.path, source: errno.into() })
    }

    /// Waits until the bytes written so far are on the disk; for a file that no sync of a whole file system covers.
    pub fn sync(&self) -> Result<(), DiskError> {
        durable::step(|| retry_on_intr(|| rustix::fs::fsync(&self.fd))).map_err(|errno: Errno| DiskError {
            verb: "sync",
            path: self.path.clone(),
            source: errno.into(),
        })
    }

    fn complete(&self) -> Result<(), Errno> {
        if self.ends_in_hole {
            retry_on_intr(|| rustix::fs::ftruncate(&self.fd, self.position))?;
        }
        durable::step(|| retry_on_intr(|| rustix::fs::fchmod(&self.fd, raw_mode(self.mode))))?;
        if has_special_bits(self.mode) {
            let kept = retry_on_intr(|| rustix::fs::fstat(&self.fd))?;
            #[allow(clippy::unnecessary_cast, reason = "the width of this field differs between systems")]
            return is_kept(self.mode, Mode::new(kept.st_mode as u32));
        }
        Ok(())
    }

    fn write_at_position(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = retry_on_intr(|| rustix::io::pwrite(&self.fd, bytes, self.position))?;
        self.position += count as u64;
        self.ends_in_hole = false;
        Ok(count)
    }
}

impl Write for NewFile {
    /// Writes data up to the next block of zeros, or leaves out the blocks of zeros it begins with.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let hole = bytes.chunks_exact(HOLE_BYTES).take_while(|block| **block == ZEROS).count() * HOLE_BYTES;
        if hole > 0 {
            self.position += hole as u64;
            self.ends_in_hole = true;
            return Ok(hole);
        }
        let blocks = bytes.chunks_exact(HOLE_BYTES).take_while(|block| **block != ZEROS).count();
        let data = if blocks * HOLE_BYTES + HOLE_BYTES > bytes.len() { bytes.len() } else { blocks * HOLE_BYTES };
        self.write_at_position(&bytes[..data])
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Looks at an open file or folder.
pub(crate) fn stat_of(fd: &OwnedFd, calls: Calls) -> Result<Stat, Errno> {
    let looked_ns = clock::now_ns();
    tally::look();
    #[cfg(target_os = "linux")]
    if calls.are_native() {
        match retry_on_intr(|| rustix::fs::statx(fd, c"", rustix::fs::AtFlags::EMPTY_PATH, STATX_MASK)) {
            Err(Errno::NOSYS) => {}
            told => return told.map(|told| Stat::from_statx(&told, looked_ns)),
        }
    }
    _ = calls;
    retry_on_intr(|| rustix::fs::fstat(fd)).map(|told| Stat::from_stat(&told, looked_ns))
}

/// A mode as the operating system takes it.
pub(crate) fn raw_mode(mode: Mode) -> rustix::fs::Mode {
    rustix::fs::Mode::from_raw_mode(mode.bits() as rustix::fs::RawMode)
}

/// Whether the mode has a bit that the operating system may drop without a word.
pub(crate) fn has_special_bits(mode: Mode) -> bool {
    mode.bits() & 0o7000 != 0
}

/// A permission error if what was asked for is not what is there.
pub(crate) fn is_kept(asked: Mode, there: Mode) -> Result<(), Errno> {
    if asked == there { Ok(()) } else { Err(Errno::PERM) }
}
