//! The index: the last known state of every path, one row per folder. A folder is read or written whole.

use model::{CheckpointId, Index, KnownFolder, WorkspacePath};
use rusqlite::types::Type;
use rusqlite::{Row, params};

use super::ledger::NamedContent;
use crate::columns::{put, take};
use crate::encoding::{folder_bytes, folder_from};
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// The whole index. Cost: one pass over its rows.
    pub fn index(&self) -> Result<Index, StoreError> {
        let folders = self.all("SELECT path, records FROM folder", params![], folder)?;
        Ok(Index::from_folders(folders.into_iter().filter(|(_, known)| !known.children.is_empty())))
    }

    /// What is known directly in one folder; empty if nothing is.
    pub fn folder(&self, path: &WorkspacePath) -> Result<KnownFolder, StoreError> {
        let sql = "SELECT path, records FROM folder WHERE path = ?1";
        Ok(self.one(sql, params![put(path)], folder)?.map(|(_, known)| known).unwrap_or_default())
    }

    /// The folders that were written for a later checkpoint than this one, sorted; one that became empty meanwhile is among
    /// them, and empty.
    pub fn folders_changed_since(
        &self,
        version: CheckpointId,
    ) -> Result<Vec<(WorkspacePath, KnownFolder)>, StoreError> {
        self.all("SELECT path, records FROM folder WHERE version > ?1 ORDER BY path", params![put(&version)], folder)
    }

    /// The checkpoint for which a folder was last written; none if it has no row.
    pub fn folder_version(&self, path: &WorkspacePath) -> Result<Option<CheckpointId>, StoreError> {
        self.one("SELECT version FROM folder WHERE path = ?1", params![put(path)], |row| take(row, 0))
    }

    /// Hands out all content that the index names, with its path.
    pub(crate) fn for_content_of_index(&self, mut found: impl FnMut(NamedContent)) -> Result<(), StoreError> {
        self.each("SELECT path, records FROM folder", params![], |row| {
            let (path, known) = folder(row)?;
            for child in &known.children {
                if let (Some(hash), Ok(path)) = (child.known.entry.content(), path.child(&child.name)) {
                    found(NamedContent { hash: *hash, path });
                }
            }
            Ok(())
        })
    }
}

impl Writer<'_> {
    /// Puts what is known of one folder in the place of what was known. An empty folder keeps its row: whoever has looked
    /// before must find that it changed.
    pub fn put_folder(
        &mut self,
        path: &WorkspacePath,
        known: &KnownFolder,
        version: CheckpointId,
    ) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO folder(path, records, version) VALUES (?1, ?2, ?3)
                ON CONFLICT(path) DO UPDATE SET records = excluded.records, version = excluded.version",
            params![put(path), folder_bytes(known), put(&version)],
        )
    }
}

fn folder(row: &Row<'_>) -> rusqlite::Result<(WorkspacePath, KnownFolder)> {
    let records = row.get_ref(1)?.as_blob()?;
    let known = folder_from(records)
        .map_err(|malformed| rusqlite::Error::FromSqlConversionFailure(1, Type::Blob, Box::new(malformed)))?;
    Ok((take(row, 0)?, known))
}
