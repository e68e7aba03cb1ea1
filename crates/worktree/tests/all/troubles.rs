//! What goes wrong at one path is named, and all others are captured.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use disk::{Intake, IntakeError};
use model::{ContentHash, Entry, EntryKind, Mode, Reason, Stamp, limits};
use worktree::{CaptureError, Captured, Root, RootError, capture};

use crate::world::{Memory, WHOLE, World, after, as_plain_user, file, paths, troubles};

fn uncovered(kind: EntryKind, reason: Reason) -> Entry {
    Entry::Uncovered { kind, reason }
}

fn trouble(path: &str, reason: Reason) -> Vec<(String, Reason)> {
    vec![(path.to_owned(), reason)]
}

/// A store during whose work somebody changes the workspace.
struct Meddler<F> {
    memory: Memory,
    meddle: F,
}

impl<F: Fn() + Send + Sync> Intake for Meddler<F> {
    fn holds(&self, hash: &ContentHash) -> bool {
        (self.meddle)();
        self.memory.holds(hash)
    }

    fn put_bytes(&self, hash: &ContentHash, bytes: &[u8]) -> Result<(), IntakeError> {
        self.memory.put_bytes(hash, bytes)
    }

    fn put_stream(&self, hash: &ContentHash, size_bytes: u64, reader: &mut dyn Read) -> Result<(), IntakeError> {
        self.memory.put_stream(hash, size_bytes, reader)
    }
}

fn capture_while(world: &mut World, meddle: impl Fn() + Send + Sync) -> Captured {
    let intake = Meddler { memory: Memory::default(), meddle };
    let captured = capture(&world.root(), &world.index, &world.rules, &intake, &WHOLE).unwrap();
    captured.apply_to(&mut world.index);
    captured
}

/// Somebody who appends to a file whenever asked.
fn writer(path: PathBuf) -> impl Fn() + Send + Sync {
    move || {
        let mut file = fs::File::options().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, b"more").unwrap();
    }
}

const BIG: usize = 1_200_000;

#[test]
fn a_new_file_that_never_stands_still_is_unsettled_and_looked_at_again() {
    let mut world = World::with(&["quiet"]);
    world.put("log", vec![b'x'; BIG]);
    let writer = writer(world.at("log"));
    let captured = capture_while(&mut world, writer);
    assert_eq!(after(&captured, "log"), uncovered(EntryKind::File, Reason::Unsettled));
    assert_eq!(after(&captured, "quiet"), file("quiet", 0o644));
    assert_eq!(troubles(&captured), trouble("log", Reason::Unsettled));
    let later = world.capture();
    assert_eq!((paths(&later), troubles(&later)), (vec!["log".to_owned()], vec![]));
}

#[test]
fn a_known_file_that_never_stands_still_keeps_its_entry_until_the_next_look() {
    let mut world = World::new();
    world.put("log", vec![b'x'; BIG]);
    world.settle();
    let before = world.entry("log");
    fs::write(world.at("log"), vec![b'y'; BIG]).unwrap();
    let writer = writer(world.at("log"));
    let captured = capture_while(&mut world, writer);
    assert_eq!((paths(&captured), troubles(&captured)), (vec![], trouble("log", Reason::Unsettled)));
    assert_eq!((world.entry("log"), world.known("log").unwrap().stamp.looked_ns), (before, 0));
    assert_eq!(paths(&world.capture()), ["log"]);
}

#[test]
fn a_file_that_vanishes_while_others_are_read_is_absent() {
    let mut world = World::with(&["a", "b", "c"]);
    world.settle();
    world.put("a", "new a");
    world.put("b", "new b");
    world.put("d", "new d");
    let doomed = [world.at("b"), world.at("d")];
    let captured = capture_while(&mut world, || doomed.iter().for_each(|path| drop(fs::remove_file(path))));
    assert_eq!(paths(&captured), ["a", "b"]);
    assert_eq!(after(&captured, "b"), Entry::Absent);
    assert_eq!(world.known_paths(), ["a", "c"]);
}

#[test]
fn a_full_store_leaves_new_content_uncovered_and_the_next_capture_takes_it() {
    let mut world = World::with(&["a", "d/held"]);
    world.settle();
    world.memory.is_full = true;
    world.put("a", "new");
    world.put("copy", "d/held");
    let captured = world.capture();
    assert_eq!(after(&captured, "a"), uncovered(EntryKind::File, Reason::NotCapturedYet));
    assert_eq!(world.known("a").unwrap().stamp, Stamp::UNKNOWN);
    assert_eq!(after(&captured, "copy"), file("d/held", 0o644), "what the store holds needs no space");
    assert_eq!(troubles(&captured), trouble("a", Reason::NotCapturedYet));
    assert_eq!(paths(&world.capture()), Vec::<String>::new());
    world.memory.is_full = false;
    assert_eq!(after(&world.capture(), "a"), file("new", 0o644));
}

#[test]
fn content_that_a_full_store_has_lost_stays_known() {
    let mut world = World::with(&["a"]);
    world.capture();
    world.memory = Memory::default();
    world.memory.is_full = true;
    let captured = world.capture();
    assert_eq!((paths(&captured), troubles(&captured)), (vec![], trouble("a", Reason::NotCapturedYet)));
    assert_eq!(world.entry("a"), file("a", 0o644));
}

#[test]
fn a_root_that_is_gone_or_no_folder_is_an_error() {
    let world = World::with(&["a"]);
    let root: Root = world.root();
    let attempt = || capture(&root, &world.index, &world.rules, &world.memory, &WHOLE);
    fs::rename(world.at(""), world.at("").with_file_name("away")).unwrap();
    assert!(matches!(attempt(), Err(CaptureError::Root(RootError::Missing { .. }))));
    fs::write(world.at(""), "a file").unwrap();
    assert!(matches!(attempt(), Err(CaptureError::Root(RootError::NotAFolder { .. }))));
}

#[test]
fn folders_deeper_than_the_limit_are_named() {
    let mut world = World::new();
    let deepest = vec!["d"; limits::FOLDER_DEPTH_MAX + 1].join("/");
    world.put(format!("{deepest}/x"), "x");
    let captured = world.capture();
    assert_eq!(troubles(&captured), trouble(&deepest, Reason::Unreadable));
    assert_eq!(after(&captured, &deepest), uncovered(EntryKind::Dir, Reason::Unreadable));
    assert_eq!(captured.differences.len(), limits::FOLDER_DEPTH_MAX + 1);
}

#[test]
fn a_path_longer_than_one_call_takes_is_captured() {
    let mut world = World::new();
    let mut here = world.at("");
    let mut deep = String::new();
    for _ in 0..30 {
        let name = "n".repeat(200);
        deep = if deep.is_empty() { name.clone() } else { format!("{deep}/{name}") };
        here = here.join(name);
        let made = std::process::Command::new("mkdir").arg("-p").arg(&here).status();
        if !made.is_ok_and(|status| status.success()) {
            make_deep(&world, &deep);
        }
    }
    make_deep_file(&world, &deep);
    let captured = world.capture();
    assert_eq!(troubles(&captured), []);
    assert_eq!(captured.differences.len(), 31);
    assert_eq!(world.stored(&format!("{deep}/f")).unwrap(), b"deep");
}

/// Makes a folder whose path is too long for one call, name by name.
fn make_deep(world: &World, path: &str) {
    let dir = path.split('/').fold(world.root().dir().try_clone().unwrap(), |dir, name| {
        if dir.stat(name.as_bytes()).unwrap().is_none() {
            dir.make_dir(name.as_bytes(), Mode::FOLDER).unwrap();
        }
        dir.open_child(name.as_bytes()).unwrap()
    });
    drop(dir);
}

fn make_deep_file(world: &World, folder: &str) {
    let start = world.root().dir().try_clone().unwrap();
    let dir = folder.split('/').fold(start, |dir, name| dir.open_child(name.as_bytes()).unwrap());
    let mut file = dir.create_file(b"f", Mode::new(0o644)).unwrap();
    std::io::Write::write_all(&mut file, b"deep").unwrap();
    file.finish().unwrap();
}

#[test]
fn a_file_that_may_not_be_read_any_more_only_changed_its_mode() {
    as_plain_user("troubles::a_file_that_may_not_be_read_any_more_only_changed_its_mode", || {
        let mut world = World::with(&["key", "d/x"]);
        world.settle();
        world.chmod("key", 0);
        let captured = world.capture();
        assert_eq!((after(&captured, "key"), troubles(&captured)), (file("key", 0), vec![]));
        world.rename("key", "d/key");
        assert_eq!(after(&world.capture(), "d/key"), file("key", 0));
    });
}

#[test]
fn a_file_whose_content_nobody_can_know_is_unreadable_and_named_each_time() {
    as_plain_user("troubles::a_file_whose_content_nobody_can_know_is_unreadable_and_named_each_time", || {
        let mut world = World::with(&["a", "new"]);
        world.chmod("new", 0);
        let captured = world.capture();
        assert_eq!(after(&captured, "new"), uncovered(EntryKind::File, Reason::Unreadable));
        assert_eq!(after(&captured, "a"), file("a", 0o644));
        let again = world.capture();
        assert_eq!((paths(&again), troubles(&again)), (vec![], trouble("new", Reason::Unreadable)));
        world.chmod("new", 0o600);
        assert_eq!(after(&world.capture(), "new"), file("new", 0o600));
    });
}

#[test]
fn what_lies_in_a_folder_that_was_closed_is_not_taken_for_gone() {
    as_plain_user("troubles::what_lies_in_a_folder_that_was_closed_is_not_taken_for_gone", || {
        for mode in [0o000, 0o444, 0o111] {
            let mut world = World::with(&["d/a", "d/sub/b", "z"]);
            world.settle();
            world.chmod("d", mode);
            let captured = world.capture();
            assert_eq!(
                (paths(&captured), troubles(&captured)),
                (vec!["d".to_owned()], trouble("d", Reason::Unreadable))
            );
            assert_eq!(after(&captured, "d"), Entry::Dir { mode: Mode::new(mode) });
            assert_eq!(world.known_paths(), ["d", "d/a", "d/sub", "d/sub/b", "z"]);
            world.chmod("d", 0o755);
            assert_eq!(paths(&world.capture()), ["d"]);
        }
    });
}

#[test]
fn a_new_folder_that_is_closed_is_unreadable() {
    as_plain_user("troubles::a_new_folder_that_is_closed_is_unreadable", || {
        for mode in [0o000, 0o444] {
            let mut world = World::with(&["d/a", "z"]);
            world.chmod("d", mode);
            let captured = world.capture();
            assert_eq!(after(&captured, "d"), uncovered(EntryKind::Dir, Reason::Unreadable));
            assert_eq!(troubles(&captured), trouble("d", Reason::Unreadable));
            assert_eq!(paths(&world.capture()), Vec::<String>::new());
            world.chmod("d", 0o755);
            assert_eq!(paths(&world.capture()), ["d", "d/a"]);
        }
    });
}

#[test]
fn another_folder_that_is_closed_hides_what_was_known_there() {
    as_plain_user("troubles::another_folder_that_is_closed_hides_what_was_known_there", || {
        let mut world = World::with(&["d/a"]);
        world.settle();
        world.rename("d", "e");
        world.dir("d");
        world.chmod("d", 0);
        let captured = world.capture();
        assert_eq!(after(&captured, "d/a"), uncovered(EntryKind::File, Reason::Unreadable));
        assert_eq!(world.known_paths(), ["d", "e", "e/a"]);
        world.chmod("d", 0o755);
    });
}
