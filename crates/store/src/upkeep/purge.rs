//! Removing content for good: from the packs, from the database and from what was recorded of events. What the ledger
//! knows of it stays, so that a path which can no longer be brought back is still known to have been there.

use std::collections::BTreeSet;

use disk::clock;
use model::{ContentHash, WorkspacePath};
use rusqlite::params;

use super::move_content::{MoveError, Moved, Target, remove_pack};
use crate::columns::put;
use crate::packs::{PackLock, PackReader, await_pack, numbers, scan};
use crate::rows::scrub_events;
use crate::transaction::{LOCK_WAIT, lock};
use crate::{Durability, Reader, Store, StoreError, WriteError, Writer};

/// What is to go.
#[derive(Debug, Clone, Copy, Default)]
pub struct Purge<'a> {
    /// Everything these paths, and what is below them, ever held.
    pub paths: &'a [WorkspacePath],
    /// This content, wherever it was.
    pub hashes: &'a [ContentHash],
}

/// What was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purged {
    /// The content that is gone, sorted.
    pub hashes: Vec<ContentHash>,
    /// Other paths that held some of it and cannot be brought back to that either, sorted.
    pub also_at: Vec<WorkspacePath>,
    /// How many recorded events were cleared.
    pub events: u64,
    /// How many packs were rewritten or removed.
    pub packs: u64,
}

/// Why the purge is not complete. It may be begun again; what it names then may be gone in part.
#[derive(Debug, thiserror::Error)]
pub enum PurgeError {
    /// Another process is taking content in.
    #[error("Another process is storing content; nothing was removed, try again when it has ended")]
    PackInUse,
    /// A pack that may hold it cannot be read, and so cannot be rewritten without it.
    #[error("Pack {0} cannot be read; nothing was removed, `takeback verify` names what is lost")]
    PackUnreadable(u32),
    /// Its changes could not begin.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// It is removed, but a process that reads the store keeps traces of it from being overwritten.
    #[error("The content is removed, but another process still reads the store: purge again when it has ended")]
    StillRead,
    /// It is removed, but the database could not be rewritten without traces of it.
    #[error("The content is removed, but traces of it may be left in the database: purge again")]
    TracesLeft(#[source] StoreError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What was copied elsewhere so that packs can go. The locks are kept until the new places are committed: a clean-up
/// would take a pack that no row names yet for rubbish.
#[derive(Default)]
struct Copied {
    sources: Vec<PackLock>,
    target: Target,
    moved: Vec<Moved>,
}

impl Store {
    /// Removes content for good.
    ///
    /// On success no file of the store holds it any more, and every transition that names it names content that is
    /// missing. The user's files are not touched: what they hold now may be captured again. Cost: rewrites each pack
    /// that holds some of it, and the database.
    pub fn purge(&self, purge: Purge<'_>) -> Result<Purged, PurgeError> {
        let (hashes, also_at) = self.read()?.content_to_purge(&purge)?;
        let copied = self.copy_all_but(&hashes)?;
        let paths = purge.paths.iter().chain(&also_at);
        let events = self.forget(paths, &hashes, &copied.moved)?;
        let packs = copied.sources.len() as u64;
        for lock in copied.sources {
            remove_pack(&self.shared().layout, lock).map_err(StoreError::disk)?;
        }
        self.overwrite_traces()?;
        Ok(Purged { hashes: hashes.into_iter().collect(), also_at: also_at.into_iter().collect(), events, packs })
    }

    /// Claims every pack that holds some of it, or of which nobody knows what it holds, and copies all else out of it.
    fn copy_all_but(&self, hashes: &BTreeSet<ContentHash>) -> Result<Copied, PurgeError> {
        let layout = &self.shared().layout;
        let mut copied = Copied::default();
        for number in numbers(layout).map_err(StoreError::disk)? {
            let Some(lock) = await_pack(layout, number, LOCK_WAIT).map_err(of_lock)? else { continue };
            let scanned = PackReader::open(layout, number).and_then(|pack| scan(&pack));
            let scanned = scanned.map_err(|_| PurgeError::PackUnreadable(number))?;
            if scanned.is_sound && scanned.hashes.is_disjoint(hashes) {
                continue;
            }
            let mut alive = self.read()?.contents_of_pack(number)?;
            alive.retain(|(hash, _)| !hashes.contains(hash));
            let moved = copied.target.take_from(layout, number, &alive).map_err(|error| match error {
                MoveError::Unreadable => PurgeError::PackUnreadable(number),
                MoveError::Store(error) => error.into(),
            })?;
            copied.moved.extend(moved);
            copied.sources.push(lock);
        }
        Ok(copied)
    }

    /// Forgets it in one durable change; says how many events were cleared.
    fn forget<'a>(
        &self,
        paths: impl Iterator<Item = &'a WorkspacePath>,
        hashes: &BTreeSet<ContentHash>,
        moved: &[Moved],
    ) -> Result<u64, PurgeError> {
        let mut writer = self.write("purging", Durability::Full)?;
        writer.connection().execute_batch("PRAGMA secure_delete = ON").map_err(StoreError::from)?;
        writer.move_content(moved)?;
        hashes.iter().try_for_each(|hash| writer.forget_content(hash))?;
        let events = scrub_events(&mut writer, paths)?;
        writer.commit()?;
        Ok(events)
    }

    /// Rewrites the database without what was deleted in it, and empties its log.
    fn overwrite_traces(&self) -> Result<(), PurgeError> {
        let _lock = lock(&self.shared().layout, LOCK_WAIT, "purging")?;
        let connection = self.shared().connections.lease()?;
        let rewrite = || {
            connection.execute_batch("PRAGMA secure_delete = ON; VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0))
        };
        let is_still_read = rewrite().map_err(|error| PurgeError::TracesLeft(error.into()))?;
        if is_still_read { Err(PurgeError::StillRead) } else { Ok(()) }
    }
}

impl Reader<'_> {
    /// The content to purge, and the other paths that held it.
    fn content_to_purge(
        &self,
        purge: &Purge<'_>,
    ) -> Result<(BTreeSet<ContentHash>, BTreeSet<WorkspacePath>), StoreError> {
        let is_named = |path: &WorkspacePath| purge.paths.iter().any(|top| path.is_at_or_below(top));
        let mut hashes: BTreeSet<ContentHash> = purge.hashes.iter().copied().collect();
        self.for_named_content(|content| {
            if is_named(&content.path) {
                hashes.insert(content.hash);
            }
        })?;
        let mut also_at = BTreeSet::new();
        self.for_named_content(|content| {
            if hashes.contains(&content.hash) && !is_named(&content.path) {
                also_at.insert(content.path);
            }
        })?;
        Ok((hashes, also_at))
    }
}

impl Writer<'_> {
    fn forget_content(&mut self, hash: &ContentHash) -> Result<(), StoreError> {
        self.run("DELETE FROM content WHERE hash = ?1", params![put(hash)])?;
        self.run("DELETE FROM pin WHERE hash = ?1", params![put(hash)])?;
        self.run("INSERT OR REPLACE INTO purged(hash, at_ns) VALUES (?1, ?2)", params![put(hash), clock::now_ns()])
    }
}

fn of_lock(error: disk::LockError) -> PurgeError {
    match error {
        disk::LockError::Busy { .. } => PurgeError::PackInUse,
        disk::LockError::Disk(error) => StoreError::disk(error).into(),
    }
}
