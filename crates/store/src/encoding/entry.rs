//! One [`Entry`] as bytes: a tag, then what belongs to that kind.

use model::{ContentHash, Entry, EntryKind, Mode, Reason, SpecialKind};

use super::bytes::{Cursor, Malformed, put_number, put_string};

const ABSENT: u8 = 0;
const FILE: u8 = 1;
const LINK: u8 = 2;
const DIR: u8 = 3;
const SPECIAL: u8 = 4;
const UNCOVERED: u8 = 5;

/// The bytes of an entry.
pub(crate) fn entry_bytes(entry: &Entry) -> Vec<u8> {
    let mut out = Vec::with_capacity(48);
    put_entry(&mut out, entry);
    out
}

/// The entry that these bytes are, all of them.
pub(crate) fn entry_from(bytes: &[u8]) -> Result<Entry, Malformed> {
    let mut cursor = Cursor::new(bytes, "an entry");
    let entry = take_entry(&mut cursor)?;
    cursor.finish()?;
    Ok(entry)
}

/// Appends an entry.
pub(super) fn put_entry(out: &mut Vec<u8>, entry: &Entry) {
    match entry {
        Entry::Absent => out.push(ABSENT),
        Entry::File { content, size_bytes, mode } => {
            out.push(FILE);
            put_mode(out, *mode);
            put_number(out, *size_bytes);
            out.extend_from_slice(&content.0);
        }
        Entry::Link { target } => {
            out.push(LINK);
            put_string(out, target);
        }
        Entry::Dir { mode } => {
            out.push(DIR);
            put_mode(out, *mode);
        }
        Entry::Special { kind } => out.extend_from_slice(&[SPECIAL, special_code(*kind)]),
        Entry::Uncovered { kind, reason } => {
            out.extend_from_slice(&[UNCOVERED, kind_code(*kind)]);
            put_string(out, reason.code().as_bytes());
        }
    }
}

/// Reads an entry.
pub(super) fn take_entry(cursor: &mut Cursor<'_>) -> Result<Entry, Malformed> {
    Ok(match cursor.byte()? {
        ABSENT => Entry::Absent,
        FILE => {
            let mode = take_mode(cursor)?;
            let size_bytes = cursor.number()?;
            Entry::File { content: ContentHash(cursor.array()?), size_bytes, mode }
        }
        LINK => Entry::Link { target: cursor.string()?.to_vec() },
        DIR => Entry::Dir { mode: take_mode(cursor)? },
        SPECIAL => Entry::Special { kind: take_special(cursor)? },
        UNCOVERED => Entry::Uncovered { kind: take_kind(cursor)?, reason: take_reason(cursor)? },
        _ => return Err(cursor.malformed()),
    })
}

/// Appends permission bits.
pub(super) fn put_mode(out: &mut Vec<u8>, mode: Mode) {
    put_number(out, u64::from(mode.bits()));
}

/// Reads permission bits.
pub(super) fn take_mode(cursor: &mut Cursor<'_>) -> Result<Mode, Malformed> {
    let bits = cursor.small_number()?;
    if bits > 0o7777 { Err(cursor.malformed()) } else { Ok(Mode::new(bits)) }
}

fn take_reason(cursor: &mut Cursor<'_>) -> Result<Reason, Malformed> {
    let code = cursor.string()?;
    std::str::from_utf8(code).ok().and_then(Reason::from_code).ok_or_else(|| cursor.malformed())
}

fn kind_code(kind: EntryKind) -> u8 {
    match kind {
        EntryKind::Absent => ABSENT,
        EntryKind::File => FILE,
        EntryKind::Link => LINK,
        EntryKind::Dir => DIR,
        EntryKind::Special => SPECIAL,
    }
}

fn take_kind(cursor: &mut Cursor<'_>) -> Result<EntryKind, Malformed> {
    Ok(match cursor.byte()? {
        ABSENT => EntryKind::Absent,
        FILE => EntryKind::File,
        LINK => EntryKind::Link,
        DIR => EntryKind::Dir,
        SPECIAL => EntryKind::Special,
        _ => return Err(cursor.malformed()),
    })
}

fn special_code(kind: SpecialKind) -> u8 {
    match kind {
        SpecialKind::Pipe => 0,
        SpecialKind::Socket => 1,
        SpecialKind::Device => 2,
    }
}

fn take_special(cursor: &mut Cursor<'_>) -> Result<SpecialKind, Malformed> {
    Ok(match cursor.byte()? {
        0 => SpecialKind::Pipe,
        1 => SpecialKind::Socket,
        2 => SpecialKind::Device,
        _ => return Err(cursor.malformed()),
    })
}
