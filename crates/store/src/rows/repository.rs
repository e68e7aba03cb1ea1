//! Repositories of the workspace, as last seen: only so that a commit made meanwhile can be named.

use model::WorkspacePath;
use rusqlite::{Row, params};

use crate::columns::{put, take};
use crate::{Reader, StoreError, Writer};

/// One repository as last seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The folder that holds it.
    pub folder: WorkspacePath,
    /// What its head was, as text.
    pub head: String,
}

impl Reader<'_> {
    /// All repositories, sorted by folder.
    pub fn repositories(&self) -> Result<Vec<Repository>, StoreError> {
        self.all("SELECT path, head FROM repository ORDER BY path", params![], repository)
    }
}

impl Writer<'_> {
    /// Notes the head of a repository; none forgets it.
    pub fn put_repository(&mut self, folder: &WorkspacePath, head: Option<&str>) -> Result<(), StoreError> {
        match head {
            Some(head) => {
                self.run("INSERT OR REPLACE INTO repository(path, head) VALUES (?1, ?2)", params![put(folder), head])
            }
            None => self.run("DELETE FROM repository WHERE path = ?1", params![put(folder)]),
        }
    }
}

fn repository(row: &Row<'_>) -> rusqlite::Result<Repository> {
    Ok(Repository { folder: take(row, 0)?, head: take(row, 1)? })
}
