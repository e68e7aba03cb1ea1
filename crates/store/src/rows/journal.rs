//! The journal: what an open operation is going to do to the user's files, written down whole before it begins.

use model::{Act, ContentHash, OperationId, WriteStep};
use rusqlite::{Row, params};

use super::ledger::NamedContent;
use crate::columns::{put, take};
use crate::encoding::{act_bytes, act_from};
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// The steps of an operation in their order; none if it has no journal.
    pub fn journal(&self, operation: OperationId) -> Result<Vec<WriteStep>, StoreError> {
        let sql = "SELECT path, act FROM journal WHERE operation = ?1 ORDER BY place";
        self.all(sql, params![put(&operation)], write_step)
    }

    /// Hands out all content that a journal names, with its path.
    pub(crate) fn for_content_of_journals(&self, mut found: impl FnMut(NamedContent)) -> Result<(), StoreError> {
        self.each("SELECT path, act FROM journal", params![], |row| {
            let step = write_step(row)?;
            for hash in content_of(&step.act) {
                found(NamedContent { hash, path: step.path.clone() });
            }
            Ok(())
        })
    }
}

impl Writer<'_> {
    /// Writes down the steps of an operation, in the place of those that were written down before.
    pub fn put_journal(&mut self, operation: OperationId, steps: &[WriteStep]) -> Result<(), StoreError> {
        self.drop_journal(operation)?;
        for (place, step) in steps.iter().enumerate() {
            self.run(
                "INSERT INTO journal(operation, place, path, act) VALUES (?1, ?2, ?3, ?4)",
                params![put(&operation), put(&(place as u64)), put(&step.path), act_bytes(&step.act)],
            )?;
        }
        Ok(())
    }

    /// Forgets the steps of an operation.
    pub fn drop_journal(&mut self, operation: OperationId) -> Result<(), StoreError> {
        self.run("DELETE FROM journal WHERE operation = ?1", params![put(&operation)])
    }
}

fn write_step(row: &Row<'_>) -> rusqlite::Result<WriteStep> {
    let bytes: Vec<u8> = take(row, 1)?;
    let act = act_from(&bytes).map_err(|malformed| {
        rusqlite::Error::FromSqlConversionFailure(1, rusqlite::types::Type::Blob, Box::new(malformed))
    })?;
    Ok(WriteStep { path: take(row, 0)?, act })
}

fn content_of(act: &Act) -> impl Iterator<Item = ContentHash> {
    let (before, after) = match act {
        Act::Remove { before, .. } | Act::MoveFrom { before, .. } => (Some(before), None),
        Act::Create { after, .. } => (None, Some(after)),
        Act::Replace { before, after, .. } => (Some(before), Some(after)),
        Act::Lift { .. } | Act::RemoveDir { .. } | Act::MakeDir | Act::SetMode { .. } => (None, None),
    };
    [before, after].into_iter().flatten().filter_map(|entry| entry.content().copied()).collect::<Vec<_>>().into_iter()
}
