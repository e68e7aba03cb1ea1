//! [`Store`]: opening one, and making one. A store is looked at before anything of it is touched, and a new one appears
//! in one step, so that a kill while it is made leaves nothing that the next open would take for a store.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use disk::{DiskError, clock, state};
use rusqlite::{Connection, OpenFlags, params};

use crate::connections::Connections;
use crate::layout::Layout;
use crate::schema::{APPLICATION, FORMAT, TABLES, UPGRADES};
use crate::transaction::{LOCK_WAIT, lock};
use crate::{Durability, Reader, StoreContents, StoreError, StoreIntake, WriteError, Writer};

/// The memory of one workspace: one folder of state. May be used by several threads, and by several processes at once.
#[derive(Debug)]
pub struct Store {
    shared: Arc<Shared>,
}

/// What a store shares with the doors to its content.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) layout: Layout,
    pub(crate) connections: Connections,
    root: Vec<u8>,
}

/// Why a store was not opened. Nothing of it was changed, and nothing new is left behind.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It was written by a newer version of this program.
    #[error(
        "The store has format {found} and this version reads up to {supported}; it was not touched, use a newer `takeback`"
    )]
    Newer {
        /// Its format.
        found: u32,
        /// The newest format this version reads.
        supported: u32,
    },
    /// The SQLite in this program can damage a database that several processes use.
    #[error(
        "SQLite {found} is not safe for several processes; the store was not touched, use a build with a newer one"
    )]
    OldSqlite {
        /// Its version.
        found: &'static str,
    },
    /// Another process held the store for the whole time one waits.
    #[error(transparent)]
    Busy(WriteError),
    /// The store failed: damaged, not permitted, no space.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The first SQLite without the fault in which a writer and a checkpoint of another process could damage a database.
const SQLITE_MIN: i32 = 3_051_003;

impl Store {
    /// Opens the store in `folder`, and makes it for the workspace at `root` if it is not there.
    ///
    /// On success the folder holds a whole store. A store that was there keeps the root it was made for. On an error
    /// the folder holds what it held, or an unfinished file that the next open removes. Cost of opening one that is
    /// there: about a millisecond.
    pub fn open(folder: &Path, root: &[u8]) -> Result<Store, OpenError> {
        if let Some(store) = Self::open_existing(folder)? {
            return Ok(store);
        }
        make(&Layout::new(folder), root)?;
        Self::open_existing(folder)?.ok_or_else(|| StoreError::damaged("it vanished while it was made").into())
    }

    /// Opens the store in `folder`; none if there is none. Makes nothing.
    pub fn open_existing(folder: &Path) -> Result<Option<Store>, OpenError> {
        require_sqlite(rusqlite::version_number())?;
        let layout = Layout::new(folder);
        if !is_there(&layout)? {
            return Ok(None);
        }
        let connections = Connections::new(layout.database());
        let (mut format, mut root) = read_format_and_root(&connections)?;
        if format < FORMAT {
            upgrade(&layout, &connections)?;
            (format, root) = read_format_and_root(&connections)?;
        }
        debug_assert_eq!(format, FORMAT);
        Ok(Some(Store { shared: Arc::new(Shared { layout, connections, root }) }))
    }

    /// The path of the workspace this store was made for.
    pub fn root(&self) -> &[u8] {
        &self.shared.root
    }

    /// The folder of this store.
    pub fn folder(&self) -> &Path {
        self.shared.layout.folder()
    }

    /// Begins one consistent look at the store. Waits for nobody.
    pub fn read(&self) -> Result<Reader<'_>, StoreError> {
        Reader::begin(self)
    }

    /// Begins a change, after all who came before have ended theirs; `what` is shown to those who wait meanwhile.
    ///
    /// Waits up to [`model::limits::LOCK_WAIT_MS_MAX`].
    pub fn write(&self, what: &str, durability: Durability) -> Result<Writer<'_>, WriteError> {
        self.write_within(LOCK_WAIT, what, durability)
    }

    /// The same for those who can wait only so long.
    pub fn write_within(&self, wait: Duration, what: &str, durability: Durability) -> Result<Writer<'_>, WriteError> {
        Writer::begin(self, wait, what, durability)
    }

    /// The door through which content is read. Sees what is committed.
    pub fn contents(&self) -> StoreContents {
        StoreContents::new(Arc::clone(&self.shared))
    }

    /// The door through which content is taken in; what it took is named by [`Writer::adopt`], or forgotten.
    pub fn intake(&self) -> StoreIntake {
        StoreIntake::new(Arc::clone(&self.shared))
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }
}

fn require_sqlite(version: i32) -> Result<(), OpenError> {
    if version < SQLITE_MIN { Err(OpenError::OldSqlite { found: rusqlite::version() }) } else { Ok(()) }
}

/// Whether a store is there that this version may open. Reads the first bytes of its file and touches nothing.
fn is_there(layout: &Layout) -> Result<bool, OpenError> {
    const HEADER_BYTES: usize = 100;
    let header = state::read_from(&layout.database(), 0, HEADER_BYTES as u64).map_err(disk)?;
    let Some(header) = header else { return Ok(false) };
    let number_at = |at: usize| header.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes);
    match (header.starts_with(b"SQLite format 3\0"), number_at(60), number_at(68)) {
        (true, Some(format), Some(APPLICATION)) => require_format(format).map(|()| true),
        _ => Err(StoreError::damaged("the database does not begin like one of ours").into()),
    }
}

fn require_format(found: u32) -> Result<(), OpenError> {
    match found {
        1..=FORMAT => Ok(()),
        0 => Err(StoreError::damaged("the database has no format").into()),
        found => Err(OpenError::Newer { found, supported: FORMAT }),
    }
}

/// Reads what the store is for, and its format again: an upgrade may not have reached the file yet.
fn read_format_and_root(connections: &Connections) -> Result<(u32, Vec<u8>), OpenError> {
    let connection = connections.lease()?;
    let sql = "SELECT user_version, root FROM pragma_user_version, workspace";
    let (format, root) = connection
        .prepare_cached(sql)
        .and_then(|mut statement| statement.query_row([], |row| Ok((row.get(0)?, row.get(1)?))))
        .map_err(|error| match error {
            rusqlite::Error::QueryReturnedNoRows => StoreError::damaged("the database does not say what it is for"),
            error => error.into(),
        })?;
    require_format(format)?;
    Ok((format, root))
}

/// Leads a store of an older format to the newest one, in one transaction: killed anywhere, it is of one of them. Then
/// the log is emptied, so that the header of the file says so too.
fn upgrade(layout: &Layout, connections: &Connections) -> Result<(), OpenError> {
    let _lock = lock(layout, LOCK_WAIT, "upgrading the store").map_err(|error| match error {
        WriteError::Store(error) => OpenError::Store(error),
        busy @ WriteError::Busy { .. } => OpenError::Busy(busy),
    })?;
    let (format, _) = read_format_and_root(connections)?;
    let connection = connections.lease()?;
    let steps = UPGRADES.get(format as usize - 1..).unwrap_or_default().concat();
    let sql = format!(
        "PRAGMA synchronous = FULL; BEGIN IMMEDIATE; {steps} PRAGMA user_version = {FORMAT}; COMMIT;
        PRAGMA wal_checkpoint(TRUNCATE)"
    );
    connection.execute_batch(&sql).map_err(|error| OpenError::Store(error.into()))
}

/// Makes a store where none is. Only one process does it; the others wait and find it made.
fn make(layout: &Layout, root: &[u8]) -> Result<(), OpenError> {
    state::create_dir(layout.folder()).map_err(disk)?;
    state::create_dir(&layout.packs()).map_err(disk)?;
    let _lock = lock(layout, LOCK_WAIT, "making the store").map_err(|error| match error {
        WriteError::Store(error) => OpenError::Store(error),
        busy @ WriteError::Busy { .. } => OpenError::Busy(busy),
    })?;
    if is_there(layout)? {
        return Ok(());
    }
    let made = fill(layout, root).and_then(|()| {
        state::rename(&layout.unfinished()[0], &layout.database()).map_err(StoreError::disk)?;
        state::sync_dir(layout.folder()).map_err(StoreError::disk)
    });
    if made.is_err() {
        // The error that matters is the first; what stays behind goes with the next attempt.
        _ = remove_unfinished(layout);
    }
    Ok(made?)
}

/// Writes a whole, empty database beside the place where it belongs.
fn fill(layout: &Layout, root: &[u8]) -> Result<(), StoreError> {
    remove_unfinished(layout)?;
    let unfinished = &layout.unfinished()[0];
    state::create_file(unfinished).map_err(StoreError::disk)?;
    let connection = Connection::open_with_flags(unfinished, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.execute_batch(&format!(
        "PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
         BEGIN; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {TABLES} {}",
        UPGRADES.concat()
    ))?;
    let sql = "INSERT INTO workspace(only, root, made_ns) VALUES (1, ?1, ?2)";
    connection.execute(sql, params![root, clock::now_ns()])?;
    connection.execute_batch("COMMIT")?;
    // Closing moves everything into the one file and removes what lies beside it.
    connection.close().map_err(|(_, error)| StoreError::from(error))
}

fn remove_unfinished(layout: &Layout) -> Result<(), StoreError> {
    layout.unfinished().iter().try_for_each(|path| state::remove(path).map(|_| ()).map_err(StoreError::disk))
}

fn disk(error: DiskError) -> OpenError {
    OpenError::Store(StoreError::disk(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sqlite_that_can_damage_a_shared_database_is_refused() {
        assert!(matches!(require_sqlite(3_051_002), Err(OpenError::OldSqlite { .. })));
        assert!(require_sqlite(3_051_003).is_ok());
        assert!(require_sqlite(rusqlite::version_number()).is_ok());
    }

    #[test]
    fn who_comes_second_to_make_a_store_finds_it_made() {
        let home = tempfile::tempdir().unwrap();
        let store = Store::open(home.path(), b"/first").unwrap();
        make(&store.shared.layout, b"/second").unwrap();
        assert_eq!(Store::open(home.path(), b"/third").unwrap().root(), b"/first");
    }
}
