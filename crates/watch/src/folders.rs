//! [`Folders`]: which folder of a workspace has which watch, and which have none. Makes no call.

use std::collections::{BTreeMap, HashMap};

use disk::WatchId;
use model::WorkspacePath;

/// The folders of one workspace as they are watched.
#[derive(Debug, Default)]
pub(crate) struct Folders {
    by_path: BTreeMap<WorkspacePath, Option<WatchId>>,
    by_watch: HashMap<WatchId, WorkspacePath>,
}

/// A watch that is already that of another path: two paths lead to one folder, or one of them is out of date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Taken;

impl Folders {
    /// Notes that a folder is watched.
    pub(crate) fn add_watched(&mut self, path: WorkspacePath, watch: WatchId) -> Result<(), Taken> {
        if self.by_watch.contains_key(&watch) {
            return Err(Taken);
        }
        self.by_watch.insert(watch, path.clone());
        self.by_path.insert(path, Some(watch));
        Ok(())
    }

    /// Notes that a folder is there and not watched.
    pub(crate) fn add_blind(&mut self, path: WorkspacePath) {
        self.by_path.insert(path, None);
    }

    /// The folder that has this watch.
    pub(crate) fn of(&self, watch: WatchId) -> Option<&WorkspacePath> {
        self.by_watch.get(&watch)
    }

    /// Whether anything is noted of this path.
    pub(crate) fn holds(&self, path: &WorkspacePath) -> bool {
        self.by_path.contains_key(path)
    }

    /// Whether this folder is watched.
    pub(crate) fn is_watched(&self, path: &WorkspacePath) -> bool {
        matches!(self.by_path.get(path), Some(Some(_)))
    }

    /// Forgets a path and everything below it; gives the watches that they had.
    pub(crate) fn remove_below(&mut self, top: &WorkspacePath) -> Vec<WatchId> {
        let below: Vec<WorkspacePath> = self
            .by_path
            .range(top.clone()..)
            .map(|(path, _)| path)
            .take_while(|path| path.is_at_or_below(top))
            .cloned()
            .collect();
        let watches: Vec<WatchId> = below.iter().filter_map(|path| self.by_path.remove(path).flatten()).collect();
        watches.iter().for_each(|watch| drop(self.by_watch.remove(watch)));
        watches
    }

    /// How many folders are watched.
    pub(crate) fn watched(&self) -> usize {
        self.by_watch.len()
    }

    /// The folders that are not watched, sorted.
    pub(crate) fn blind(&self) -> impl Iterator<Item = &WorkspacePath> {
        self.by_path.iter().filter(|(_, watch)| watch.is_none()).map(|(path, _)| path)
    }
}

#[cfg(test)]
mod tests {
    use disk::{Dir, FolderWatch};

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a path")
    }

    fn watches(count: usize) -> (tempfile::TempDir, Vec<WatchId>) {
        let temp = tempfile::tempdir().expect("a folder");
        let watch = FolderWatch::begin().expect("a queue");
        let ids = (0..count).map(|number| {
            let folder = temp.path().join(number.to_string());
            std::fs::create_dir(&folder).expect("a folder");
            Dir::open(&folder).and_then(|dir| watch.watch(&dir)).expect("a watch")
        });
        let ids = ids.collect();
        (temp, ids)
    }

    #[test]
    fn a_folder_goes_with_everything_below_it_and_with_nothing_beside_it() {
        let (_temp, ids) = watches(4);
        let mut folders = Folders::default();
        for (name, id) in ["a", "a.b", "a/x", "a/x/y"].into_iter().zip(&ids) {
            folders.add_watched(path(name), *id).unwrap();
        }
        folders.add_blind(path("a/blind"));
        folders.add_blind(path("b"));
        assert_eq!(folders.remove_below(&path("a")), [ids[0], ids[2], ids[3]]);
        assert_eq!(folders.of(ids[1]), Some(&path("a.b")));
        assert_eq!((folders.of(ids[0]), folders.watched()), (None, 1));
        assert_eq!(folders.blind().collect::<Vec<_>>(), [&path("b")]);
    }

    #[test]
    fn one_watch_is_not_given_to_two_paths() {
        let (_temp, ids) = watches(1);
        let mut folders = Folders::default();
        folders.add_watched(path("a"), ids[0]).unwrap();
        assert_eq!(folders.add_watched(path("b"), ids[0]), Err(Taken));
        assert_eq!(folders.of(ids[0]), Some(&path("a")));
    }
}
