//! Paths of the ledger, each stored once under a number. The numbers are an affair of the database and never leave it.

use model::WorkspacePath;
use rusqlite::params;

use crate::columns::take;
use crate::{Reader, StoreError, Writer};

impl Reader<'_> {
    /// The number of a path; none if no transition names it.
    pub(super) fn path_number(&self, path: &WorkspacePath) -> Result<Option<i64>, StoreError> {
        self.one("SELECT id FROM path WHERE path = ?1", params![path.as_bytes()], |row| take(row, 0))
    }
}

impl Writer<'_> {
    /// The number of a path, given now if it has none.
    pub(super) fn number_path(&mut self, path: &WorkspacePath) -> Result<i64, StoreError> {
        if let Some(number) = self.path_number(path)? {
            return Ok(number);
        }
        self.insert("INSERT INTO path(path) VALUES (?1)", params![path.as_bytes()]).map(u64::cast_signed)
    }
}

/// The bytes between which everything below a folder sorts: after `folder/`, before `folder0`.
pub(super) fn bounds_below(folder: &WorkspacePath) -> (Vec<u8>, Vec<u8>) {
    let with = |last: u8| [folder.as_bytes(), &[last]].concat();
    (with(b'/'), with(b'/' + 1))
}
