//! Waiting until one of several descriptors has something to say, with a bound. Reads nothing.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// What is waited for at a descriptor.
#[derive(Debug, Clone, Copy)]
pub enum Awaited<'fd> {
    /// That it can be read.
    Readable(BorrowedFd<'fd>),
    /// That it is urgent. Some can always be read, and say by this that they have changed.
    Urgent(BorrowedFd<'fd>),
}

/// Waits until one of the descriptors has what is awaited of it, or is closed, at most so long; says which of them do.
///
/// An interrupted or refused wait ends early and says nothing of any. Uses no processor while it waits.
pub fn wait_for_any(awaited: &[Awaited<'_>], limit: Duration) -> Vec<bool> {
    let mut asked: Vec<PollFd<'_>> = awaited.iter().map(poll_for).collect();
    let seconds = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
    let limit = Timespec { tv_sec: seconds, tv_nsec: limit.subsec_nanos().into() };
    match poll(&mut asked, Some(&limit)) {
        Ok(_) => asked.iter().map(|fd| !fd.revents().is_empty()).collect(),
        Err(Errno::INTR) => vec![false; awaited.len()],
        Err(_) => {
            // Not to be called again and again at full speed.
            std::thread::sleep(Duration::from_millis(10));
            vec![false; awaited.len()]
        }
    }
}

fn poll_for<'fd>(awaited: &Awaited<'fd>) -> PollFd<'fd> {
    match *awaited {
        Awaited::Readable(fd) => PollFd::from_borrowed_fd(fd, PollFlags::IN),
        Awaited::Urgent(fd) => PollFd::from_borrowed_fd(fd, PollFlags::PRI),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsFd as _;

    use super::*;
    use crate::{Dir, FolderWatch, MountWatch, clock};

    #[test]
    fn nothing_is_ready_while_nothing_happens_and_the_wait_lasts_its_time() {
        let folder = tempfile::tempdir().unwrap();
        let (mounts, watch) = (MountWatch::begin().unwrap(), FolderWatch::begin().unwrap());
        watch.watch(&Dir::open(folder.path()).unwrap()).unwrap();
        let awaited = [Awaited::Urgent(mounts.as_fd()), Awaited::Readable(watch.as_fd())];
        let (limit, began_ns) = (Duration::from_millis(30), clock::monotonic_ns());
        assert_eq!(wait_for_any(&awaited, limit), [false, false]);
        assert!(u128::from(clock::monotonic_ns() - began_ns) >= limit.as_nanos());
        std::fs::write(folder.path().join("f"), "x").unwrap();
        assert_eq!(wait_for_any(&awaited, Duration::from_secs(10)), [false, true]);
    }
}
