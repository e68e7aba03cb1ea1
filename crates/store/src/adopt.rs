//! Naming what an intake took in: the moment from which content counts.

use model::ContentHash;
use rusqlite::params;

use crate::columns::{number, put};
use crate::contents::place_of;
use crate::packs::{PackReader, Place};
use crate::{StoreError, StoreIntake, Writer};

/// What adopting did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Adopted {
    /// How much content is new.
    pub added: u64,
    /// How much was there already, stored by this or another process.
    pub known: u64,
}

/// Why nothing was adopted.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// Content that was there when the intake was asked has been dropped since. The change must be made again, with a
    /// new intake.
    #[error("{} contents were dropped by a clean-up meanwhile; nothing was changed, capture again", .0.len())]
    Vanished(Vec<ContentHash>),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Writer<'_> {
    /// Names in this change what an intake took in, and makes sure that what it found is still there.
    ///
    /// On success all of it is on the disk and counts from the commit on. What nothing names by then, no transition,
    /// folder, journal or pin, may be dropped at any time. On an error nothing is named by this call, and the change
    /// must not be committed. Adopting an intake again is harmless.
    pub fn adopt(&mut self, intake: &StoreIntake) -> Result<Adopted, AdoptError> {
        intake.sync()?;
        let taken = intake.taken();
        let mut vanished = Vec::new();
        for hash in &taken.found {
            if place_of(self.connection(), hash)?.is_none() && !taken.written.contains_key(hash) {
                vanished.push(*hash);
            }
        }
        if !vanished.is_empty() {
            return Err(AdoptError::Vanished(vanished));
        }
        let mut adopted = Adopted { added: 0, known: taken.found.len() as u64 };
        for (hash, place) in &taken.written {
            if self.has_sound(hash, place)? {
                adopted.known += 1;
            } else {
                self.name_content(hash, place)?;
                adopted.added += 1;
            }
        }
        Ok(adopted)
    }

    /// Says where content lies, in the place of what was said before.
    pub(crate) fn name_content(&mut self, hash: &ContentHash, place: &Place) -> Result<(), StoreError> {
        self.run(
            "INSERT OR REPLACE INTO content(hash, pack, offset_bytes, stored_bytes, size_bytes)
                VALUES (?1, ?2, ?3, ?4, ?5)",
            params![
                put(hash),
                place.pack,
                number(place.offset_bytes),
                number(place.stored_bytes),
                number(place.size_bytes)
            ],
        )
    }

    /// Whether the content is named already: here, or soundly elsewhere by a process that was faster.
    fn has_sound(&self, hash: &ContentHash, here: &Place) -> Result<bool, StoreError> {
        let Some(place) = place_of(self.connection(), hash)? else { return Ok(false) };
        let is_sound = |place: &Place| {
            let pack = PackReader::open(&self.store().shared().layout, place.pack);
            pack.is_ok_and(|pack| pack.copy(hash, place, &mut std::io::sink()).is_ok())
        };
        Ok(place == *here || is_sound(&place))
    }
}
