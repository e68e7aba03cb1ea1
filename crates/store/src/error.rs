//! What can go wrong with the database, sorted by what a person can do about it. What SQLite says is kept as source.

use disk::DiskError;
use rusqlite::{Error as SqlError, ErrorCode, ffi};

/// Why a read or a write of the store failed. The transaction it happened in changes nothing.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database holds something that this program never wrote.
    #[error("The store is damaged: {what}; nothing was changed, `takeback verify` names what is lost")]
    Damaged {
        /// What was found.
        what: String,
    },
    /// The disk that holds the store is full.
    #[error("No space is left on the disk that holds the store; nothing was changed")]
    NoSpace,
    /// The store may be looked at but not written, or not even that.
    #[error("The store cannot be opened or written: {what}; nothing was changed")]
    NotPermitted {
        /// What was refused.
        what: String,
    },
    /// Another program holds the database although it does not hold our lock.
    #[error("The store is in use by another program; nothing was changed")]
    Busy,
    /// Anything else that the database refused.
    #[error("The store refused: {0}; nothing was changed")]
    Database(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A file of the store could not be used.
    #[error(transparent)]
    Disk(DiskError),
}

impl StoreError {
    /// A stored thing that cannot be.
    pub(crate) fn damaged(what: impl std::fmt::Display) -> Self {
        StoreError::Damaged { what: what.to_string() }
    }

    /// Takes an error of a file, telling a full disk and a missing permission from all else.
    pub(crate) fn disk(error: DiskError) -> Self {
        if error.is_no_space() {
            StoreError::NoSpace
        } else if error.is_permission() {
            StoreError::NotPermitted { what: error.to_string() }
        } else {
            StoreError::Disk(error)
        }
    }
}

impl From<SqlError> for StoreError {
    fn from(error: SqlError) -> Self {
        match &error {
            SqlError::SqliteFailure(failure, _) => {
                of_sqlite(*failure, &error.to_string()).unwrap_or_else(|| StoreError::Database(Box::new(error)))
            }
            SqlError::FromSqlConversionFailure(..)
            | SqlError::IntegralValueOutOfRange(..)
            | SqlError::InvalidColumnType(..)
            | SqlError::Utf8Error(..) => StoreError::damaged(error),
            _ => StoreError::Database(Box::new(error)),
        }
    }
}

fn of_sqlite(failure: ffi::Error, what: &str) -> Option<StoreError> {
    if failure.extended_code == ffi::SQLITE_IOERR_SHMSIZE {
        return Some(StoreError::NoSpace);
    }
    Some(match failure.code {
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreError::damaged(what),
        ErrorCode::DiskFull => StoreError::NoSpace,
        ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied => {
            StoreError::NotPermitted { what: what.to_owned() }
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreError::Busy,
        _ => return None,
    })
}
