//! Moves: the same thing on disk, gone from one path and come to another.

use std::collections::HashMap;

use model::{EntryKind, Known};

use crate::scan::{Now, Sighting, freshness};

/// Which sightings are the two ends of one move, both ways.
#[derive(Default)]
pub(super) struct Moves {
    partners: HashMap<usize, usize>,
}

impl Moves {
    /// The other end of the move that this sighting is an end of.
    pub(super) fn partner(&self, at: usize) -> Option<usize> {
        self.partners.get(&at).copied()
    }
}

/// Pairs what is gone with what has come, where there is exactly one of each and it is the same thing of the same kind.
/// A file with several names is not paired: which name went where cannot be told.
pub(super) fn pair(sightings: &[Sighting<'_>]) -> Moves {
    let mut ends: HashMap<(u64, u64), Ends> = HashMap::new();
    for (at, sighting) in sightings.iter().enumerate() {
        let Some((side, stamp)) = side_of(sighting) else { continue };
        let ends = ends.entry((stamp.device, stamp.inode)).or_default();
        match side {
            Side::Gone => ends.gone.push(at),
            Side::Come => ends.come.push(at),
        }
    }
    let mut moves = Moves::default();
    for ends in ends.values() {
        if let (&[gone], &[come]) = (ends.gone.as_slice(), ends.come.as_slice())
            && is_one_thing(&sightings[gone], &sightings[come])
        {
            moves.partners.insert(gone, come);
            moves.partners.insert(come, gone);
        }
    }
    moves
}

/// What is known of the content of a file that was moved, if nothing says that it was changed meanwhile.
pub(super) fn content_moved_along<'a>(from: &Sighting<'a>, to: &Sighting<'a>) -> Option<&'a Known> {
    let (known, Now::Unread(stat)) = (from.before?, &to.now) else { return None };
    let is_same = known.stamp.size_bytes == stat.stamp.size_bytes && known.stamp.modified_ns == stat.stamp.modified_ns;
    (known.entry.content().is_some() && is_same && !freshness::is_racy(&known.stamp)).then_some(known)
}

#[derive(Default)]
struct Ends {
    gone: Vec<usize>,
    come: Vec<usize>,
}

enum Side {
    Gone,
    Come,
}

fn side_of<'s>(sighting: &'s Sighting<'_>) -> Option<(Side, &'s model::Stamp)> {
    match (sighting.before, sighting.now.stamp()) {
        (Some(known), None) => Some((Side::Gone, &known.stamp)),
        (Some(known), Some(now)) if known.stamp.is_same_thing(now) => None,
        (_, Some(now)) => Some((Side::Come, now)),
        (None, None) => None,
    }
}

fn is_one_thing(gone: &Sighting<'_>, come: &Sighting<'_>) -> bool {
    let (Some(known), Some(now)) = (gone.before, come.now.stamp()) else { return false };
    let kind = match &come.now {
        Now::Holds(known) => known.entry.kind(),
        Now::Unread(_) => EntryKind::File,
        Now::Gone => EntryKind::Absent,
    };
    let has_one_name = kind == EntryKind::Dir || (known.stamp.links == 1 && now.links == 1);
    known.entry.kind() == kind && has_one_name && known.stamp.is_same_thing(now)
}
