//! [`Pulse`]: wakes whoever waits for something to happen in this server.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Counts what happens.
#[derive(Debug, Default)]
pub(super) struct Pulse {
    beats: Mutex<u64>,
    has_beaten: Condvar,
}

impl Pulse {
    /// Something has happened.
    pub(super) fn beat(&self) {
        let mut beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        *beats = beats.wrapping_add(1);
        self.has_beaten.notify_all();
    }

    /// How much has happened until now.
    pub(super) fn count(&self) -> u64 {
        *self.beats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something happens that `seen` does not count yet, but not longer than `wait`.
    pub(super) fn wait(&self, seen: u64, wait: Duration) {
        let beats = self.beats.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.has_beaten.wait_timeout_while(beats, wait, |beats| *beats == seen));
    }
}
