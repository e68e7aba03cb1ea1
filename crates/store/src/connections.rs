//! Connections to the database of one store, kept open for the next use. They make the store usable from several
//! threads: a connection serves one transaction at a time.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::StoreError;

/// How long a connection waits for one that is not kept away by our own lock, such as one that recovers after a kill.
const BUSY_WAIT: Duration = Duration::from_secs(2);

/// More statements than this room has, so that each is prepared once.
const STATEMENTS_KEPT: usize = 128;

/// A write-ahead log that has grown beyond this is moved into the database and emptied by the next commit. Little,
/// because the first process to open the database reads all of it; not less, because emptying waits for the disk.
///
/// SQLite's own automatic checkpoint is of no use to processes that live for one commit: it leaves the log in place and
/// remembers only in shared memory, which goes with the last process, that it was moved. The next one would read all of
/// it, move all of it again, and append.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// How long emptying it waits for those who still read from it.
const READERS_WAIT: Duration = Duration::from_millis(10);

/// The connections of one store.
#[derive(Debug)]
pub(crate) struct Connections {
    database: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

/// One connection, lent for one use. Whatever transaction is still open at the end of the lease is rolled back.
#[derive(Debug)]
pub(crate) struct Lease<'a> {
    connection: Option<Connection>,
    home: &'a Connections,
}

impl Connections {
    /// No connection yet; opens nothing.
    pub(crate) fn new(database: PathBuf) -> Self {
        Self { database, idle: Mutex::new(Vec::new()) }
    }

    /// Lends a connection, opened now if none is idle.
    pub(crate) fn lease(&self) -> Result<Lease<'_>, StoreError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = idle.map_or_else(|| self.connect(), Ok)?;
        Ok(Lease { connection: Some(connection), home: self })
    }

    /// Empties a write-ahead log that has grown long. If somebody still reads from it, a later commit will do it.
    pub(crate) fn shorten_log(connection: &Connection, log: &Path) {
        let size = disk::state::size(log).ok().flatten();
        if size.is_some_and(|size| size.length_bytes > LOG_BYTES_MAX) {
            _ = connection.busy_timeout(READERS_WAIT);
            _ = connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)");
            _ = connection.busy_timeout(BUSY_WAIT);
        }
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.database, flags)?;
        connection.busy_timeout(BUSY_WAIT)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.execute_batch("PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA wal_autocheckpoint = 0")?;
        Ok(connection)
    }
}

impl Deref for Lease<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection.as_ref().expect("because only the end of the lease takes it")
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok() {
            self.home.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}
