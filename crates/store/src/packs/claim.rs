//! Which pack to append to: the first that is neither full nor in use by another process, else a new one.
//!
//! The lock of a pack is held from the first append until what was appended is named in the database or given up, so
//! that nobody takes a frame for rubbish that is about to be named. The lock is only ever tried: nobody waits for it
//! while holding anything else.

use std::time::Duration;

use disk::state::{self, StateFile};
use disk::{DiskError, FairLock, LockError, LockGuard};

use super::PACK_BYTES_MAX;
use super::writer::PackWriter;
use crate::layout::Layout;

/// The right to append to one pack, or to remove it.
#[derive(Debug)]
pub(crate) struct PackLock {
    number: u32,
    _guard: LockGuard,
}

impl PackLock {
    /// Which pack this is.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }
}

/// Claims a pack to append to.
pub(crate) fn claim(layout: &Layout) -> Result<PackWriter, DiskError> {
    for number in numbers(layout)? {
        let size = state::size(&layout.pack(number))?.map_or(0, |size| size.length_bytes);
        if size >= PACK_BYTES_MAX {
            continue;
        }
        if let Some(lock) = lock_pack(layout, number)? {
            return open(layout, lock);
        }
    }
    create_above(layout)
}

/// Makes a new pack with a number above all others, and claims it.
pub(crate) fn create_above(layout: &Layout) -> Result<PackWriter, DiskError> {
    let mut number = numbers(layout)?.last().copied().unwrap_or(0);
    if number == 0 {
        // Somebody may have removed the folder with everything in it.
        state::create_dir(&layout.packs())?;
    }
    loop {
        number = number.saturating_add(1);
        match state::write_new(&layout.pack(number), b"") {
            Err(error) if error.is_exists() => continue,
            made => made?,
        }
        // Another process may have claimed it in this instant; it is welcome to it.
        if let Some(lock) = lock_pack(layout, number)? {
            return open(layout, lock);
        }
    }
}

/// Claims a pack that is there; none if somebody else has it or it has gone.
pub(crate) fn lock_pack(layout: &Layout, number: u32) -> Result<Option<PackLock>, DiskError> {
    let Some(guard) = FairLock::try_acquire(&layout.pack_lock(number))? else { return Ok(None) };
    if_there(layout, number, guard)
}

/// The same, waiting for whoever has it. Only for those who hold nothing that others wait for.
pub(crate) fn await_pack(layout: &Layout, number: u32, wait: Duration) -> Result<Option<PackLock>, LockError> {
    let guard = FairLock::acquire(&layout.pack_lock(number), wait)?;
    Ok(if_there(layout, number, guard)?)
}

/// The numbers of all packs that are there, sorted.
pub(crate) fn numbers(layout: &Layout) -> Result<Vec<u32>, DiskError> {
    let files = state::list(&layout.packs())?;
    let packs = files.iter().filter_map(|path| Layout::number_of(path)).filter(|file| file.is_pack);
    let mut numbers: Vec<u32> = packs.map(|file| file.number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn if_there(layout: &Layout, number: u32, guard: LockGuard) -> Result<Option<PackLock>, DiskError> {
    let is_there = state::size(&layout.pack(number))?.is_some();
    Ok(is_there.then_some(PackLock { number, _guard: guard }))
}

fn open(layout: &Layout, lock: PackLock) -> Result<PackWriter, DiskError> {
    let file = StateFile::open_or_create(&layout.pack(lock.number))?;
    PackWriter::new(lock, file, layout)
}
