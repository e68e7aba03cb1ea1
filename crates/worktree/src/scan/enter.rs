//! Going into a folder: opening it, telling from inside whether it is covered, and what to note when it does not open.

use std::cmp::Ordering;
use std::sync::Arc;

use disk::{Dir, DiskError, Listed};
use model::{KnownChild, Reason, limits};

use super::found::is_covered_folder;
use super::scanner::{Scanner, Sight};
use super::{Folder, Place};
use crate::rules::{Reach, derived};

/// A folder whose names cannot be looked at.
pub(super) struct Unsearchable;

impl<'a> Scanner<'_, 'a> {
    /// Looks at everything in a folder, and gives the folders that are to be entered next.
    pub(super) fn enter(&mut self, folder: &Folder<'a>) -> Vec<Folder<'a>> {
        let Some(dir) = self.open(folder) else { return Vec::new() };
        let listing = match dir.list() {
            Ok(listing) => listing,
            Err(error) => {
                self.note_closed(folder, &error);
                return Vec::new();
            }
        };
        if self.is_generated(folder, &dir, |name| listing.iter().any(|listed| *listed.name == *name)) {
            self.note_left_out(folder.path.clone(), folder.before, &folder.stat, Reason::Derived);
            return Vec::new();
        }
        let place = folder.place(dir);
        let known = if folder.before.is_some_and(is_covered_folder) { self.known_in(&place) } else { &[] };
        match self.look_through(&place, listing, known) {
            Ok(folders) => {
                self.note_folder(folder);
                folders
            }
            Err(Unsearchable) => {
                self.note_unreadable(folder);
                Vec::new()
            }
        }
    }

    /// Goes through a folder on the way to something below it, without looking at what else it holds. If the way ends
    /// here, that is noted, and the reason is given.
    pub(super) fn pass_through(&mut self, folder: &Folder<'a>) -> Result<Arc<Place>, Reason> {
        let dir = self.open(folder).ok_or(Reason::Unreadable)?;
        if self.is_generated(folder, &dir, |name| dir.stat(name).is_ok_and(|stat| stat.is_some())) {
            self.note_left_out(folder.path.clone(), folder.before, &folder.stat, Reason::Derived);
            return Err(Reason::Derived);
        }
        self.note_folder(folder);
        Ok(folder.place(dir))
    }

    /// Looks at every name that is listed or known in a folder. Both lists meet in order.
    pub(super) fn look_through(
        &mut self,
        place: &Arc<Place>,
        mut listing: Vec<Listed>,
        known: &'a [KnownChild],
    ) -> Result<Vec<Folder<'a>>, Unsearchable> {
        self.found.counts.entries += listing.len() as u64;
        if !self.ground.admit(listing.len()) {
            return Ok(Vec::new());
        }
        listing.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let mut folders = Vec::new();
        let (mut listed, mut known) = (listing.iter().peekable(), known.iter().peekable());
        let mut is_first = true;
        loop {
            let order = match (listed.peek(), known.peek()) {
                (None, None) => return Ok(folders),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(here), Some(there)) => here.name.cmp(&there.name),
            };
            let here = if order.is_le() { listed.next() } else { None };
            let there = if order.is_ge() { known.next() } else { None };
            let (name, sight) = match (here, there) {
                (Some(here), there) => (&here.name, self.see(place, &here.name, there.map(|there| &there.known))),
                (None, Some(there)) => (&there.name, self.see_unlisted(place, &there.name, &there.known, &listing)),
                (None, None) => continue,
            };
            match sight {
                Sight::Folder(folder) => folders.push(folder),
                Sight::Hidden(error) if is_first && error.is_permission() => return Err(Unsearchable),
                Sight::Hidden(_) => self.trouble_at(place, name),
                Sight::Nothing | Sight::Left(..) | Sight::Thing(_) => {}
            }
            is_first = false;
        }
    }

    /// What is known directly in a covered folder.
    pub(super) fn known_in(&self, place: &Place) -> &'a [KnownChild] {
        self.ground.index.folder(&place.path).map_or(&[], |folder| &folder.children)
    }

    pub(super) fn trouble_at(&mut self, place: &Place, name: &[u8]) {
        let path = place.path.child(name).unwrap_or_else(|_| place.path.clone());
        self.found.trouble(path, Reason::Unreadable);
    }

    /// Whether a folder says of itself that it is generated. One that is known as covered does not become derived by a
    /// marker that somebody puts into it.
    fn is_generated(&self, folder: &Folder<'a>, dir: &Dir, holds: impl Fn(&[u8]) -> bool) -> bool {
        let is_held = folder.before.is_some_and(is_covered_folder)
            && self.ground.index.folder(&folder.path).is_some_and(|known| !known.children.is_empty());
        folder.reach == Reach::Ordinary && !is_held && derived::is_generated(dir, holds)
    }

    /// Opens a folder; if it does not open, that is noted.
    fn open(&mut self, folder: &Folder<'a>) -> Option<Dir> {
        if folder.above.depth >= limits::FOLDER_DEPTH_MAX {
            self.note_unreadable(folder);
            return None;
        }
        self.found.counts.folders += 1;
        let opened = folder.above.dir.open_child(folder.path.name()?);
        opened.map_err(|error| self.note_closed(folder, &error)).ok()
    }

    pub(super) fn note_closed(&mut self, folder: &Folder<'a>, error: &DiskError) {
        if error.is_not_found() {
            self.note_gone(|| folder.path.clone(), folder.before);
        } else if error.is_permission() {
            self.note_unreadable(folder);
        } else {
            let reason = if error.leads_astray() { Reason::Unsettled } else { Reason::Unreadable };
            self.found.trouble(folder.path.clone(), reason);
        }
    }

    /// A folder that may not be read. What was known below the same folder is still taken to be there.
    pub(super) fn note_unreadable(&mut self, folder: &Folder<'a>) {
        self.found.trouble(folder.path.clone(), Reason::Unreadable);
        let is_known =
            |known: &&model::Known| is_covered_folder(known) && known.stamp.is_same_thing(&folder.stat.stamp);
        match folder.before.filter(is_known) {
            Some(_) => self.note_folder(folder),
            None => self.note_left_out(folder.path.clone(), folder.before, &folder.stat, Reason::Unreadable),
        }
    }
}

impl Folder<'_> {
    fn place(&self, dir: Dir) -> Arc<Place> {
        Arc::new(Place { path: self.path.clone(), dir, depth: self.above.depth + 1, reach: self.reach })
    }
}
