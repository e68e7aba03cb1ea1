//! One [`Act`] of the journal as bytes: a tag, then its fields in their order.

use model::{Act, WorkspacePath};

use super::bytes::{Cursor, Malformed, put_string};
use super::entry::{put_entry, put_mode, take_entry, take_mode};

const LIFT: u8 = 1;
const REMOVE: u8 = 2;
const REMOVE_DIR: u8 = 3;
const MAKE_DIR: u8 = 4;
const MOVE_FROM: u8 = 5;
const CREATE: u8 = 6;
const REPLACE: u8 = 7;
const SET_MODE: u8 = 8;

/// The bytes of an act.
pub(crate) fn act_bytes(act: &Act) -> Vec<u8> {
    let mut out = Vec::new();
    match act {
        Act::Lift { before, lifted } => {
            out.push(LIFT);
            put_mode(&mut out, *before);
            put_mode(&mut out, *lifted);
        }
        Act::Remove { before, aside } => {
            out.push(REMOVE);
            put_entry(&mut out, before);
            put_string(&mut out, aside.as_bytes());
        }
        Act::RemoveDir { mode } => {
            out.push(REMOVE_DIR);
            put_mode(&mut out, *mode);
        }
        Act::MakeDir => out.push(MAKE_DIR),
        Act::MoveFrom { from, before } => {
            out.push(MOVE_FROM);
            put_string(&mut out, from.as_bytes());
            put_entry(&mut out, before);
        }
        Act::Create { after, staged, linked_to } => {
            out.push(CREATE);
            put_entry(&mut out, after);
            put_string(&mut out, staged);
            put_optional_path(&mut out, linked_to.as_ref());
        }
        Act::Replace { before, after, staged, linked_to } => {
            out.push(REPLACE);
            put_entry(&mut out, before);
            put_entry(&mut out, after);
            put_string(&mut out, staged);
            put_optional_path(&mut out, linked_to.as_ref());
        }
        Act::SetMode { before, after } => {
            out.push(SET_MODE);
            put_mode(&mut out, *before);
            put_mode(&mut out, *after);
        }
    }
    out
}

/// The act that these bytes are, all of them.
pub(crate) fn act_from(bytes: &[u8]) -> Result<Act, Malformed> {
    let mut cursor = Cursor::new(bytes, "a step of the journal");
    let act = take_act(&mut cursor)?;
    cursor.finish()?;
    Ok(act)
}

fn take_act(cursor: &mut Cursor<'_>) -> Result<Act, Malformed> {
    Ok(match cursor.byte()? {
        LIFT => Act::Lift { before: take_mode(cursor)?, lifted: take_mode(cursor)? },
        REMOVE => Act::Remove { before: take_entry(cursor)?, aside: cursor.path()? },
        REMOVE_DIR => Act::RemoveDir { mode: take_mode(cursor)? },
        MAKE_DIR => Act::MakeDir,
        MOVE_FROM => Act::MoveFrom { from: cursor.path()?, before: take_entry(cursor)? },
        CREATE => Act::Create {
            after: take_entry(cursor)?,
            staged: cursor.string()?.to_vec(),
            linked_to: take_optional_path(cursor)?,
        },
        REPLACE => Act::Replace {
            before: take_entry(cursor)?,
            after: take_entry(cursor)?,
            staged: cursor.string()?.to_vec(),
            linked_to: take_optional_path(cursor)?,
        },
        SET_MODE => Act::SetMode { before: take_mode(cursor)?, after: take_mode(cursor)? },
        _ => return Err(cursor.malformed()),
    })
}

fn put_optional_path(out: &mut Vec<u8>, path: Option<&WorkspacePath>) {
    out.push(u8::from(path.is_some()));
    if let Some(path) = path {
        put_string(out, path.as_bytes());
    }
}

fn take_optional_path(cursor: &mut Cursor<'_>) -> Result<Option<WorkspacePath>, Malformed> {
    match cursor.byte()? {
        0 => Ok(None),
        1 => cursor.path().map(Some),
        _ => Err(cursor.malformed()),
    }
}
