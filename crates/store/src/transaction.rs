//! [`Reader`] and [`Writer`]: the two ways to use the database. What can be asked and changed is in [`crate::rows`].

use std::io;
use std::ops::Deref;
use std::time::Duration;

use disk::{Holder, LockError, LockGuard, durable};
use model::limits::LOCK_WAIT_MS_MAX;
use rusqlite::{Connection, OptionalExtension as _, Params, Row};

use crate::StoreError;
use crate::connections::{Connections, Lease};
use crate::counted::Counted;
use crate::layout::Layout;
use crate::open::Store;

/// One consistent look at the store: every query sees the same state, whatever others write meanwhile.
#[derive(Debug)]
pub struct Reader<'store> {
    connection: Lease<'store>,
}

/// A change of the store, all of it or nothing. Dropped without [`Writer::commit`] it changes nothing.
///
/// While it lives, every other writer waits. It sees its own changes; other readers do not, before it commits.
#[derive(Debug)]
pub struct Writer<'store> {
    // Fields are dropped in this order: the transaction ends before the lock is given up.
    reader: Reader<'store>,
    store: &'store Store,
    _lock: LockGuard,
}

/// What a committed change survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// The end of this process. After a crash of the machine the newest changes may be gone, whole and in order.
    Normal,
    /// A crash of the machine too.
    Full,
}

/// Why no change could begin. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// Another process was writing for the whole time one waits.
    #[error("Another process is writing to the store{}; nothing was changed, try again", described(holder.as_ref()))]
    Busy {
        /// Which, if that is known.
        holder: Option<Holder>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How long one waits for the lock of the store.
pub(crate) const LOCK_WAIT: Duration = Duration::from_millis(LOCK_WAIT_MS_MAX);

impl<'store> Reader<'store> {
    pub(crate) fn begin(store: &'store Store) -> Result<Self, StoreError> {
        let reader = Self { connection: store.shared().connections.lease()? };
        reader.connection.execute_batch("BEGIN")?;
        // The snapshot is taken by the first read, not by `BEGIN`.
        reader.one("SELECT made_ns FROM workspace", [], |row| row.get::<_, i64>(0))?;
        Ok(reader)
    }

    /// The first row of a query, if there is one.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        Ok(statement.query_row(parameters, read).optional()?)
    }

    /// All rows of a query.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let mut statement = self.prepare(sql)?;
        let rows = statement.query_map(parameters, read)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Hands every row of a query to `read`, holding none of them.
    pub(crate) fn each(
        &self,
        sql: &str,
        parameters: impl Params,
        mut read: impl FnMut(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), StoreError> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.query(parameters)?;
        while let Some(row) = rows.next()? {
            read(row)?;
        }
        Ok(())
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    fn prepare(&self, sql: &str) -> Result<Counted<'_>, StoreError> {
        Ok(Counted::new(self.connection.prepare_cached(sql)?))
    }
}

impl<'store> Writer<'store> {
    pub(crate) fn begin(
        store: &'store Store,
        wait: Duration,
        what: &str,
        durability: Durability,
    ) -> Result<Self, WriteError> {
        let lock = lock(&store.shared().layout, wait, what)?;
        let connection = store.shared().connections.lease()?;
        let level = match durability {
            Durability::Normal => "NORMAL",
            Durability::Full => "FULL",
        };
        let begin = format!("PRAGMA synchronous = {level}; BEGIN IMMEDIATE");
        connection.execute_batch(&begin).map_err(StoreError::from)?;
        Ok(Self { reader: Reader { connection }, store, _lock: lock })
    }

    /// Makes all changes at once.
    ///
    /// On success they are made, and survive what the durability of this writer says. On an error none of them is.
    pub fn commit(self) -> Result<(), StoreError> {
        durable(|| self.reader.connection.execute_batch("COMMIT"))??;
        Connections::shorten_log(&self.reader.connection, &self.store.shared().layout.write_ahead_log());
        Ok(())
    }

    /// Runs a statement that changes something.
    pub(crate) fn run(&mut self, sql: &str, parameters: impl Params) -> Result<(), StoreError> {
        self.reader.prepare(sql)?.execute(parameters)?;
        Ok(())
    }

    /// Adds a row; gives its number.
    pub(crate) fn insert(&mut self, sql: &str, parameters: impl Params) -> Result<u64, StoreError> {
        let number = self.reader.prepare(sql)?.insert(parameters)?;
        Ok(number.cast_unsigned())
    }

    pub(crate) fn store(&self) -> &'store Store {
        self.store
    }
}

impl<'store> Deref for Writer<'store> {
    type Target = Reader<'store>;

    fn deref(&self) -> &Reader<'store> {
        &self.reader
    }
}

/// Takes the lock of a store and says what for.
pub(crate) fn lock(layout: &Layout, wait: Duration, what: &str) -> Result<LockGuard, WriteError> {
    let mut guard = disk::FairLock::acquire(&layout.lock(), wait).map_err(|error| match error {
        LockError::Busy { holder } => WriteError::Busy { holder },
        LockError::Disk(error) => WriteError::Store(StoreError::disk(error)),
    })?;
    // On a full disk the description may be missing; the lock holds all the same.
    _ = guard.describe(what);
    Ok(guard)
}

/// Counts a commit among the durable steps, so that tests can die around it.
fn durable<T>(commit: impl FnOnce() -> T) -> Result<T, StoreError> {
    durable::step(|| Ok::<_, io::Error>(commit())).map_err(|error| StoreError::Database(Box::new(error)))
}

fn described(holder: Option<&Holder>) -> String {
    match holder {
        None => String::new(),
        Some(holder) if holder.what.is_empty() => format!(" (process {})", holder.pid),
        Some(holder) => format!(" (process {}: {})", holder.pid, holder.what),
    }
}
