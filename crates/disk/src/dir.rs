//! [`Dir`]: a handle on a real folder. Every call is relative to the handle, takes single names and follows no link,
//! so nothing that is renamed or replaced above the folder meanwhile can lead a call astray.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use model::{EntryKind, WorkspacePath};
use rustix::fs::{CWD, Mode as RawMode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use crate::error::escaped;
use crate::{Calls, DiskError, durable, tally};

mod attributes;
mod list;
mod look;
mod make;
mod mode;
mod rename;
#[cfg(test)]
mod tests;
mod writers;

/// An open folder.
///
/// It stays the same folder whatever happens to its name. Cheap to use: no path is built unless a call fails.
#[derive(Debug)]
pub struct Dir {
    fd: OwnedFd,
    calls: Calls,
    place: Arc<Place>,
}

/// One name in a listed folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The name.
    pub name: Box<[u8]>,
    /// What kind of thing it is, where the file system says so without a further look.
    pub kind: Option<EntryKind>,
    /// Its number on the device, not seen through a mount.
    pub inode: u64,
}

/// How a folder was reached, kept for messages only.
#[derive(Debug)]
struct Place {
    above: Option<Arc<Place>>,
    name: Box<[u8]>,
}

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC).union(OFlags::NOCTTY).union(OFlags::NONBLOCK);

impl Dir {
    /// Opens the folder at an absolute path. Links on the way and at its end are followed: it is the user's own root.
    pub fn open(path: &Path) -> Result<Dir, DiskError> {
        Self::open_with(path, Calls::of_this_process())
    }

    /// The same, with a choice of system calls that everything opened through it inherits.
    pub fn open_with(path: &Path, calls: Calls) -> Result<Dir, DiskError> {
        if !path.is_absolute() {
            return Err(DiskError::at("open folder", path, Errno::INVAL));
        }
        let fd = opened(|| openat(CWD, path, FOLDER, RawMode::empty()))
            .map_err(|errno| DiskError::at("open folder", path, errno))?;
        let place = Place { above: None, name: path.as_os_str().as_bytes().into() };
        Ok(Dir { fd, calls, place: Arc::new(place) })
    }

    /// A second handle on the same folder.
    pub fn try_clone(&self) -> Result<Dir, DiskError> {
        let fd = self.reopen()?;
        Ok(Dir { fd, calls: self.calls, place: Arc::clone(&self.place) })
    }

    /// Opens the folder `name` in this one. A link or anything but a folder is refused
    /// ([`DiskError::leads_astray`]).
    pub fn open_child(&self, name: &[u8]) -> Result<Dir, DiskError> {
        let fd = single(name)
            .and_then(|name| opened(|| openat(&self.fd, name, FOLDER | OFlags::NOFOLLOW, RawMode::empty())))
            .map_err(|errno| self.error("open folder", name, errno))?;
        Ok(self.below(fd, name))
    }

    /// Opens the folder at `path` beneath this one. A link or anything but a folder on the way is refused
    /// ([`DiskError::leads_astray`]). The empty path gives a second handle on this folder.
    pub fn open_beneath(&self, path: &WorkspacePath) -> Result<Dir, DiskError> {
        if path.is_root() {
            return self.try_clone();
        }
        #[cfg(target_os = "linux")]
        if self.calls.are_native() {
            match self.open_beneath_at_once(path) {
                Ok(fd) => return Ok(self.below(fd, path.as_bytes())),
                // Longer than the kernel takes at once, or a call it does not know: name by name.
                Err(errno) if errno == Errno::NAMETOOLONG || may_be_unknown(errno) => {}
                Err(errno) => return Err(self.error("open folder", path.as_bytes(), errno)),
            }
        }
        self.walk_beneath(path)
    }

    /// Waits until everything written so far on the file system of this folder is on the disk.
    pub fn sync_file_system(&self) -> Result<(), DiskError> {
        durable::step(|| self.sync_all()).map_err(|errno| self.error_here("sync the file system of", errno))
    }

    /// Whether this file system is known to tell a watcher of every local change, and has no others that are made
    /// elsewhere. When in doubt, no.
    pub fn tells_changes(&self) -> bool {
        self.is_on_local_file_system()
    }

    /// The path this folder was opened at, for people. Not to be opened again: it may be another folder by now.
    pub fn path_shown(&self) -> String {
        escaped(&self.place.bytes())
    }

    #[cfg(target_os = "linux")]
    fn open_beneath_at_once(&self, path: &WorkspacePath) -> Result<OwnedFd, Errno> {
        use rustix::fs::{ResolveFlags, openat2};
        const ATTEMPTS_MAX: usize = 16;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let attempt = || openat2(&self.fd, path.as_bytes(), FOLDER | OFlags::NOFOLLOW, RawMode::empty(), resolve);
        let mut result = opened(attempt);
        for _ in 1..ATTEMPTS_MAX {
            // The kernel asks to try again when something was renamed while it walked.
            if !matches!(result, Err(Errno::AGAIN)) {
                break;
            }
            result = opened(attempt);
        }
        result
    }

    fn walk_beneath(&self, path: &WorkspacePath) -> Result<Dir, DiskError> {
        let mut names = path.components();
        let first = names.next().ok_or_else(|| self.error_here("open folder", Errno::INVAL))?;
        names.try_fold(self.open_child(first)?, |dir, name| dir.open_child(name))
    }

    fn reopen(&self) -> Result<OwnedFd, DiskError> {
        opened(|| openat(&self.fd, c".", FOLDER, RawMode::empty()))
            .map_err(|errno| self.error_here("open folder", errno))
    }

    fn below(&self, fd: OwnedFd, name: &[u8]) -> Dir {
        let place = Place { above: Some(Arc::clone(&self.place)), name: name.into() };
        Dir { fd, calls: self.calls, place: Arc::new(place) }
    }

    #[cfg(target_os = "linux")]
    fn sync_all(&self) -> Result<(), Errno> {
        retry_on_intr(|| rustix::fs::syncfs(&self.fd))
    }

    #[cfg(target_os = "linux")]
    fn is_on_local_file_system(&self) -> bool {
        /// ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS, bcachefs, ramfs.
        const KNOWN: [u64; 9] = [
            0xEF53,
            0x5846_5342,
            0x9123_683E,
            0x0102_1994,
            0x794C_7630,
            0xF2F5_2010,
            0x2FC1_2FC1,
            0xCA45_1A4E,
            0x8584_58F6,
        ];
        let told = retry_on_intr(|| rustix::fs::fstatfs(&self.fd));
        told.is_ok_and(|told| u64::try_from(told.f_type).is_ok_and(|kind| KNOWN.contains(&(kind & 0xFFFF_FFFF))))
    }

    #[cfg(not(target_os = "linux"))]
    fn is_on_local_file_system(&self) -> bool {
        false
    }

    #[cfg(not(target_os = "linux"))]
    fn sync_all(&self) -> Result<(), Errno> {
        rustix::fs::sync();
        retry_on_intr(|| rustix::fs::fsync(&self.fd))
    }

    fn error(&self, verb: &'static str, name: &[u8], source: impl Into<std::io::Error>) -> DiskError {
        DiskError { verb, path: self.shown(name), source: source.into() }
    }

    fn shown(&self, name: &[u8]) -> String {
        escaped(&[&self.place.bytes(), &b"/"[..], name].concat())
    }

    pub(crate) fn error_here(&self, verb: &'static str, source: impl Into<std::io::Error>) -> DiskError {
        DiskError { verb, path: self.path_shown(), source: source.into() }
    }
}

impl std::os::fd::AsFd for Dir {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl Place {
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.above.as_ref().map(|above| above.bytes()).unwrap_or_default();
        if self.above.is_some() && !bytes.ends_with(b"/") {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(&self.name);
        bytes
    }
}

/// Refuses everything but a single name, so that no call can be led out of its folder by spelling.
fn single(name: &[u8]) -> Result<&[u8], Errno> {
    let sound = !matches!(name, b"" | b"." | b"..") && !name.contains(&b'/');
    if sound { Ok(name) } else { Err(Errno::INVAL) }
}

/// Opens something with one system call, again if a signal came in between.
fn opened<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    retry_on_intr(|| {
        tally::open();
        call()
    })
}

/// Does one durable step of one system call, again if a signal came in between.
fn durably<T>(call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    durable::step(|| retry_on_intr(call))
}

/// Whether this error may only mean that the kernel, a sandbox or the file system does not know the call.
fn may_be_unknown(errno: Errno) -> bool {
    [Errno::NOSYS, Errno::INVAL, Errno::OPNOTSUPP].contains(&errno)
}
