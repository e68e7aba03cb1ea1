//! Looking at what is suspected instead of everything: folder by folder from the root, into those alone that hold something
//! in doubt. What is found to be new is walked whole.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use model::{Entry, EntryKind, Index, Known, KnownFolder, Stamp, WorkspacePath};

use super::enter::Unsearchable;
use super::found::{Found, Now, is_covered_folder};
use super::scanner::{Scanner, Sight};
use super::{Folder, Ground, Place, WalkError, walk};
use crate::rules::derived::{self, Generated};

/// What may have changed; everything else is taken to be as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Suspects {
    /// Folders of which every name is looked at.
    pub folders: BTreeSet<WorkspacePath>,
    /// Paths that are looked at with everything below them.
    pub below: BTreeSet<WorkspacePath>,
    /// Paths that are looked at. Of a folder that is known only the folder itself is.
    pub paths: BTreeSet<WorkspacePath>,
}

impl Suspects {
    /// Adds what can change without anything being heard of it in its folder: files with several names, whatever is left
    /// out or waits for another look, and folders that an ignore file somewhere may put in or out.
    ///
    /// Cost: one pass over the index, two if files with several names are known.
    pub fn add_silent(&mut self, index: &Index) {
        let all = index.folders().flat_map(|(_, known)| &known.children).map(|child| &child.known);
        let shared = all.filter(|known| is_shared_file(known)).map(|known| thing(&known.stamp)).collect();
        self.paths.extend(names_of(index, &shared));
        for (folder, known) in index.folders() {
            let silent = known.children.iter().filter(|child| {
                let (entry, stamp) = (&child.known.entry, &child.known.stamp);
                match entry {
                    Entry::Uncovered { .. } => true,
                    Entry::Dir { .. } => derived::by_name(&child.name) == Generated::WhenIgnored,
                    Entry::Absent | Entry::File { .. } | Entry::Link { .. } | Entry::Special { .. } => {
                        stamp.looked_ns == 0
                    }
                }
            });
            self.paths.extend(silent.filter_map(|child| folder.child(&child.name).ok()));
        }
    }

    /// Whether a look at the suspects sees this path, provided that everything above it is as it is known.
    pub fn holds(&self, path: &WorkspacePath) -> bool {
        self.paths.contains(path)
            || path.parent().is_some_and(|parent| self.folders.contains(&parent))
            || self.below.contains(path)
            || path.ancestors().any(|above| self.below.contains(&above))
    }
}

/// What is to be done at one path and below it.
#[derive(Default)]
struct Errand {
    names: BTreeMap<Vec<u8>, Errand>,
    looks_through: bool,
    walks_whole: bool,
}

impl Errand {
    fn of(suspects: &Suspects) -> Self {
        let mut all = Self::default();
        suspects.folders.iter().for_each(|path| all.at(path).looks_through = true);
        suspects.below.iter().for_each(|path| all.at(path).walks_whole = true);
        suspects.paths.iter().for_each(|path| _ = all.at(path));
        all
    }

    fn at(&mut self, path: &WorkspacePath) -> &mut Self {
        path.components().fold(self, |errand, name| errand.names.entry(name.to_vec()).or_default())
    }
}

/// Looks at all suspects, and walks whatever is new among them.
pub(super) fn look_at<'a>(ground: &Ground<'a>, suspects: &Suspects) -> Result<Found<'a>, WalkError> {
    let errand = Errand::of(suspects);
    if errand.walks_whole {
        return ground.walk_whole();
    }
    let root = ground.root_place()?;
    let mut search = Search { scanner: Scanner::new(ground), to_walk: Vec::new() };
    search.scanner.found.counts.folders += 1;
    match search.visit(&root, &errand) {
        Ok(()) => {}
        Err(Closed::Unsearchable) => {
            search.scanner.found.trouble(WorkspacePath::root(), model::Reason::Unreadable);
        }
        Err(Closed::Disk(error)) => return Err(error.into()),
    }
    let mut found = search.finish();
    found.join(look_at_other_names(ground, &root, &found));
    ground.finish(found)
}

/// A file may have got a second name just now, and have been written by it: nothing was heard where the first one is.
fn look_at_other_names<'a>(ground: &Ground<'a>, root: &Arc<Place>, found: &Found<'a>) -> Found<'a> {
    let seen = found.sightings.iter().filter_map(|sighting| match &sighting.now {
        Now::Holds(known) => Some(known.stamp).filter(|_| is_shared_file(known)),
        Now::Unread(stat) => Some(stat.stamp).filter(|stamp| stamp.links > 1),
        Now::Gone => None,
    });
    let paths = names_of(ground.index, &seen.map(|stamp| thing(&stamp)).collect()).into_iter().collect();
    let errand = Errand::of(&Suspects { paths, ..Suspects::default() });
    let mut search = Search { scanner: Scanner::new(ground), to_walk: Vec::new() };
    // Without a listing nothing can be closed here: what is wrong with a path is noted at the path.
    _ = search.visit(root, &errand);
    search.finish()
}

/// Every known path of these things.
fn names_of(index: &Index, things: &HashSet<(u64, u64)>) -> Vec<WorkspacePath> {
    if things.is_empty() {
        return Vec::new();
    }
    let of_folder = |(folder, known): (&WorkspacePath, &KnownFolder)| {
        let names = known.children.iter().filter(|child| things.contains(&thing(&child.known.stamp)));
        names.filter_map(|child| folder.child(&child.name).ok()).collect::<Vec<_>>()
    };
    index.folders().flat_map(of_folder).collect()
}

fn is_shared_file(known: &Known) -> bool {
    known.stamp.links > 1 && known.entry.kind() != EntryKind::Dir
}

fn thing(stamp: &Stamp) -> (u64, u64) {
    (stamp.device, stamp.inode)
}

struct Search<'g, 'a> {
    scanner: Scanner<'g, 'a>,
    /// Folders of which nothing was known.
    to_walk: Vec<Folder<'a>>,
}

/// Why a folder could not be looked through.
enum Closed {
    Unsearchable,
    Disk(disk::DiskError),
}

impl<'a> Search<'_, 'a> {
    /// Does the errands in one covered folder.
    fn visit(&mut self, place: &Arc<Place>, errand: &Errand) -> Result<(), Closed> {
        if errand.looks_through {
            let listing = place.dir.list().map_err(Closed::Disk)?;
            let known = self.scanner.known_in(place);
            let folders =
                self.scanner.look_through(place, listing, known).map_err(|Unsearchable| Closed::Unsearchable)?;
            folders.into_iter().for_each(|folder| self.go_into(folder, errand));
            return Ok(());
        }
        let known = self.scanner.ground.index.folder(&place.path);
        for name in errand.names.keys() {
            let before = known.and_then(|known| known.get(name));
            self.scanner.found.counts.entries += 1;
            match self.scanner.see(place, name, before) {
                Sight::Folder(folder) => self.go_into(folder, errand),
                Sight::Hidden(_) => self.scanner.trouble_at(place, name),
                Sight::Nothing | Sight::Left(..) | Sight::Thing(_) => {}
            }
        }
        Ok(())
    }

    /// Walks what is new, and gives everything that was found.
    fn finish(self) -> Found<'a> {
        walk::go_on(self.scanner.ground, self.to_walk, self.scanner.found)
    }

    /// Does what is to be done in a folder that was seen. One that was not known as covered is walked whole.
    fn go_into(&mut self, folder: Folder<'a>, above: &Errand) {
        let errand = folder.path.name().and_then(|name| above.names.get(name));
        let is_known = folder
            .before
            .is_some_and(|known| is_covered_folder(known) && known.stamp.is_same_thing(&folder.stat.stamp));
        if !is_known || errand.is_some_and(|errand| errand.walks_whole) {
            self.to_walk.push(folder);
            return;
        }
        match errand.filter(|errand| errand.looks_through || !errand.names.is_empty()) {
            None => self.scanner.note_folder(&folder),
            Some(errand) => self.search_in(&folder, errand),
        }
    }

    fn search_in(&mut self, folder: &Folder<'a>, errand: &Errand) {
        let Ok(place) = self.scanner.pass_through(folder) else { return };
        match self.visit(&place, errand) {
            Ok(()) => {}
            Err(Closed::Unsearchable) => self.scanner.note_unreadable(folder),
            Err(Closed::Disk(error)) => self.scanner.note_closed(folder, &error),
        }
    }
}
