//! Waiting until one of several descriptors has something to say, with a bound. Reads nothing.

use std::os::fd::BorrowedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// Waits until one of the descriptors can be read or has something urgent, at most so long, and says which of them do.
///
/// An interrupted or refused wait ends early and says nothing of any. Uses no processor while it waits.
pub fn wait_for_any(descriptors: &[BorrowedFd<'_>], limit: Duration) -> Vec<bool> {
    let flags = PollFlags::IN | PollFlags::PRI;
    let mut asked: Vec<PollFd<'_>> = descriptors.iter().map(|fd| PollFd::from_borrowed_fd(*fd, flags)).collect();
    let seconds = i64::try_from(limit.as_secs()).unwrap_or(i64::MAX);
    let limit = Timespec { tv_sec: seconds, tv_nsec: limit.subsec_nanos().into() };
    match poll(&mut asked, Some(&limit)) {
        Ok(_) => asked.iter().map(|fd| !fd.revents().is_empty()).collect(),
        Err(Errno::INTR) => vec![false; descriptors.len()],
        Err(_) => {
            // Not to be called again and again at full speed.
            std::thread::sleep(Duration::from_millis(10));
            vec![false; descriptors.len()]
        }
    }
}
