//! Making and removing names in a folder.

use model::Mode;
use rustix::fs::{AtFlags, Mode as RawMode, OFlags, mkdirat, openat, symlinkat, unlinkat};

use super::{Dir, durably, single};
use crate::{DiskError, NewFile};

/// Until its mode is set nobody but its owner gets at a new thing.
const PRIVATE_FILE: RawMode = RawMode::RUSR.union(RawMode::WUSR);
const PRIVATE_DIR_BITS: u32 = 0o700;

impl Dir {
    /// Makes an empty file where nothing is, to be filled and then finished with exactly `mode`.
    ///
    /// Fails with [`DiskError::is_exists`] if anything is there, a dangling link included.
    pub fn create_file(&self, name: &[u8], mode: Mode) -> Result<NewFile, DiskError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let fd = single(name)
            .and_then(|name| durably(|| openat(&self.fd, name, flags, PRIVATE_FILE)))
            .map_err(|errno| self.error("create", name, errno))?;
        Ok(NewFile::new(fd, mode, self.shown(name)))
    }

    /// Opens the file `name` that is there to overwrite its bytes in place; its length becomes 0 at once, its mode and
    /// owner stay until [`NewFile::finish`] sets `mode`.
    ///
    /// Only for a name that cannot be renamed, such as a mount point: a crash leaves a part of the bytes. Never follows
    /// a link, never opens anything but a regular file.
    pub fn overwrite_file(&self, name: &[u8], mode: Mode) -> Result<NewFile, DiskError> {
        let open = |name| {
            self.must_be_regular(name)?;
            let flags = OFlags::WRONLY | OFlags::TRUNC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            durably(|| openat(&self.fd, name, flags, RawMode::empty()))
        };
        let fd = single(name).and_then(open).map_err(|errno| self.error("overwrite", name, errno))?;
        Ok(NewFile::new(fd, mode, self.shown(name)))
    }

    /// Makes a link that holds `target`, byte for byte, where nothing is.
    pub fn create_link(&self, name: &[u8], target: &[u8]) -> Result<(), DiskError> {
        single(name)
            .and_then(|name| durably(|| symlinkat(target, &self.fd, name)))
            .map_err(|errno| self.error("create link", name, errno))
    }

    /// Makes an empty folder with exactly `mode` where nothing is. If the mode is refused the folder is removed again.
    pub fn make_dir(&self, name: &[u8], mode: Mode) -> Result<(), DiskError> {
        single(name)
            .and_then(|name| durably(|| mkdirat(&self.fd, name, RawMode::RWXU)))
            .map_err(|errno| self.error("make folder", name, errno))?;
        let made = self.stat(name)?.map(|stat| stat.mode);
        if mode.bits() == PRIVATE_DIR_BITS && made == Some(mode) {
            return Ok(());
        }
        self.set_mode(name, mode).inspect_err(|_| _ = self.remove_dir(name))
    }

    /// Removes an empty folder. Fails with [`DiskError::is_not_empty`] if anything is in it.
    pub fn remove_dir(&self, name: &[u8]) -> Result<(), DiskError> {
        single(name)
            .and_then(|name| durably(|| unlinkat(&self.fd, name, AtFlags::REMOVEDIR)))
            .map_err(|errno| self.error("remove folder", name, errno))
    }

    /// Removes a name that is no folder. The caller has made sure that its bytes are kept.
    pub fn unlink(&self, name: &[u8]) -> Result<(), DiskError> {
        single(name)
            .and_then(|name| durably(|| unlinkat(&self.fd, name, AtFlags::empty())))
            .map_err(|errno| self.error("remove", name, errno))
    }
}
