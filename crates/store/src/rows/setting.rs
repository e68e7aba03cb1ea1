//! Settings: small values that others keep here under a key of theirs. What they mean is not known here.

use rusqlite::params;

use crate::columns::take;
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// The value kept under this key.
    pub fn setting(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.one("SELECT value FROM setting WHERE key = ?1", params![key], |row| take(row, 0))
    }
}

impl Writer<'_> {
    /// Keeps a value under this key, in the place of the one that was there; none removes it.
    pub fn put_setting(&mut self, key: &str, value: Option<&[u8]>) -> Result<(), StoreError> {
        match value {
            Some(value) => self.run("INSERT OR REPLACE INTO setting(key, value) VALUES (?1, ?2)", params![key, value]),
            None => self.run("DELETE FROM setting WHERE key = ?1", params![key]),
        }
    }
}
