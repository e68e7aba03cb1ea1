//! Listing a folder.

use model::EntryKind;
use rustix::fs::FileType;
use rustix::io::Errno;

use super::{Dir, Listed};
#[cfg(target_os = "linux")]
use crate::tally;
use crate::{DiskError, stat};

/// Enough for some hundred names in one call, and small enough for the stack.
#[cfg(target_os = "linux")]
const LIST_BUFFER_BYTES: usize = 32 * 1024;

impl Dir {
    /// Every name in this folder, in the order of the file system, without `.` and `..`.
    ///
    /// Cost: one system call per 32 KiB of names, one allocation per name. Two threads must not list one handle at
    /// the same time, since they would share its place in the folder; each takes its own by [`Dir::try_clone`].
    pub fn list(&self) -> Result<Vec<Listed>, DiskError> {
        #[cfg(target_os = "linux")]
        if self.calls.are_native() {
            return self.list_raw().map_err(|errno| self.error_here("list", errno));
        }
        self.list_portable().map_err(|errno| self.error_here("list", errno))
    }

    #[cfg(target_os = "linux")]
    fn list_raw(&self) -> Result<Vec<Listed>, Errno> {
        use std::mem::MaybeUninit;
        rustix::fs::seek(&self.fd, rustix::fs::SeekFrom::Start(0))?;
        let mut buffer = [MaybeUninit::uninit(); LIST_BUFFER_BYTES];
        let mut entries = rustix::fs::RawDir::new(&self.fd, &mut buffer);
        let mut listed = Vec::new();
        loop {
            if entries.is_buffer_empty() {
                tally::list();
            }
            let Some(entry) = entries.next() else { return Ok(listed) };
            match entry {
                Ok(entry) => push(&mut listed, entry.file_name().to_bytes(), entry.file_type(), entry.ino()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    fn list_portable(&self) -> Result<Vec<Listed>, Errno> {
        let mut listed = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd)? {
            let entry = entry?;
            push(&mut listed, entry.file_name().to_bytes(), entry.file_type(), entry.ino());
        }
        Ok(listed)
    }
}

fn push(listed: &mut Vec<Listed>, name: &[u8], file_type: FileType, inode: u64) {
    if name != b"." && name != b".." {
        listed.push(Listed { name: name.into(), kind: kind(file_type), inode });
    }
}

fn kind(file_type: FileType) -> Option<EntryKind> {
    (file_type != FileType::Unknown).then(|| stat::kinds(file_type).0)
}
