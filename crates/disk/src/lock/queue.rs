//! The queue of those who wait for a lock: one line per ticket in a small file, changed only under that file's own
//! kernel lock, which nobody holds for longer than it takes to read and write it.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::{LockGuard, PAUSE_MAX, PAUSE_MIN, try_flock};
use crate::{DiskError, Process, clock};

/// The queue beside a lock, and our place in it.
#[derive(Debug)]
pub(super) struct Queue {
    file: File,
    path: PathBuf,
    deadline_ns: u64,
    own: Option<u64>,
}

/// One who waits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ticket {
    number: u64,
    process: Process,
    /// After this moment of the steady clock it waits no more.
    deadline_ns: u64,
}

impl Queue {
    /// Opens the queue beside `lock_path` for somebody who waits until `deadline_ns` of the steady clock.
    pub(super) fn open(lock_path: &Path, deadline_ns: u64) -> Result<Self, DiskError> {
        let mut path = lock_path.as_os_str().to_owned();
        path.push(".queue");
        let path = PathBuf::from(path);
        Ok(Self { file: super::open(&path)?, path, deadline_ns, own: None })
    }

    pub(super) fn deadline_ns(&self) -> u64 {
        self.deadline_ns
    }

    /// Tries the lock if it is our turn, else makes sure that we have a place in the queue.
    pub(super) fn try_in_turn(
        &mut self,
        try_lock: impl FnOnce() -> Result<Option<LockGuard>, DiskError>,
    ) -> Result<Option<LockGuard>, DiskError> {
        if !self.lock()? {
            return Ok(None);
        }
        let mut tickets = self.read_waiting()?;
        let place = tickets.iter().position(|ticket| self.is_own(ticket));
        if place.unwrap_or(tickets.len()) == 0
            && let Some(guard) = try_lock()?
        {
            if place.is_some() {
                tickets.remove(0);
                self.write(&tickets);
            }
            self.own = None;
            self.unlock();
            return Ok(Some(guard));
        }
        if place.is_none() {
            // A first ticket, or one that somebody in another process namespace took for a dead process's.
            tickets.push(self.next_ticket(&tickets));
            self.write(&tickets);
        }
        self.unlock();
        Ok(None)
    }

    /// Tries the lock if nobody waits.
    pub(super) fn try_if_empty(
        &mut self,
        try_lock: impl FnOnce() -> Result<Option<LockGuard>, DiskError>,
    ) -> Result<Option<LockGuard>, DiskError> {
        if !self.lock()? {
            return Ok(None);
        }
        let tickets = self.read_waiting()?;
        let guard = if tickets.is_empty() { try_lock()? } else { None };
        self.unlock();
        Ok(guard)
    }

    /// Takes the queue's own lock. Gives up at the deadline, since its holder may have been stopped.
    fn lock(&self) -> Result<bool, DiskError> {
        let mut pause = PAUSE_MIN;
        loop {
            if try_flock(&self.file).map_err(|errno| DiskError::at("lock", &self.path, errno))? {
                return Ok(true);
            }
            // Everybody is given a few looks, also who does not wait.
            if pause >= PAUSE_MAX && clock::monotonic_ns() >= self.deadline_ns {
                return Ok(false);
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(PAUSE_MAX);
        }
    }

    fn unlock(&self) {
        // A lock that could not be released here goes when the file is closed.
        _ = flock(&self.file, FlockOperation::Unlock);
    }

    /// The tickets in order, without those at the front whose holder has died or waits no more.
    fn read_waiting(&mut self) -> Result<Vec<Ticket>, DiskError> {
        let mut text = String::new();
        let read = self.file.rewind().and_then(|()| self.file.read_to_string(&mut text));
        if let Err(error) = read
            && error.kind() != io::ErrorKind::InvalidData
        {
            return Err(DiskError::at("read", &self.path, error));
        }
        let now_ns = clock::monotonic_ns();
        let has_left = |ticket: &Ticket| !self.is_own(ticket) && !ticket.still_waits(now_ns);
        Ok(text.lines().filter_map(Ticket::parse).skip_while(has_left).collect())
    }

    /// Writes the tickets down. A full disk must not keep anybody from the lock, so an error only costs fairness.
    fn write(&mut self, tickets: &[Ticket]) {
        let text: String = tickets.iter().map(Ticket::line).collect();
        let written = self.file.set_len(0).and_then(|()| self.file.rewind());
        _ = written.and_then(|()| self.file.write_all(text.as_bytes()));
    }

    fn next_ticket(&mut self, tickets: &[Ticket]) -> Ticket {
        let number = tickets.iter().map(|ticket| ticket.number).max().unwrap_or(0).wrapping_add(1);
        self.own = Some(number);
        Ticket { number, process: Process::own(), deadline_ns: self.deadline_ns }
    }

    fn is_own(&self, ticket: &Ticket) -> bool {
        self.own == Some(ticket.number) && ticket.process == Process::own()
    }
}

impl Drop for Queue {
    /// Gives the place back, if we still have one. Should that fail, the ticket runs out by itself.
    fn drop(&mut self) {
        if self.own.is_none() || !self.lock().unwrap_or(false) {
            return;
        }
        if let Ok(mut tickets) = self.read_waiting() {
            tickets.retain(|ticket| !self.is_own(ticket));
            self.write(&tickets);
        }
        self.unlock();
    }
}

impl Ticket {
    fn still_waits(&self, now_ns: u64) -> bool {
        now_ns < self.deadline_ns && self.process.is_alive()
    }

    fn line(&self) -> String {
        let Process { pid, started_ticks } = self.process;
        format!("{} {pid} {started_ticks} {}\n", self.number, self.deadline_ns)
    }

    /// Reads one line; none if it is torn.
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.split(' ');
        let ticket = Self {
            number: fields.next()?.parse().ok()?,
            process: Process { pid: fields.next()?.parse().ok()?, started_ticks: fields.next()?.parse().ok()? },
            deadline_ns: fields.next()?.parse().ok()?,
        };
        fields.next().is_none().then_some(ticket)
    }
}
