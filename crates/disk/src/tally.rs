//! Counts the calls by which the user's folder is looked at: what a capture costs, as numbers that are the same on every
//! machine. Not a measure of time. Calls that change something are counted by [`crate::durable`]; our own state files are
//! not counted.
//!
//! Only debug builds count. The counts are those of the whole process, whichever of its threads did the work.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much has been asked of the system so far. Only in debug builds, for tests.
#[cfg(debug_assertions)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Looks at one thing: `statx`, or what stands in for it.
    pub looks: u64,
    /// Files and folders opened, or tried to.
    pub opens: u64,
    /// Runs of names read from a folder: `getdents64`.
    pub lists: u64,
    /// Reads of a file, the empty one at its end included.
    pub reads: u64,
    /// The bytes they gave.
    pub read_bytes: u64,
}

static LOOKS: AtomicU64 = AtomicU64::new(0);
static OPENS: AtomicU64 = AtomicU64::new(0);
static LISTS: AtomicU64 = AtomicU64::new(0);
static READS: AtomicU64 = AtomicU64::new(0);
static READ_BYTES: AtomicU64 = AtomicU64::new(0);

/// What this process has asked for so far. Only in debug builds, for tests.
#[cfg(debug_assertions)]
pub fn tally() -> Tally {
    let so_far = |count: &AtomicU64| count.load(Ordering::Relaxed);
    Tally {
        looks: so_far(&LOOKS),
        opens: so_far(&OPENS),
        lists: so_far(&LISTS),
        reads: so_far(&READS),
        read_bytes: so_far(&READ_BYTES),
    }
}

pub(crate) fn look() {
    add(&LOOKS, 1);
}

pub(crate) fn open() {
    add(&OPENS, 1);
}

#[cfg(target_os = "linux")]
pub(crate) fn list() {
    add(&LISTS, 1);
}

pub(crate) fn read(bytes: usize) {
    add(&READS, 1);
    add(&READ_BYTES, bytes as u64);
}

fn add(count: &AtomicU64, more: u64) {
    if cfg!(debug_assertions) {
        count.fetch_add(more, Ordering::Relaxed);
    }
}
