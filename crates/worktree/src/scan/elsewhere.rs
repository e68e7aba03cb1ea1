//! Things that were left out at another place: a derived or protected thing that was moved stays left out, so that
//! moving it back brings all of it back and its content is not taken in by the way.

use std::collections::HashMap;

use disk::{Dir, Stat};
use model::{Entry, EntryKind, Index, Known, Reason};

use crate::rules::derived::{self, Generated};

/// Everything that is known as derived or protected, by device and inode.
pub(super) struct LeftOut<'a> {
    by_inode: HashMap<(u64, u64), Vec<(&'a Known, Reason)>>,
}

impl<'a> LeftOut<'a> {
    pub(super) fn new(index: &'a Index) -> Self {
        let mut by_inode: HashMap<_, Vec<_>> = HashMap::new();
        for child in index.folders().flat_map(|(_, folder)| &folder.children) {
            if let Some(reason) = reason_to_stay_out(&child.known.entry) {
                let stamp = &child.known.stamp;
                by_inode.entry((stamp.device, stamp.inode)).or_default().push((&child.known, reason));
            }
        }
        Self { by_inode }
    }

    /// Why the thing that looks like this was left out where it was seen last; none if it was not, or has several names
    /// by which it may still be there.
    pub(super) fn reason_of(&self, stat: &Stat) -> Option<Reason> {
        let [(known, reason)] = self.by_inode.get(&(stat.stamp.device, stat.stamp.inode))?.as_slice() else {
            return None;
        };
        let is_it = known.entry.kind() == stat.kind && known.stamp.is_same_thing(&stat.stamp);
        let has_one_name = stat.kind == EntryKind::Dir || stat.stamp.links == 1;
        (is_it && has_one_name).then_some(*reason)
    }
}

/// Why a folder that is known as left out stays so although its name says nothing; none if the name decides.
pub(super) fn reason_to_stay(known: &Known, above: &Dir, name: &[u8]) -> Option<Reason> {
    match known.entry {
        Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Derived } => {
            (derived::by_name(name) == Generated::Unknown).then_some(Reason::Derived)
        }
        Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Protected } => {
            holds_git(above, name).then_some(Reason::Protected)
        }
        _ => None,
    }
}

fn reason_to_stay_out(entry: &Entry) -> Option<Reason> {
    match entry {
        Entry::Uncovered { reason: reason @ (Reason::Derived | Reason::Protected), .. } => Some(*reason),
        _ => None,
    }
}

/// Whether the folder is git's own, renamed.
fn holds_git(above: &Dir, name: &[u8]) -> bool {
    let Ok(dir) = above.open_child(name) else { return false };
    [b"HEAD".as_slice(), b"objects", b"refs"].iter().all(|part| dir.stat(part).is_ok_and(|stat| stat.is_some()))
}
