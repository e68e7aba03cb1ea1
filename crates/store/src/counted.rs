//! [`Counted`]: a statement whose work is counted. How much work that is depends on the rows it walks over and on nothing
//! else, so a test can say that something does not grow. Not a measure of time.

use std::cell::Cell;
use std::ops::{Deref, DerefMut};

use rusqlite::{CachedStatement, StatementStatus};

thread_local! {
    static STEPS: Cell<u64> = const { Cell::new(0) };
}

/// How many steps of the database's machine this thread has had done by statements that have ended. Walking over a row
/// takes a few, however deep the tree is in which it is found; a jump to a row takes one.
pub fn database_steps() -> u64 {
    STEPS.get()
}

/// A statement. At its end its steps are added to those of this thread.
pub(crate) struct Counted<'a>(CachedStatement<'a>);

impl<'a> Counted<'a> {
    /// Counts from now on.
    pub(crate) fn new(statement: CachedStatement<'a>) -> Self {
        Self(statement)
    }
}

impl<'a> Deref for Counted<'a> {
    type Target = CachedStatement<'a>;

    fn deref(&self) -> &CachedStatement<'a> {
        &self.0
    }
}

impl<'a> DerefMut for Counted<'a> {
    fn deref_mut(&mut self) -> &mut CachedStatement<'a> {
        &mut self.0
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        let steps = self.0.reset_status(StatementStatus::VmStep);
        STEPS.set(STEPS.get().saturating_add(u64::try_from(steps).unwrap_or_default()));
    }
}
