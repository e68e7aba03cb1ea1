//! Pins on content that nothing else names yet, such as bytes saved for somebody in the middle of an operation.

use model::ContentHash;
use rusqlite::params;

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// All pinned content, sorted, each once.
    pub fn pinned_content(&self) -> Result<Vec<ContentHash>, StoreError> {
        self.all("SELECT DISTINCT hash FROM pin ORDER BY hash", params![], |row| take(row, 0))
    }
}

impl Writer<'_> {
    /// Keeps content from being dropped until `holder` lets go of it.
    pub fn pin_content(&mut self, hash: &ContentHash, holder: &str) -> Result<(), StoreError> {
        self.run("INSERT OR IGNORE INTO pin(hash, holder) VALUES (?1, ?2)", params![put(hash), holder])
    }

    /// Lets go of all content that `holder` pinned.
    pub fn unpin_content(&mut self, holder: &str) -> Result<(), StoreError> {
        self.run("DELETE FROM pin WHERE holder = ?1", params![holder])
    }
}
