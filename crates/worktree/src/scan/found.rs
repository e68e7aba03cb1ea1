//! [`Found`]: what a walk has seen that is not as it was known.

use disk::Stat;
use model::{Entry, Gap, Known, Reason, WorkspacePath};

use crate::capture::Counts;

/// What a walk has seen, by path. What is as it was known is not in it.
#[derive(Default)]
pub(crate) struct Found<'a> {
    /// Paths that hold something else, or may.
    pub(crate) sightings: Vec<Sighting<'a>>,
    /// Paths that hold the same under another stamp.
    pub(crate) refreshed: Vec<(WorkspacePath, Known)>,
    /// Paths that could not be looked at as they should.
    pub(crate) troubles: Vec<Gap>,
    /// What the walk cost.
    pub(crate) counts: Counts,
}

/// One path that holds something else, or may.
pub(crate) struct Sighting<'a> {
    pub(crate) path: WorkspacePath,
    pub(crate) before: Option<&'a Known>,
    pub(crate) now: Now,
}

/// What a path holds now.
pub(crate) enum Now {
    /// Nothing.
    Gone,
    /// This.
    Holds(Known),
    /// A file whose content has to be read.
    Unread(Stat),
}

impl Now {
    /// How the path looks now; none if nothing is there.
    pub(crate) fn stamp(&self) -> Option<&model::Stamp> {
        match self {
            Now::Gone => None,
            Now::Holds(known) => Some(&known.stamp),
            Now::Unread(stat) => Some(&stat.stamp),
        }
    }
}

impl<'a> Found<'a> {
    pub(super) fn add(&mut self, path: WorkspacePath, before: Option<&'a Known>, now: Now) {
        self.sightings.push(Sighting { path, before, now });
    }

    /// Notes what a path holds: a sighting if it is another entry, a new stamp if only that must be renewed.
    pub(super) fn compare(&mut self, path: WorkspacePath, before: Option<&'a Known>, now: Known, renewal: Renewal) {
        match before.filter(|known| known.entry == now.entry) {
            None => self.add(path, before, Now::Holds(now)),
            Some(known) if renewal.is_due(known, &now) => self.refreshed.push((path, now)),
            Some(_) => {}
        }
    }

    pub(super) fn trouble(&mut self, path: WorkspacePath, reason: Reason) {
        self.troubles.push(Gap { path, reason });
    }

    /// Takes in what another worker has found.
    pub(super) fn join(&mut self, other: Found<'a>) {
        self.sightings.extend(other.sightings);
        self.refreshed.extend(other.refreshed);
        self.troubles.extend(other.troubles);
        self.counts.add(&other.counts);
    }

    /// Sorts everything by path and drops repetitions, so that the result does not depend on who found it.
    pub(super) fn arrange(&mut self) {
        self.sightings.sort_by(|a, b| a.path.cmp(&b.path));
        self.sightings.dedup_by(|later, first| later.path == first.path);
        self.refreshed.sort_by(|a, b| a.0.cmp(&b.0));
        self.refreshed.dedup_by(|later, first| later.0 == first.0);
        let sightings = &self.sightings;
        self.refreshed.retain(|(path, _)| sightings.binary_search_by(|sighting| sighting.path.cmp(path)).is_err());
        self.troubles.sort();
        self.troubles.dedup();
    }
}

/// When a stamp is renewed although the entry is the same.
#[derive(Clone, Copy)]
pub(super) enum Renewal {
    /// Every time: the look itself counts.
    Always,
    /// When it says anything new.
    OnChange,
    /// Only when it is another thing: the stamp is kept to tell a move, and changes all the time.
    OnOtherThing,
}

impl Renewal {
    fn is_due(self, known: &Known, now: &Known) -> bool {
        match self {
            Renewal::Always => true,
            Renewal::OnChange => !known.stamp.is_unchanged(&now.stamp),
            Renewal::OnOtherThing => !known.stamp.is_same_thing(&now.stamp),
        }
    }
}

/// Whether this is a folder whose content we know.
pub(crate) fn is_covered_folder(known: &Known) -> bool {
    matches!(known.entry, Entry::Dir { .. })
}
