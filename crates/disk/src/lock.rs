//! [`FairLock`]: an advisory lock between processes, first come first served, with a bounded wait.
//!
//! The lock itself is the kernel's (`flock`), so it never outlives its holder. Beside it lies a small queue of tickets,
//! which only decides who may try next: a queue that is torn or stale costs fairness, never safety.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::{Errno, retry_on_intr};

use crate::{DiskError, Process, clock};

mod queue;

use queue::Queue;

/// The lock at a path; see [`FairLock::acquire`].
#[derive(Debug)]
pub struct FairLock;

/// Holds the lock until it is dropped.
#[derive(Debug)]
#[must_use = "the lock is released when the guard is dropped"]
pub struct LockGuard {
    file: File,
    path: PathBuf,
    since_ns: i64,
}

/// Who holds a lock, as far as it was written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// When that process was started, in the system's own unit.
    pub started_ticks: u64,
    /// Since when it holds the lock, in nanoseconds since the Unix epoch.
    pub since_ns: i64,
    /// What it said it is doing; empty if it said nothing.
    pub what: String,
}

/// Why a lock was not given.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else held it, or was before us, for the whole wait. Nothing was changed.
    #[error("Another process is at work here{}", holder.as_ref().map(Holder::in_brackets).unwrap_or_default())]
    Busy {
        /// Who, if that is known.
        holder: Option<Holder>,
    },
    /// The files of the lock could not be used.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

/// How long a waiter sleeps between two looks: short at first, since most holders are done at once.
const PAUSE_MIN: Duration = Duration::from_micros(200);
const PAUSE_MAX: Duration = Duration::from_millis(3);

impl FairLock {
    /// Takes the lock at `path`, waiting at most `wait` for those who came before.
    ///
    /// The file at `path`, and one with `.queue` after it, are made if they are not there; their folder must be. Waiters
    /// that have died, or have waited longer than they wanted to, are passed over. The lock is not reentrant.
    pub fn acquire(path: &Path, wait: Duration) -> Result<LockGuard, LockError> {
        let wait_ns = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        let mut queue = Queue::open(path, clock::monotonic_ns().saturating_add(wait_ns))?;
        let mut pause = PAUSE_MIN;
        loop {
            if let Some(guard) = queue.try_in_turn(|| try_lock(path))? {
                return Ok(guard);
            }
            if clock::monotonic_ns() >= queue.deadline_ns() {
                return Err(LockError::Busy { holder: read_holder(path)? });
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(PAUSE_MAX);
        }
    }

    /// Takes the lock at `path` if nobody holds it and nobody waits for it; never waits.
    pub fn try_acquire(path: &Path) -> Result<Option<LockGuard>, DiskError> {
        Queue::open(path, 0)?.try_if_empty(|| try_lock(path))
    }
}

impl LockGuard {
    /// Writes down what the holder is doing, for those who wait. An error is no reason to stop: only a message is lost.
    pub fn describe(&mut self, what: &str) -> Result<(), DiskError> {
        let own = Process::own();
        let line = what.replace(['\n', '\r'], " ");
        let text = format!("{} {} {}\n{line}\n", own.pid, own.started_ticks, self.since_ns);
        self.rewrite(&text).map_err(|error| DiskError::at("write", &self.path, error))
    }

    fn rewrite(&mut self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(text.as_bytes())
    }
}

impl Drop for LockGuard {
    /// Nobody holds it from here on. Released by name and not only by closing the file, since a child that is just being
    /// started may have a copy of the descriptor.
    fn drop(&mut self) {
        _ = self.file.set_len(0);
        _ = flock(&self.file, FlockOperation::Unlock);
    }
}

impl Holder {
    fn in_brackets(&self) -> String {
        if self.what.is_empty() {
            return format!(" (process {})", self.pid);
        }
        format!(" (process {}: {})", self.pid, self.what)
    }

    fn parse(text: &str) -> Option<Self> {
        let (numbers, what) = text.split_once('\n')?;
        let mut numbers = numbers.split(' ');
        Some(Self {
            pid: numbers.next()?.parse().ok()?,
            started_ticks: numbers.next()?.parse().ok()?,
            since_ns: numbers.next()?.parse().ok()?,
            what: what.trim_end().to_owned(),
        })
    }
}

/// Takes the kernel's lock if nobody holds it, and writes down who does now.
fn try_lock(path: &Path) -> Result<Option<LockGuard>, DiskError> {
    let file = open(path)?;
    if !try_flock(&file).map_err(|errno| DiskError::at("lock", path, errno))? {
        return Ok(None);
    }
    let mut guard = LockGuard { file, path: path.to_owned(), since_ns: clock::now_ns() };
    // A full disk must not keep anybody from the lock.
    _ = guard.describe("");
    Ok(Some(guard))
}

fn read_holder(path: &Path) -> Result<Option<Holder>, DiskError> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text).map_err(|error| DiskError::at("read", path, error))?;
    Ok(Holder::parse(&text))
}

/// Opens a file of the lock for reading and writing, and makes it, private, if it is not there.
fn open(path: &Path) -> Result<File, DiskError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(|error| DiskError::at("open", path, error))
}

/// Takes the kernel's lock on an open file if nobody holds it.
fn try_flock(file: &File) -> Result<bool, Errno> {
    match retry_on_intr(|| flock(file, FlockOperation::NonBlockingLockExclusive)) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(errno) => Err(errno),
    }
}
