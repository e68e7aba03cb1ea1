//! [`StoreIntake`]: the door through which content is taken in. It only appends to packs; what it appended counts from
//! the commit of the [`Writer`](crate::Writer) that adopted it, and is rubbish until then.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use disk::{DiskError, Intake, IntakeError};
use model::{ContentHash, Keeper as _};

use crate::contents::name_of;
use crate::open::Shared;
use crate::packs::{Frame, PART_BYTES_MAX, PackWriter, Place, claim};
use crate::{StoreContents, StoreError};

/// Takes the content of one change in. Usable from several threads at once.
///
/// It holds the packs it appends to until it is dropped, which must be after the commit of the writer that adopted it.
/// Make a new one for every change.
#[derive(Debug)]
pub struct StoreIntake {
    shared: Arc<Shared>,
    contents: StoreContents,
    /// Packs that no thread is appending to at the moment.
    idle: Mutex<Vec<PackWriter>>,
    taken: Mutex<Taken>,
}

/// What a change relies on.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// What was appended, and where.
    pub(crate) written: BTreeMap<ContentHash, Place>,
    /// What was there already when it was asked for.
    pub(crate) found: BTreeSet<ContentHash>,
}

impl StoreIntake {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let contents = StoreContents::new(Arc::clone(&shared));
        Self { shared, contents, idle: Mutex::default(), taken: Mutex::default() }
    }

    /// Waits until everything that was taken in is on the disk. Adopting does it too; doing it before the writer begins
    /// keeps others waiting for less time.
    pub fn sync(&self) -> Result<(), StoreError> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.iter_mut().try_for_each(|pack| pack.sync().map_err(StoreError::disk))
    }

    /// How many bytes this change has added to the packs.
    pub fn stored_bytes(&self) -> u64 {
        self.taken().written.values().map(|place| place.stored_bytes).sum()
    }

    pub(crate) fn taken(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a claimed pack do something, and keeps it for the next time.
    fn with_pack<T>(&self, act: impl FnOnce(&mut PackWriter) -> Result<T, IntakeError>) -> Result<T, IntakeError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop_if(|pack| !pack.is_full());
        let mut pack = idle.map_or_else(|| claim(&self.shared.layout).map_err(of_disk), Ok)?;
        let done = act(&mut pack);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // A full pack stays claimed until the change is over, but at the bottom, where nobody takes it.
        let place = if pack.is_full() { 0 } else { idle.len() };
        idle.insert(place, pack);
        done
    }

    fn put(
        &self,
        hash: &ContentHash,
        append: impl FnOnce(&mut PackWriter) -> Result<Place, IntakeError>,
    ) -> Result<(), IntakeError> {
        let place = self.with_pack(append)?;
        self.taken().written.entry(*hash).or_insert(place);
        Ok(())
    }
}

impl Intake for StoreIntake {
    /// Content that is there but damaged is not held, so that it is stored again.
    fn holds(&self, hash: &ContentHash) -> bool {
        if self.taken().written.contains_key(hash) {
            return true;
        }
        let is_held = self.contents.holds(hash);
        if is_held {
            self.taken().found.insert(*hash);
        }
        is_held
    }

    fn put_bytes(&self, hash: &ContentHash, bytes: &[u8]) -> Result<(), IntakeError> {
        if bytes.len() > PART_BYTES_MAX {
            return self.put_stream(hash, bytes.len() as u64, &mut &*bytes);
        }
        if name_of(bytes) != *hash {
            return Err(IntakeError::Changed);
        }
        let size_bytes = bytes.len() as u64;
        let frame = Frame::bytes(hash, size_bytes, 0, bytes);
        self.put(hash, |pack| pack.append(&frame, size_bytes))
    }

    fn put_stream(&self, hash: &ContentHash, size_bytes: u64, reader: &mut dyn Read) -> Result<(), IntakeError> {
        self.put(hash, |pack| pack.append_stream(hash, size_bytes, reader))
    }
}

fn of_disk(error: DiskError) -> IntakeError {
    if error.is_no_space() { IntakeError::NoSpace } else { IntakeError::Disk(error) }
}
