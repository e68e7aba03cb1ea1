//! How the words of the model are columns of the database. Reading checks: a value that this program never wrote is an
//! error, not a guess.

use model::{CheckpointId, Coverage, Entry, Evidence, HeadId, OperationId, Reason, Scope, Seq, SessionId, StepId};
use model::{ContentHash, TurnId, TurnStatus, Verb, WorkspacePath};
use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, Value, ValueRef};

use crate::encoding::{self, Malformed};

/// A value that fits into one column.
pub(crate) trait Column: Sized {
    /// The value as it is stored.
    fn stored(&self) -> Value;

    /// The value that was stored.
    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self>;
}

/// A closed list of words; each is stored as its stable code.
pub(crate) trait Coded: Copy + 'static {
    /// What one of them is, for an error.
    const WHAT: &'static str;
    /// All of them.
    const ALL: &'static [Self];

    /// The stable code.
    fn code(self) -> &'static str;
}

/// The value as it is stored.
pub(crate) fn put<T: Column>(value: &T) -> Value {
    value.stored()
}

/// The value in the column at this place of a row.
pub(crate) fn take<T: Column>(row: &Row<'_>, place: usize) -> rusqlite::Result<T> {
    struct Read<T>(T);
    impl<T: Column> FromSql for Read<T> {
        fn column_result(stored: ValueRef<'_>) -> FromSqlResult<Self> {
            T::read(stored).map(Read)
        }
    }
    row.get::<_, Read<T>>(place).map(|read| read.0)
}

/// The step in the two columns from this place on.
pub(crate) fn take_step(row: &Row<'_>, place: usize) -> rusqlite::Result<StepId> {
    Ok(StepId { turn: take(row, place)?, number: take(row, place + 1)? })
}

/// The step in the two columns from this place on, if there is one.
pub(crate) fn take_optional_step(row: &Row<'_>, place: usize) -> rusqlite::Result<Option<StepId>> {
    let turn: Option<TurnId> = take(row, place)?;
    turn.map(|turn| Ok(StepId { turn, number: take(row, place + 1)? })).transpose()
}

/// A number as SQLite has it. One that is too great for SQLite was never stored, and this finds nothing either.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

fn unsigned(stored: ValueRef<'_>) -> FromSqlResult<u64> {
    let value = stored.as_i64()?;
    u64::try_from(value).map_err(|_| FromSqlError::OutOfRange(value))
}

fn decoded<T>(stored: ValueRef<'_>, decode: impl Fn(&[u8]) -> Result<T, Malformed>) -> FromSqlResult<T> {
    decode(stored.as_blob()?).map_err(FromSqlError::other)
}

impl<T: Coded> Column for T {
    fn stored(&self) -> Value {
        Value::Text(self.code().to_owned())
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        let code = stored.as_str()?;
        let found = T::ALL.iter().find(|word| word.code() == code);
        found.copied().ok_or_else(|| FromSqlError::other(Malformed { what: T::WHAT }))
    }
}

impl<T: Column> Column for Option<T> {
    fn stored(&self) -> Value {
        self.as_ref().map_or(Value::Null, Column::stored)
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        if stored == ValueRef::Null { Ok(None) } else { T::read(stored).map(Some) }
    }
}

macro_rules! number_column {
    ($($id:ident)*) => {$(
        impl Column for $id {
            fn stored(&self) -> Value {
                Value::Integer(number(self.0))
            }

            fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
                unsigned(stored).map($id)
            }
        }
    )*};
}

number_column!(SessionId TurnId CheckpointId OperationId HeadId Seq);

impl Column for i64 {
    fn stored(&self) -> Value {
        Value::Integer(*self)
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        stored.as_i64()
    }
}

impl Column for u64 {
    fn stored(&self) -> Value {
        Value::Integer(number(*self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        unsigned(stored)
    }
}

impl Column for u32 {
    fn stored(&self) -> Value {
        Value::Integer(i64::from(*self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        let value = stored.as_i64()?;
        u32::try_from(value).map_err(|_| FromSqlError::OutOfRange(value))
    }
}

impl Column for bool {
    fn stored(&self) -> Value {
        Value::Integer(i64::from(*self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        match stored.as_i64()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(FromSqlError::OutOfRange(other)),
        }
    }
}

impl Column for String {
    fn stored(&self) -> Value {
        Value::Text(self.clone())
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        stored.as_str().map(str::to_owned)
    }
}

impl Column for Vec<u8> {
    fn stored(&self) -> Value {
        Value::Blob(self.clone())
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        stored.as_blob().map(<[u8]>::to_vec)
    }
}

impl Column for WorkspacePath {
    fn stored(&self) -> Value {
        Value::Blob(self.as_bytes().to_vec())
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        WorkspacePath::new(stored.as_blob()?).map_err(FromSqlError::other)
    }
}

impl Column for Vec<WorkspacePath> {
    fn stored(&self) -> Value {
        Value::Blob(encoding::paths_bytes(self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        decoded(stored, encoding::paths_from)
    }
}

impl Column for Vec<StepId> {
    fn stored(&self) -> Value {
        Value::Blob(encoding::steps_bytes(self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        decoded(stored, encoding::steps_from)
    }
}

impl Column for Vec<TurnId> {
    fn stored(&self) -> Value {
        Value::Blob(encoding::numbers_bytes(self.iter().map(|turn| turn.0)))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(decoded(stored, encoding::numbers_from)?.into_iter().map(TurnId).collect())
    }
}

impl Column for Vec<OperationId> {
    fn stored(&self) -> Value {
        Value::Blob(encoding::numbers_bytes(self.iter().map(|operation| operation.0)))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        Ok(decoded(stored, encoding::numbers_from)?.into_iter().map(OperationId).collect())
    }
}

impl Column for ContentHash {
    fn stored(&self) -> Value {
        Value::Blob(self.0.to_vec())
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        let bytes = stored.as_blob()?;
        bytes.try_into().map(ContentHash).map_err(|_| FromSqlError::other(Malformed { what: "a content hash" }))
    }
}

impl Column for Entry {
    fn stored(&self) -> Value {
        Value::Blob(encoding::entry_bytes(self))
    }

    fn read(stored: ValueRef<'_>) -> FromSqlResult<Self> {
        decoded(stored, encoding::entry_from)
    }
}

impl Coded for Evidence {
    const WHAT: &'static str = "evidence";
    const ALL: &'static [Self] = &[Evidence::Exact, Evidence::Window, Evidence::Late, Evidence::Contested];

    fn code(self) -> &'static str {
        Evidence::code(self)
    }
}

impl Coded for Reason {
    const WHAT: &'static str = "a reason";
    const ALL: &'static [Self] = &Reason::ALL;

    fn code(self) -> &'static str {
        Reason::code(self)
    }
}

impl Coded for Verb {
    const WHAT: &'static str = "a verb";
    const ALL: &'static [Self] = &Verb::ALL;

    fn code(self) -> &'static str {
        Verb::code(self)
    }
}

impl Coded for Scope {
    const WHAT: &'static str = "a scope";
    const ALL: &'static [Self] = &[Scope::Both, Scope::Files, Scope::Conversation];

    fn code(self) -> &'static str {
        Scope::code(self)
    }
}

impl Coded for TurnStatus {
    const WHAT: &'static str = "the status of a turn";
    const ALL: &'static [Self] =
        &[TurnStatus::Open, TurnStatus::Completed, TurnStatus::Interrupted, TurnStatus::Failed];

    fn code(self) -> &'static str {
        TurnStatus::code(self)
    }
}

impl Coded for Coverage {
    const WHAT: &'static str = "coverage";
    const ALL: &'static [Self] = &[Coverage::Complete, Coverage::Partial, Coverage::None];

    fn code(self) -> &'static str {
        Coverage::code(self)
    }
}
