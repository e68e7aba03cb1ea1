//! Dropping content that nothing names, and giving its room back. What the ledger names is never dropped here.

use std::collections::{BTreeMap, HashSet};

use disk::state;
use model::ContentHash;
use rusqlite::params;

use super::move_content::{MoveError, Target, remove_pack, remove_stale_locks};
use crate::columns::{put, take};
use crate::packs::{lock_pack, numbers};
use crate::{Durability, Reader, Store, StoreError, WriteError};

/// What a clean-up did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compacted {
    /// How much content was dropped.
    pub contents_dropped: u64,
    /// How many packs were removed, whether what was alive in them was moved or nothing was.
    pub packs_removed: u64,
    /// How many packs were left although they are worth cleaning: in use, or unreadable.
    pub packs_left: u64,
    /// How many bytes became free.
    pub freed_bytes: u64,
}

/// Why a clean-up stopped. What it had done until then is done, and nothing that is named was touched.
#[derive(Debug, thiserror::Error)]
pub enum CompactError {
    /// Its changes could not begin.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Store {
    /// Drops content that no transition, no index row, no journal and no pin names, and rewrites packs that are mostly
    /// dead.
    ///
    /// A kill at any moment loses nothing and leaves nothing that the next clean-up does not remove. Other processes
    /// go on working meanwhile; packs that they append to are left.
    pub fn compact(&self) -> Result<Compacted, CompactError> {
        let mut done = Compacted { contents_dropped: self.drop_unnamed()?, ..Compacted::default() };
        let mut target = Target::default();
        let alive = self.read()?.alive_bytes()?;
        let packs = numbers(&self.shared().layout).map_err(StoreError::disk)?;
        for &pack in &packs {
            let size = state::size(&self.shared().layout.pack(pack)).map_err(StoreError::disk)?;
            let length = size.map_or(0, |size| size.length_bytes);
            let alive = alive.get(&pack).copied().unwrap_or(0);
            let is_mostly_dead = alive < length.saturating_sub(alive);
            let is_left_over = length == 0 && packs.last() != Some(&pack);
            if is_mostly_dead || is_left_over {
                self.clean_pack(pack, &mut target, &mut done)?;
            }
        }
        remove_stale_locks(&self.shared().layout).map_err(StoreError::disk)?;
        Ok(done)
    }

    /// Drops the rows of content that nothing names. Looks at the long ledger before it has others wait.
    fn drop_unnamed(&self) -> Result<u64, CompactError> {
        let (unnamed, last) = {
            let reader = self.read()?;
            let named = reader.named_after(model::Seq(0))?;
            (reader.all_content_but(&named)?, reader.last_seq()?)
        };
        if unnamed.is_empty() {
            return Ok(0);
        }
        let mut writer = self.write("cleaning up", Durability::Full)?;
        let named_since = writer.named_after(last)?;
        let mut dropped = 0;
        for hash in unnamed.iter().filter(|hash| !named_since.contains(hash)) {
            writer.run("DELETE FROM content WHERE hash = ?1", params![put(hash)])?;
            dropped += 1;
        }
        writer.commit()?;
        Ok(dropped)
    }

    /// Moves what is alive in a pack away and removes it. Nobody can name anything more in it while its lock is held.
    fn clean_pack(&self, pack: u32, target: &mut Target, done: &mut Compacted) -> Result<(), CompactError> {
        let layout = &self.shared().layout;
        let Some(lock) = lock_pack(layout, pack).map_err(StoreError::disk)? else {
            done.packs_left += 1;
            return Ok(());
        };
        let alive = self.read()?.contents_of_pack(pack)?;
        if !alive.is_empty() {
            let moved = match target.take_from(layout, pack, &alive) {
                Err(MoveError::Unreadable) => {
                    done.packs_left += 1;
                    return Ok(());
                }
                Err(MoveError::Store(error)) => return Err(error.into()),
                Ok(moved) => moved,
            };
            let mut writer = self.write("cleaning up", Durability::Full)?;
            writer.move_content(&moved)?;
            writer.commit()?;
        }
        let length = remove_pack(layout, lock).map_err(StoreError::disk)?;
        done.packs_removed += 1;
        done.freed_bytes += length - alive.iter().map(|(_, place)| place.stored_bytes).sum::<u64>().min(length);
        Ok(())
    }
}

impl Reader<'_> {
    fn all_content_but(&self, named: &HashSet<ContentHash>) -> Result<Vec<ContentHash>, StoreError> {
        let mut all = self.all("SELECT hash FROM content", params![], |row| take::<ContentHash>(row, 0))?;
        all.retain(|hash| !named.contains(hash));
        Ok(all)
    }

    /// How many bytes of each pack are named.
    fn alive_bytes(&self) -> Result<BTreeMap<u32, u64>, StoreError> {
        let sql = "SELECT pack, sum(stored_bytes) FROM content GROUP BY pack";
        Ok(self.all(sql, params![], |row| Ok((take(row, 0)?, take(row, 1)?)))?.into_iter().collect())
    }
}
