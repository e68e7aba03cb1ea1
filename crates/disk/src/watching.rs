//! [`FolderWatch`]: hears from the operating system in which folders something happens. Keeps no paths, judges nothing,
//! and holds no handle on what it watches.
//!
//! Linux has inotify for it. Another system is refused, until it has its own part here.

use std::os::fd::{AsFd, BorrowedFd};

use crate::{Dir, DiskError};

/// A folder that is watched, as its [`FolderWatch`] numbers it. Not used again for another folder of the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(i32);

/// Something that was heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Noticed {
    /// A name in a watched folder came, went, or is another thing now.
    Name {
        /// The folder.
        watch: WatchId,
        /// The name.
        name: Box<[u8]>,
        /// Whether it is, or was, a folder.
        is_folder: bool,
    },
    /// What a name in a watched folder holds, or the folder's own attributes, may have changed.
    Content {
        /// The folder.
        watch: WatchId,
    },
    /// The watched folder itself was moved, removed or unmounted, or is not watched any more.
    Itself {
        /// The folder.
        watch: WatchId,
    },
    /// Something was lost: there was more to hear than the system keeps.
    Overflow,
}

/// Whether everything that was to be heard was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// There was a moment in this call at which nothing was left.
    Empty,
    /// So much comes in that no end was reached.
    NotEmpty,
}

/// Hears of changes in folders.
#[derive(Debug)]
pub struct FolderWatch {
    queue: system::Queue,
}

impl FolderWatch {
    /// Begins with no folder. Fails where the system has no such thing or gives no more of them.
    pub fn begin() -> Result<Self, DiskError> {
        Ok(Self { queue: system::Queue::open()? })
    }

    /// Hears from now on what happens directly in a folder. A folder that is watched already has one id, however often
    /// and by whichever path it is given.
    ///
    /// [`DiskError::is_no_space`] means that the user may watch no more folders.
    pub fn watch(&self, dir: &Dir) -> Result<WatchId, DiskError> {
        self.queue.watch(dir).map(WatchId)
    }

    /// Hears no more of a folder; what is in the queue already may still come.
    pub fn forget(&self, watch: WatchId) {
        self.queue.forget(watch.0);
    }

    /// Hands out everything that has happened before this call, and never waits. Gives up after so many pieces.
    ///
    /// A change on a local file system is in the queue when the call that made it has come back. Not told are writes
    /// through a memory map before the file is closed, and through a name of the file outside of the watched folders.
    pub fn drain(&self, pieces_max: usize, heard: &mut dyn FnMut(Noticed)) -> Result<Drained, DiskError> {
        self.queue.drain(pieces_max, heard)
    }
}

impl AsFd for FolderWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.queue.as_fd()
    }
}

/// Hears whether anything was mounted or unmounted.
#[derive(Debug)]
pub struct MountWatch {
    table: system::MountTable,
}

impl MountWatch {
    /// Begins now.
    pub fn begin() -> Result<Self, DiskError> {
        Ok(Self { table: system::MountTable::open()? })
    }

    /// Whether anything was mounted or unmounted since the last time this was asked. When in doubt, yes.
    pub fn has_changed(&self) -> bool {
        self.table.has_changed()
    }

    /// The descriptor that becomes urgent with a change.
    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.table.as_fd()
    }
}

/// What tells the mounts that this process sees from those that another sees; none where that is not known.
pub fn mount_namespace() -> Option<Vec<u8>> {
    system::mount_namespace()
}

#[cfg(target_os = "linux")]
mod system {
    //! inotify, by way of `/proc/self/fd`, so that a folder is named by an open handle and not by its path.

    use std::fs::File;
    use std::mem::MaybeUninit;
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
    use std::os::unix::ffi::OsStrExt as _;
    use std::path::Path;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
    use rustix::io::{Errno, retry_on_intr};

    use super::{Drained, Noticed, WatchId};
    use crate::{Dir, DiskError};

    /// Room for some hundred events.
    const BUFFER_BYTES: usize = 16 * 1024;

    #[derive(Debug)]
    pub(super) struct Queue(OwnedFd);

    impl Queue {
        pub(super) fn open() -> Result<Self, DiskError> {
            let opened = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC);
            opened.map(Queue).map_err(|errno| DiskError::at("begin to watch", Path::new("/"), errno))
        }

        pub(super) fn watch(&self, dir: &Dir) -> Result<i32, DiskError> {
            let what = WatchFlags::CREATE
                | WatchFlags::DELETE
                | WatchFlags::MOVED_FROM
                | WatchFlags::MOVED_TO
                | WatchFlags::MODIFY
                | WatchFlags::ATTRIB
                | WatchFlags::CLOSE_WRITE
                | WatchFlags::DELETE_SELF
                | WatchFlags::MOVE_SELF
                | WatchFlags::ONLYDIR;
            let by_handle = format!("/proc/self/fd/{}", dir.as_fd().as_raw_fd());
            let added = retry_on_intr(|| inotify::add_watch(&self.0, by_handle.as_str(), what));
            added.map_err(|errno| dir.error_here("watch", errno))
        }

        pub(super) fn forget(&self, watch: i32) {
            // It may be gone by itself.
            _ = inotify::remove_watch(&self.0, watch);
        }

        pub(super) fn drain(&self, pieces_max: usize, heard: &mut dyn FnMut(Noticed)) -> Result<Drained, DiskError> {
            let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
            let mut reader = inotify::Reader::new(&self.0, &mut buffer);
            for _ in 0..pieces_max {
                match reader.next() {
                    Ok(event) => noticed(&event).into_iter().for_each(&mut *heard),
                    Err(Errno::AGAIN) => return Ok(Drained::Empty),
                    Err(Errno::INTR) => {}
                    Err(errno) => return Err(DiskError::at("hear of changes", Path::new("/"), errno)),
                }
            }
            // What is left in the buffer would be lost with it.
            while !reader.is_buffer_empty() {
                match reader.next() {
                    Ok(event) => noticed(&event).into_iter().for_each(&mut *heard),
                    Err(errno) => return Err(DiskError::at("hear of changes", Path::new("/"), errno)),
                }
            }
            Ok(Drained::NotEmpty)
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    fn noticed(event: &inotify::Event<'_>) -> Option<Noticed> {
        let flags = event.events();
        if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            return Some(Noticed::Overflow);
        }
        let watch = WatchId(event.wd());
        let itself = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT | ReadFlags::IGNORED;
        if flags.intersects(itself) {
            return Some(Noticed::Itself { watch });
        }
        let other_thing = ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO;
        match event.file_name() {
            Some(name) if flags.intersects(other_thing) => {
                Some(Noticed::Name { watch, name: name.to_bytes().into(), is_folder: flags.contains(ReadFlags::ISDIR) })
            }
            _ => Some(Noticed::Content { watch }),
        }
    }

    #[derive(Debug)]
    pub(super) struct MountTable(File);

    impl MountTable {
        pub(super) fn open() -> Result<Self, DiskError> {
            let path = Path::new("/proc/self/mountinfo");
            File::open(path).map(MountTable).map_err(|error| DiskError::at("open", path, error))
        }

        /// The kernel says once per change that the table is another one.
        pub(super) fn has_changed(&self) -> bool {
            let mut asked = [PollFd::new(&self.0, PollFlags::PRI)];
            let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
            match retry_on_intr(|| poll(&mut asked, Some(&at_once))) {
                Ok(_) => asked[0].revents().intersects(PollFlags::PRI | PollFlags::ERR),
                Err(_) => true,
            }
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            self.0.as_fd()
        }
    }

    pub(super) fn mount_namespace() -> Option<Vec<u8>> {
        std::fs::read_link("/proc/self/ns/mnt").ok().map(|name| name.as_os_str().as_bytes().to_vec())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    //! No door yet: everything is refused, and nothing can be asked of what was never begun.

    use std::os::fd::BorrowedFd;
    use std::path::Path;

    use rustix::io::Errno;

    use super::{Drained, Noticed};
    use crate::{Dir, DiskError};

    #[derive(Debug)]
    pub(super) enum Queue {}

    impl Queue {
        pub(super) fn open() -> Result<Self, DiskError> {
            Err(DiskError::at("begin to watch", Path::new("/"), Errno::NOSYS))
        }

        pub(super) fn watch(&self, _: &Dir) -> Result<i32, DiskError> {
            match *self {}
        }

        pub(super) fn forget(&self, _: i32) {
            match *self {}
        }

        pub(super) fn drain(&self, _: usize, _: &mut dyn FnMut(Noticed)) -> Result<Drained, DiskError> {
            match *self {}
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            match *self {}
        }
    }

    #[derive(Debug)]
    pub(super) enum MountTable {}

    impl MountTable {
        pub(super) fn open() -> Result<Self, DiskError> {
            Err(DiskError::at("watch mounts at", Path::new("/"), Errno::NOSYS))
        }

        pub(super) fn has_changed(&self) -> bool {
            match *self {}
        }

        pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
            match *self {}
        }
    }

    pub(super) fn mount_namespace() -> Option<Vec<u8>> {
        None
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
