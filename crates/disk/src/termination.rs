//! [`Termination`]: the signals that ask this process to end, waited for instead of obeyed at once.

use std::io;
use std::path::Path;

use crate::DiskError;

/// What asks a program to end: the keys of a terminal, the system, a terminal that was closed.
const SIGNALS: [libc::c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// The signals, held back.
pub struct Termination {
    signals: libc::sigset_t,
}

impl Termination {
    /// Holds the signals back in this thread and in all that it starts from now on: begin with it, before any thread is
    /// started. Programs that are started get them as usual.
    pub fn hold_back() -> Result<Self, DiskError> {
        // SAFETY: the set is a plain array of integers, for which zero is a value, and is filled before it is used.
        let mut signals: libc::sigset_t = unsafe { std::mem::zeroed() };
        // SAFETY: the pointer is to a live set.
        unsafe { libc::sigemptyset(&mut signals) };
        for signal in SIGNALS {
            // SAFETY: the pointer is to a live set, and the number is that of a signal.
            unsafe { libc::sigaddset(&mut signals, signal) };
        }
        // SAFETY: both pointers are valid: one to a live set, and null where nothing is to be given back.
        match unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &signals, std::ptr::null_mut()) } {
            0 => Ok(Self { signals }),
            number => Err(DiskError::at("hold back", Path::new("signals"), io::Error::from_raw_os_error(number))),
        }
    }

    /// Waits until one of them comes.
    pub fn wait(&self) {
        let mut signal = 0;
        // SAFETY: both pointers are to live values.
        while unsafe { libc::sigwait(&self.signals, &mut signal) } != 0 {}
    }
}
