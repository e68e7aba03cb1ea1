//! Lists that live in one column: numbers, steps, paths. Each is its items one after the other, without a count.

use model::{StepId, TurnId, WorkspacePath};

use super::bytes::{Cursor, Malformed, put_number, put_string};

/// The bytes of a list of numbers.
pub(crate) fn numbers_bytes(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.into_iter().for_each(|number| put_number(&mut out, number));
    out
}

/// The list of numbers that these bytes are.
pub(crate) fn numbers_from(bytes: &[u8]) -> Result<Vec<u64>, Malformed> {
    items(bytes, "a list of numbers", Cursor::number)
}

/// The bytes of a list of steps.
pub(crate) fn steps_bytes(steps: &[StepId]) -> Vec<u8> {
    numbers_bytes(steps.iter().flat_map(|step| [step.turn.0, u64::from(step.number)]))
}

/// The list of steps that these bytes are.
pub(crate) fn steps_from(bytes: &[u8]) -> Result<Vec<StepId>, Malformed> {
    items(bytes, "a list of steps", |cursor| {
        Ok(StepId { turn: TurnId(cursor.number()?), number: cursor.small_number()? })
    })
}

/// The bytes of a list of paths.
pub(crate) fn paths_bytes(paths: &[WorkspacePath]) -> Vec<u8> {
    let mut out = Vec::new();
    paths.iter().for_each(|path| put_string(&mut out, path.as_bytes()));
    out
}

/// The list of paths that these bytes are.
pub(crate) fn paths_from(bytes: &[u8]) -> Result<Vec<WorkspacePath>, Malformed> {
    items(bytes, "a list of paths", Cursor::path)
}

fn items<'a, T>(
    bytes: &'a [u8],
    what: &'static str,
    item: impl Fn(&mut Cursor<'a>) -> Result<T, Malformed>,
) -> Result<Vec<T>, Malformed> {
    let mut cursor = Cursor::new(bytes, what);
    let mut found = Vec::new();
    while !cursor.is_at_end() {
        found.push(item(&mut cursor)?);
    }
    Ok(found)
}
