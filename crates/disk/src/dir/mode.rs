//! Setting permission bits by name, never through a link.

use model::{EntryKind, Mode};
use rustix::fs::{AtFlags, CWD, Mode as RawMode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use super::{Dir, durably, single};
use crate::DiskError;
use crate::file::{has_special_bits, is_kept, raw_mode};

impl Dir {
    /// Gives a file or folder exactly these permission bits. A link is refused.
    ///
    /// Fails with a permission error if the operating system drops a special bit.
    pub fn set_mode(&self, name: &[u8], mode: Mode) -> Result<(), DiskError> {
        single(name)
            .and_then(|name| self.set_and_check(name, mode))
            .map_err(|errno| self.error("set the mode of", name, errno))
    }

    /// Gives this folder itself exactly these permission bits; for a root, which has no name in a folder of ours.
    pub fn set_mode_self(&self, mode: Mode) -> Result<(), DiskError> {
        durably(|| rustix::fs::fchmod(&self.fd, raw_mode(mode)))
            .map_err(|errno| self.error_here("set the mode of", errno))?;
        let there = self.stat_self()?.mode;
        is_kept(mode, there).map_err(|errno| self.error_here("set the mode of", errno))
    }

    fn set_and_check(&self, name: &[u8], mode: Mode) -> Result<(), Errno> {
        if self.stat_raw(name)?.kind == EntryKind::Link {
            return Err(Errno::LOOP);
        }
        durably(|| self.change_mode(name, mode))?;
        if has_special_bits(mode) { is_kept(mode, self.stat_raw(name)?.mode) } else { Ok(()) }
    }

    #[cfg(target_os = "linux")]
    fn change_mode(&self, name: &[u8], mode: Mode) -> Result<(), Errno> {
        if self.calls.are_native() {
            match self.fchmodat2(name, mode) {
                Err(Errno::NOSYS | Errno::PERM) => {}
                result => return result,
            }
        }
        self.change_mode_by_handle(name, mode)
    }

    #[cfg(not(target_os = "linux"))]
    fn change_mode(&self, name: &[u8], mode: Mode) -> Result<(), Errno> {
        rustix::fs::chmodat(&self.fd, name, raw_mode(mode), AtFlags::SYMLINK_NOFOLLOW)
    }

    /// `fchmodat2` with `AT_SYMLINK_NOFOLLOW`, which Linux has since 6.6.
    #[cfg(target_os = "linux")]
    fn fchmodat2(&self, name: &[u8], mode: Mode) -> Result<(), Errno> {
        use std::os::fd::AsRawFd as _;
        let name = std::ffi::CString::new(name).map_err(|_| Errno::INVAL)?;
        // SAFETY: the descriptor is open, the name is a live NUL-terminated string, and the kernel writes no memory.
        let result = unsafe {
            libc::syscall(
                libc::SYS_fchmodat2,
                self.fd.as_raw_fd(),
                name.as_ptr(),
                mode.bits(),
                AtFlags::SYMLINK_NOFOLLOW.bits(),
            )
        };
        if result == 0 { Ok(()) } else { Err(last_errno()) }
    }

    /// Takes hold of the thing without opening it, then names it through `/proc`, which leads to exactly that thing.
    #[cfg(target_os = "linux")]
    fn change_mode_by_handle(&self, name: &[u8], mode: Mode) -> Result<(), Errno> {
        use std::os::fd::AsRawFd as _;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let held = retry_on_intr(|| openat(&self.fd, name, flags, RawMode::empty()))?;
        let told = rustix::fs::fstat(&held)?;
        if rustix::fs::FileType::from_raw_mode(told.st_mode).is_symlink() {
            return Err(Errno::LOOP);
        }
        let way = format!("/proc/self/fd/{}", held.as_raw_fd());
        rustix::fs::chmodat(CWD, way.as_str(), raw_mode(mode), AtFlags::empty())
    }
}

#[cfg(target_os = "linux")]
fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
