//! What the system tells, on real folders.

use std::fs;
use std::path::Path;

use super::*;

fn heard(watch: &FolderWatch) -> Vec<Noticed> {
    let mut all = Vec::new();
    assert_eq!(watch.drain(10_000, &mut |noticed| all.push(noticed)).ok(), Some(Drained::Empty));
    all
}

fn watched(folder: &Path) -> (FolderWatch, WatchId) {
    let watch = FolderWatch::begin().expect("inotify");
    let id = Dir::open(folder).and_then(|dir| watch.watch(&dir)).expect("a folder that can be watched");
    (watch, id)
}

#[test]
fn a_change_is_heard_as_soon_as_its_call_has_come_back() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("old"), "1").unwrap();
    let (watch, id) = watched(folder.path());
    assert_eq!(heard(&watch), []);
    for round in 0..200 {
        fs::write(folder.path().join("old"), format!("{round}")).unwrap();
        assert!(heard(&watch).contains(&Noticed::Content { watch: id }), "round {round}");
    }
    fs::create_dir(folder.path().join("new")).unwrap();
    let name = |name: &str, is_folder| Noticed::Name { watch: id, name: name.as_bytes().into(), is_folder };
    assert_eq!(heard(&watch), [name("new", true)]);
    fs::rename(folder.path().join("old"), folder.path().join("older")).unwrap();
    assert_eq!(heard(&watch), [name("old", false), name("older", false)]);
}

#[test]
fn a_folder_that_goes_says_so_and_its_number_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    let (watch, id) = watched(&inner);
    fs::rename(&inner, folder.path().join("moved")).unwrap();
    assert_eq!(heard(&watch), [Noticed::Itself { watch: id }]);
    fs::remove_dir(folder.path().join("moved")).unwrap();
    assert!(heard(&watch).iter().all(|noticed| *noticed == Noticed::Itself { watch: id }));
    fs::create_dir(&inner).unwrap();
    assert_ne!(watch.watch(&Dir::open(&inner).unwrap()).unwrap(), id);
}

#[test]
fn one_folder_has_one_number_by_whatever_path() {
    let folder = tempfile::tempdir().unwrap();
    let (watch, id) = watched(folder.path());
    std::os::unix::fs::symlink(".", folder.path().join("self")).unwrap();
    assert_eq!(watch.watch(&Dir::open(&folder.path().join("self")).unwrap()).unwrap(), id);
}

#[test]
fn more_than_is_to_be_heard_at_once_is_said_not_to_be_all() {
    let folder = tempfile::tempdir().unwrap();
    let (watch, _) = watched(folder.path());
    for number in 0..20 {
        fs::create_dir(folder.path().join(format!("{number}"))).unwrap();
    }
    let mut count = 0;
    let drained = watch.drain(3, &mut |_| count += 1).unwrap();
    assert_eq!(drained, Drained::NotEmpty);
    assert_eq!(count, 20, "what was taken out of the queue is handed out");
}

#[test]
fn a_watched_folder_is_not_held_open() {
    let folder = tempfile::tempdir().unwrap();
    let (_watch, _) = watched(folder.path());
    let held = fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
    assert!(!held.into_iter().any(|open| open.starts_with(folder.path())));
}
