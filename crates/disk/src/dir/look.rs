//! Looking at what is in a folder, and reading it. Nothing here writes.

use std::os::fd::OwnedFd;

use model::EntryKind;
use rustix::fs::{Access, AtFlags, Mode as RawMode, OFlags, accessat, openat, readlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::{Dir, single};
use crate::file::stat_of;
use crate::{Calls, DiskError, ReadFile, Stat, clock, tally};

const READ: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl Dir {
    /// Looks at `name` itself, never at what a link points to; none if nothing is there.
    ///
    /// Cost: one system call and one look at the clock, no allocation.
    pub fn stat(&self, name: &[u8]) -> Result<Option<Stat>, DiskError> {
        match single(name).and_then(|name| self.stat_raw(name)) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(self.error("look at", name, errno)),
        }
    }

    /// Looks at this folder.
    pub fn stat_self(&self) -> Result<Stat, DiskError> {
        stat_of(&self.fd, self.calls).map_err(|errno| self.error_here("look at", errno))
    }

    /// Opens a regular file for reading, without changing its access time where that is allowed.
    ///
    /// A link or a special file is refused without being opened: a pipe or device cannot hold us up or notice us.
    pub fn open_file(&self, name: &[u8]) -> Result<ReadFile, DiskError> {
        let opened = single(name).and_then(|name| self.open_regular(name));
        opened.map_err(|errno| self.error("read", name, errno))
    }

    /// Where a link points, byte for byte.
    pub fn read_link(&self, name: &[u8]) -> Result<Vec<u8>, DiskError> {
        single(name)
            .and_then(|name| retry_on_intr(|| readlinkat(&self.fd, name, Vec::new())))
            .map(|target| target.into_bytes())
            .map_err(|errno| self.error("read link", name, errno))
    }

    /// Whether this process may make and remove names in this folder, by its effective user and groups.
    pub fn is_writable(&self) -> Result<bool, DiskError> {
        match retry_on_intr(|| accessat(&self.fd, c".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)) {
            Ok(()) => Ok(true),
            Err(Errno::ACCESS | Errno::PERM | Errno::ROFS) => Ok(false),
            Err(errno) => Err(self.error_here("ask for the rights on", errno)),
        }
    }

    pub(super) fn stat_raw(&self, name: &[u8]) -> Result<Stat, Errno> {
        let looked_ns = clock::now_ns();
        tally::look();
        #[cfg(target_os = "linux")]
        if self.calls.are_native() {
            use rustix::fs::statx;
            let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
            match retry_on_intr(|| statx(&self.fd, name, flags, crate::file::STATX_MASK)) {
                Err(Errno::NOSYS) => {}
                told => return told.map(|told| Stat::from_statx(&told, looked_ns)),
            }
        }
        retry_on_intr(|| rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW))
            .map(|told| Stat::from_stat(&told, looked_ns))
    }

    pub(super) fn must_be_regular(&self, name: &[u8]) -> Result<(), Errno> {
        self.stat_raw(name).and_then(regular).map(|_| ())
    }

    fn open_regular(&self, name: &[u8]) -> Result<ReadFile, Errno> {
        self.must_be_regular(name)?;
        let fd = self.open_quietly(name)?;
        let opened = stat_of(&fd, self.calls).and_then(regular)?;
        Ok(ReadFile::new(fd, self.calls, opened))
    }

    #[cfg(target_os = "linux")]
    fn open_quietly(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        if self.calls == Calls::Native {
            tally::open();
            // Only the owner may leave the access time alone.
            match retry_on_intr(|| openat(&self.fd, name, READ | OFlags::NOATIME, RawMode::empty())) {
                Err(Errno::PERM) => {}
                opened => return opened,
            }
        }
        self.open_plainly(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn open_quietly(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        self.open_plainly(name)
    }

    pub(super) fn open_plainly(&self, name: &[u8]) -> Result<OwnedFd, Errno> {
        tally::open();
        retry_on_intr(|| openat(&self.fd, name, READ, RawMode::empty()))
    }
}

/// Lets only a regular file through.
fn regular(stat: Stat) -> Result<Stat, Errno> {
    match stat.kind {
        EntryKind::File => Ok(stat),
        EntryKind::Link => Err(Errno::LOOP),
        EntryKind::Dir => Err(Errno::ISDIR),
        EntryKind::Special | EntryKind::Absent => Err(Errno::INVAL),
    }
}
