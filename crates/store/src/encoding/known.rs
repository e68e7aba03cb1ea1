//! One [`KnownFolder`] as bytes: its names in order, each with its entry and its stamp. Stamps are written as distances
//! from the name before, because neighbours were mostly made, changed and looked at together.

use model::{Entry, Known, KnownChild, KnownFolder, Stamp};

use super::bytes::{Cursor, Malformed, put_number, put_signed, put_string};
use super::entry::{put_entry, take_entry};

/// The bytes of a folder.
pub(crate) fn folder_bytes(folder: &KnownFolder) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + folder.children.len() * 96);
    let mut previous = Stamp::UNKNOWN;
    put_number(&mut out, folder.children.len() as u64);
    for KnownChild { name, known } in &folder.children {
        put_string(&mut out, name);
        put_entry(&mut out, &known.entry);
        put_stamp(&mut out, known, &previous);
        previous = known.stamp;
    }
    out
}

/// The folder that these bytes are. Names that are not sorted or are no names at all are refused.
pub(crate) fn folder_from(bytes: &[u8]) -> Result<KnownFolder, Malformed> {
    let mut cursor = Cursor::new(bytes, "a folder of the index");
    let count = usize::try_from(cursor.number()?).map_err(|_| cursor.malformed())?;
    let mut children: Vec<KnownChild> = Vec::with_capacity(count.min(bytes.len() / SMALLEST_CHILD_BYTES));
    let mut previous = Stamp::UNKNOWN;
    for _ in 0..count {
        let name = cursor.string()?;
        let is_later = children.last().is_none_or(|last| *last.name < *name);
        if !is_later || !is_name(name) {
            return Err(cursor.malformed());
        }
        let entry = take_entry(&mut cursor)?;
        previous = take_stamp(&mut cursor, &entry, &previous)?;
        children.push(KnownChild { name: name.into(), known: Known { entry, stamp: previous } });
    }
    cursor.finish()?;
    Ok(KnownFolder { children })
}

/// No child takes fewer bytes: a name of one byte with its length, an entry of one, a stamp of eight.
const SMALLEST_CHILD_BYTES: usize = 11;

fn put_stamp(out: &mut Vec<u8>, known: &Known, previous: &Stamp) {
    let Stamp { device, inode, links, size_bytes, modified_ns, changed_ns, born_ns, looked_ns } = known.stamp;
    put_signed(out, device.wrapping_sub(previous.device).cast_signed());
    put_signed(out, inode.wrapping_sub(previous.inode).cast_signed());
    put_number(out, u64::from(links));
    put_signed(out, size_bytes.wrapping_sub(expected_size(&known.entry)).cast_signed());
    put_signed(out, modified_ns.wrapping_sub(previous.modified_ns));
    put_signed(out, changed_ns.wrapping_sub(modified_ns));
    put_signed(out, born_ns.wrapping_sub(modified_ns));
    put_signed(out, looked_ns.wrapping_sub(previous.looked_ns));
}

fn take_stamp(cursor: &mut Cursor<'_>, entry: &Entry, previous: &Stamp) -> Result<Stamp, Malformed> {
    let device = previous.device.wrapping_add_signed(cursor.signed()?);
    let inode = previous.inode.wrapping_add_signed(cursor.signed()?);
    let links = cursor.small_number()?;
    let size_bytes = expected_size(entry).wrapping_add_signed(cursor.signed()?);
    let modified_ns = previous.modified_ns.wrapping_add(cursor.signed()?);
    let changed_ns = modified_ns.wrapping_add(cursor.signed()?);
    let born_ns = modified_ns.wrapping_add(cursor.signed()?);
    let looked_ns = previous.looked_ns.wrapping_add(cursor.signed()?);
    Ok(Stamp { device, inode, links, size_bytes, modified_ns, changed_ns, born_ns, looked_ns })
}

fn expected_size(entry: &Entry) -> u64 {
    match entry {
        Entry::File { size_bytes, .. } => *size_bytes,
        Entry::Link { target } => target.len() as u64,
        Entry::Absent | Entry::Dir { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => 0,
    }
}

fn is_name(name: &[u8]) -> bool {
    !matches!(name, b"" | b"." | b"..") && !name.iter().any(|&byte| byte == b'/' || byte == 0)
}
