//! Moving content from one pack to another, and removing a pack that nothing needs.
//!
//! The order makes a kill harmless at any moment: the copy is on the disk before its place is committed, and the old
//! pack goes after that. What a kill leaves behind is a pack that no row names.

use disk::{DiskError, IntakeError, state};
use model::ContentHash;
use rusqlite::params;

use crate::columns::{number, put, take};
use crate::contents::place;
use crate::layout::Layout;
use crate::packs::{PackLock, PackReader, PackWriter, Place, create_above, numbers};
use crate::{Reader, StoreError, Writer};

/// Content that was copied and lies in two places now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    hash: ContentHash,
    from: Place,
    to: Place,
}

/// Why a pack was not copied.
#[derive(Debug)]
pub(super) enum MoveError {
    /// It cannot be read where its content should be. It is left as it is.
    Unreadable,
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for MoveError {
    fn from(error: StoreError) -> Self {
        MoveError::Store(error)
    }
}

/// New packs that content is moved to; the next one is made when one is full.
#[derive(Debug, Default)]
pub(super) struct Target {
    packs: Vec<PackWriter>,
}

impl Target {
    /// Copies content from a pack, byte for byte, into a pack above all others. On success the copies are on the disk.
    pub(super) fn take_from(
        &mut self,
        layout: &Layout,
        pack: u32,
        contents: &[(ContentHash, Place)],
    ) -> Result<Vec<Moved>, MoveError> {
        let source = PackReader::open(layout, pack).map_err(|_| MoveError::Unreadable)?;
        let mut moved = Vec::with_capacity(contents.len());
        for &(hash, from) in contents {
            let to = self.open(layout)?.append_stored(&source, &from).map_err(of_copy)?;
            moved.push(Moved { hash, from, to });
        }
        self.packs.iter_mut().try_for_each(PackWriter::sync).map_err(StoreError::disk)?;
        Ok(moved)
    }

    fn open(&mut self, layout: &Layout) -> Result<&mut PackWriter, StoreError> {
        if self.packs.last().is_none_or(PackWriter::is_full) {
            self.packs.push(create_above(layout).map_err(StoreError::disk)?);
        }
        Ok(self.packs.last_mut().expect("because one was just pushed if there was none"))
    }
}

impl Reader<'_> {
    /// What the database says lies in a pack, in the order in which it lies there.
    pub(super) fn contents_of_pack(&self, pack: u32) -> Result<Vec<(ContentHash, Place)>, StoreError> {
        let sql = "SELECT hash, pack, offset_bytes, stored_bytes, size_bytes FROM content WHERE pack = ?1
            ORDER BY offset_bytes";
        self.all(sql, params![pack], |row| Ok((take(row, 0)?, place(row, 1)?)))
    }
}

impl Writer<'_> {
    /// Says where content lies now. Content that was dropped or moved by somebody else meanwhile is passed over.
    pub(super) fn move_content(&mut self, moved: &[Moved]) -> Result<(), StoreError> {
        for Moved { hash, from, to } in moved {
            self.run(
                "UPDATE content SET pack = ?2, offset_bytes = ?3 WHERE hash = ?1 AND pack = ?4 AND offset_bytes = ?5",
                params![put(hash), to.pack, number(to.offset_bytes), from.pack, number(from.offset_bytes)],
            )?;
        }
        Ok(())
    }
}

/// Removes a pack that no row names; says how long it was.
///
/// A number must never be given twice, or a process that is still about to lock the old pack could meet the new one.
/// So the greatest pack goes only after a greater one was made.
pub(super) fn remove_pack(layout: &Layout, lock: PackLock) -> Result<u64, DiskError> {
    let number = lock.number();
    let size = state::size(&layout.pack(number))?.map_or(0, |size| size.length_bytes);
    if numbers(layout)?.last() == Some(&number) {
        create_above(layout)?;
    }
    state::remove(&layout.pack(number))?;
    drop(lock);
    remove_stale_locks(layout)?;
    Ok(size)
}

/// Removes the locks of packs that have gone.
pub(super) fn remove_stale_locks(layout: &Layout) -> Result<(), DiskError> {
    let packs = numbers(layout)?;
    let greatest = packs.last().copied().unwrap_or(0);
    for path in state::list(&layout.packs())? {
        let is_stale = |file: &crate::layout::PackFile| {
            !file.is_pack && file.number < greatest && packs.binary_search(&file.number).is_err()
        };
        if Layout::number_of(&path).as_ref().is_some_and(is_stale) {
            state::remove(&path)?;
        }
    }
    Ok(())
}

fn of_copy(error: IntakeError) -> MoveError {
    match error {
        IntakeError::NoSpace => MoveError::Store(StoreError::NoSpace),
        IntakeError::Disk(error) => MoveError::Store(StoreError::disk(error)),
        IntakeError::Changed => MoveError::Unreadable,
    }
}
