//! [`Scanner`]: looks at one name after another and notes what is not as it was known.

use std::sync::Arc;

use disk::{Listed, Stat};
use model::{Entry, EntryKind, Known, Reason, SpecialKind, WorkspacePath};

use super::elsewhere::{self, LeftOut};
use super::found::{Found, Now, Renewal, is_covered_folder};
use super::freshness::is_surely_unchanged;
use super::{Folder, Ground, Place};
use crate::rules::{Candidate, Reach, Verdict};

/// One worker of a walk.
pub(super) struct Scanner<'g, 'a> {
    pub(super) ground: &'g Ground<'a>,
    pub(super) found: Found<'a>,
}

/// What a look at one name came to.
pub(super) enum Sight<'a> {
    /// Nothing is there.
    Nothing,
    /// It could not be looked at; what was known of it stays.
    Hidden(disk::DiskError),
    /// It is left out, and noted as such.
    Left(EntryKind, Reason),
    /// It is no folder.
    Thing(EntryKind),
    /// It is a folder that is covered as far as can be told from outside.
    Folder(Folder<'a>),
}

impl<'g, 'a> Scanner<'g, 'a> {
    pub(super) fn new(ground: &'g Ground<'a>) -> Self {
        Self { ground, found: Found::default() }
    }

    /// Looks at one name and notes what is new about it; of a covered folder nothing is noted yet.
    pub(super) fn see(&mut self, place: &Arc<Place>, name: &[u8], before: Option<&'a Known>) -> Sight<'a> {
        self.found.counts.stats += 1;
        match place.dir.stat(name) {
            Ok(Some(stat)) => self.judge(place, name, stat, before),
            Ok(None) => self.miss(place, name, before),
            Err(error) => Sight::Hidden(error),
        }
    }

    /// Looks at a known name that its folder does not list: a name may slip through a listing while it is renamed.
    ///
    /// Where names that differ only in spelling are one, what is found may be a listed name; then this one is gone.
    pub(super) fn see_unlisted(
        &mut self,
        place: &Arc<Place>,
        name: &[u8],
        before: &'a Known,
        listing: &[Listed],
    ) -> Sight<'a> {
        self.found.counts.stats += 1;
        match place.dir.stat(name) {
            Ok(Some(stat)) if !is_listed(name, &stat, listing) => self.judge(place, name, stat, Some(before)),
            Ok(_) => self.miss(place, name, Some(before)),
            Err(error) => Sight::Hidden(error),
        }
    }

    fn miss(&mut self, place: &Place, name: &[u8], before: Option<&'a Known>) -> Sight<'a> {
        self.note_gone(|| place.child(name), before);
        Sight::Nothing
    }

    fn judge(&mut self, place: &Arc<Place>, name: &[u8], stat: Stat, before: Option<&'a Known>) -> Sight<'a> {
        let reach = match self.verdict(place, name, &stat, before) {
            Verdict::Leave(reason) => {
                self.note_left_out(place.child(name), before, &stat, reason);
                return Sight::Left(stat.kind, reason);
            }
            Verdict::Cover(reach) => reach,
        };
        match stat.kind {
            EntryKind::Dir => {
                return Sight::Folder(Folder {
                    above: Arc::clone(place),
                    path: place.child(name),
                    stat,
                    before,
                    reach,
                });
            }
            EntryKind::File => self.note_file(place, name, stat, before),
            EntryKind::Link => self.note_link(place, name, &stat, before),
            EntryKind::Special | EntryKind::Absent => self.note_special(place, name, &stat, before),
        }
        Sight::Thing(stat.kind)
    }

    fn verdict(&self, place: &Place, name: &[u8], stat: &Stat, before: Option<&Known>) -> Verdict {
        let size_bytes = stat.stamp.size_bytes;
        let candidate = Candidate { folder: &place.path, name, kind: stat.kind, size_bytes, reach: place.reach };
        match self.ground.coverage.verdict(&candidate) {
            Verdict::Leave(Reason::TooLarge) if is_stored(before, stat) => Verdict::Cover(place.reach),
            Verdict::Cover(Reach::Ordinary) => self
                .reason_from_before(place, name, stat, before)
                .map_or(Verdict::Cover(Reach::Ordinary), Verdict::Leave),
            verdict => verdict,
        }
    }

    /// Why something that no rule names is left out all the same: because of what it was, or where it lay.
    fn reason_from_before(&self, place: &Place, name: &[u8], stat: &Stat, before: Option<&Known>) -> Option<Reason> {
        if !matches!(stat.kind, EntryKind::Dir | EntryKind::File) {
            return None;
        }
        match before.filter(|known| known.stamp.is_same_thing(&stat.stamp)) {
            Some(known) => elsewhere::reason_to_stay(known, &place.dir, name),
            None => {
                let left_out = self.ground.left_out.get_or_init(|| LeftOut::new(self.ground.index));
                left_out.reason_of(stat)
            }
        }
    }

    fn note_file(&mut self, place: &Place, name: &[u8], stat: Stat, before: Option<&'a Known>) {
        if !before.is_some_and(|known| is_file(known) && is_surely_unchanged(&known.stamp, &stat.stamp)) {
            let path = place.child(name);
            self.note_gone_below(&path, before);
            self.found.add(path, before, Now::Unread(stat));
        }
    }

    fn note_link(&mut self, place: &Place, name: &[u8], stat: &Stat, before: Option<&'a Known>) {
        let is_link = |known: &Known| matches!(known.entry, Entry::Link { .. });
        if before.is_some_and(|known| is_link(known) && is_surely_unchanged(&known.stamp, &stat.stamp)) {
            return;
        }
        let path = place.child(name);
        match place.dir.read_link(name) {
            Ok(target) => {
                self.note_gone_below(&path, before);
                let now = Known { entry: Entry::Link { target }, stamp: stat.stamp };
                self.found.compare(path, before, now, Renewal::Always);
            }
            Err(error) if error.is_not_found() => self.note_gone(|| path, before),
            Err(_) => self.found.trouble(path, Reason::Unsettled),
        }
    }

    fn note_special(&mut self, place: &Place, name: &[u8], stat: &Stat, before: Option<&'a Known>) {
        let path = place.child(name);
        self.note_gone_below(&path, before);
        let entry = Entry::Special { kind: stat.special.unwrap_or(SpecialKind::Device) };
        self.found.compare(path, before, Known { entry, stamp: stat.stamp }, Renewal::OnOtherThing);
    }

    /// Notes a covered folder itself.
    pub(super) fn note_folder(&mut self, folder: &Folder<'a>) {
        let now = Known { entry: Entry::Dir { mode: folder.stat.mode }, stamp: folder.stat.stamp };
        self.found.compare(folder.path.clone(), folder.before, now, Renewal::OnOtherThing);
    }

    /// Notes something that is left out. If it was a covered folder, what lies below is left out with it.
    pub(super) fn note_left_out(
        &mut self,
        path: WorkspacePath,
        before: Option<&'a Known>,
        stat: &Stat,
        reason: Reason,
    ) {
        let renewal = if stat.kind == EntryKind::Dir { Renewal::OnOtherThing } else { Renewal::OnChange };
        if stat.kind != EntryKind::Dir {
            self.note_gone_below(&path, before);
        } else if before.is_some_and(is_covered_folder) {
            self.note_below(&path, |known| {
                let entry = Entry::Uncovered { kind: known.entry.kind(), reason };
                Now::Holds(Known { entry, stamp: known.stamp })
            });
        }
        let entry = Entry::Uncovered { kind: stat.kind, reason };
        self.found.compare(path, before, Known { entry, stamp: stat.stamp }, renewal);
    }

    /// Notes that nothing is there, nor below.
    pub(super) fn note_gone(&mut self, path: impl FnOnce() -> WorkspacePath, before: Option<&'a Known>) {
        if before.is_some() {
            let path = path();
            self.note_gone_below(&path, before);
            self.found.add(path, before, Now::Gone);
        }
    }

    /// Notes that nothing is left of what was known below a folder that is none any more.
    fn note_gone_below(&mut self, path: &WorkspacePath, before: Option<&'a Known>) {
        if before.is_some_and(is_covered_folder) {
            self.note_below(path, |_| Now::Gone);
        }
    }

    fn note_below(&mut self, folder: &WorkspacePath, now: impl Fn(&Known) -> Now) {
        for path in self.ground.index.paths_below(folder) {
            if let Some(known) = self.ground.index.get(&path) {
                self.found.add(path, Some(known), now(known));
            }
        }
    }
}

/// Whether a thing with one name is listed under another spelling of this one. How a file system folds letters beyond
/// ASCII is not asked.
fn is_listed(name: &[u8], stat: &Stat, listing: &[Listed]) -> bool {
    let has_one_name = stat.kind == EntryKind::Dir || stat.stamp.links == 1;
    let is_spelling = |other: &[u8]| other.eq_ignore_ascii_case(name) || !other.is_ascii();
    has_one_name && listing.iter().any(|listed| listed.inode == stat.stamp.inode && is_spelling(&listed.name))
}

fn is_file(known: &Known) -> bool {
    matches!(known.entry, Entry::File { .. })
}

/// Whether the content that lies there is stored already, so that a size cap comes too late.
fn is_stored(before: Option<&Known>, stat: &Stat) -> bool {
    before.is_some_and(|known| is_file(known) && known.stamp.is_unchanged(&stat.stamp))
}

#[cfg(test)]
mod tests {
    use model::{Index, Stamp};

    use super::*;
    use crate::rules::Coverage;
    use crate::{Root, Rules};

    #[test]
    fn a_known_name_that_is_found_under_another_spelling_is_gone() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("name"), "x").unwrap();
        let (root, index) = (Root::open(temp.path()).unwrap(), Index::default());
        let coverage = Coverage::new(&root, &Rules::built_in());
        let ground = Ground::new(&root, &index, &coverage, None);
        let place = ground.root_place().unwrap();
        let before = Known { entry: Entry::Special { kind: SpecialKind::Pipe }, stamp: Stamp::UNKNOWN };
        let inode = root.dir().stat(b"name").unwrap().unwrap().stamp.inode;
        let sight = |inode| {
            let listing = [Listed { name: b"NAME".as_slice().into(), kind: None, inode }];
            Scanner::new(&ground).see_unlisted(&place, b"name", &before, &listing)
        };
        assert!(matches!(sight(inode), Sight::Nothing), "the file system takes both spellings for one name");
        assert!(matches!(sight(inode + 1), Sight::Thing(EntryKind::File)), "it has slipped through the listing");
    }
}
