//! Finding out whether somebody holds a file open for writing.

use std::time::Duration;

use rustix::io::Errno;

use super::{Dir, single};
use crate::DiskError;

/// The pauses between the looks at a file that has a writer.
const PAUSES_MS: [u64; 5] = [1, 3, 6, 15, 25];

impl Dir {
    /// Whether some process holds the file `name` open for writing, or has it mapped writable.
    ///
    /// Where it cannot be known the answer is `false`: on systems without leases, and, for a file that is not ours, when
    /// the writer is a process of somebody else. So a `true` is certain, and a `false` is only a good sign.
    ///
    /// A writer that is gone after a moment is none: it may be a process that is just being started and has not yet
    /// closed what it got from its parent.
    ///
    /// Cost: three system calls; where the kernel gives no lease on the file, a walk through `/proc`; where there is a
    /// writer, some fifty milliseconds.
    pub fn holds_open_for_writing(&self, name: &[u8]) -> Result<bool, DiskError> {
        single(name)
            .and_then(|name| self.has_lasting_writer(name))
            .map_err(|errno| self.error("look for writers of", name, errno))
    }

    fn has_lasting_writer(&self, name: &[u8]) -> Result<bool, Errno> {
        for pause in PAUSES_MS {
            if !self.has_writer(name)? {
                return Ok(false);
            }
            std::thread::sleep(Duration::from_millis(pause));
        }
        self.has_writer(name)
    }

    #[cfg(target_os = "linux")]
    fn has_writer(&self, name: &[u8]) -> Result<bool, Errno> {
        self.must_be_regular(name)?;
        let fd = match self.open_plainly(name) {
            // Somebody has a lease to write and is asked to give it up.
            Err(Errno::AGAIN) => return Ok(true),
            opened => opened?,
        };
        if self.calls.are_native() {
            match lease::read_lease(&fd) {
                Ok(()) => return Ok(false),
                Err(Errno::AGAIN) => return Ok(true),
                Err(_) => {}
            }
        }
        let told = rustix::fs::fstat(&fd)?;
        Ok(proc_scan::has_writer(told.st_dev, told.st_ino))
    }

    #[cfg(not(target_os = "linux"))]
    fn has_writer(&self, name: &[u8]) -> Result<bool, Errno> {
        self.must_be_regular(name).map(|()| false)
    }
}

#[cfg(target_os = "linux")]
mod lease {
    //! A lease for reading is only given while nobody has the file open for writing.

    use std::os::fd::{AsRawFd as _, OwnedFd};

    use rustix::io::Errno;

    /// `F_SETSIG`, which the libc crate does not name on every Linux: sets the signal that tells of a lost lease.
    const F_SETSIG: libc::c_int = 10;

    /// Takes a lease and gives it back at once. `EAGAIN` means that there is a writer.
    pub(super) fn read_lease(fd: &OwnedFd) -> Result<(), Errno> {
        // Should somebody open the file in this very instant, we are told by this signal, which does nothing unless
        // asked for; the usual one would end the process.
        fcntl(fd, F_SETSIG, libc::SIGURG)?;
        fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK)?;
        fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK)
    }

    fn fcntl(fd: &OwnedFd, command: libc::c_int, argument: libc::c_int) -> Result<(), Errno> {
        // SAFETY: the descriptor is open, and these commands take an integer and touch no memory of ours.
        let result = unsafe { libc::fcntl(fd.as_raw_fd(), command, argument) };
        if result != -1 {
            return Ok(());
        }
        Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
    }
}

#[cfg(target_os = "linux")]
mod proc_scan {
    //! Looks through the descriptors of every process that we may look into.

    use std::fs;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    pub(super) fn has_writer(device: u64, inode: u64) -> bool {
        let Ok(processes) = fs::read_dir("/proc") else { return false };
        processes
            .flatten()
            .filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit))
            .any(|entry| process_writes(&entry.path(), device, inode))
    }

    fn process_writes(process: &Path, device: u64, inode: u64) -> bool {
        let Ok(descriptors) = fs::read_dir(process.join("fd")) else { return false };
        descriptors.flatten().any(|descriptor| {
            let is_it = fs::metadata(descriptor.path()).is_ok_and(|told| (told.dev(), told.ino()) == (device, inode));
            is_it && is_open_for_writing(&process.join("fdinfo").join(descriptor.file_name()))
        })
    }

    fn is_open_for_writing(info: &Path) -> bool {
        let Ok(text) = fs::read_to_string(info) else { return false };
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|octal| i32::from_str_radix(octal.trim(), 8).ok());
        flags.is_some_and(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY && flags & libc::O_PATH == 0)
    }
}
