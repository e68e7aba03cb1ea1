//! Single looks, and where an edit lands.

use std::path::{Path, PathBuf};

use model::{Entry, EntryKind, Index, Mode, Reason, SpecialKind, Stamp};
use worktree::{is_case_insensitive, list, look, look_closely, missing_parents, needs_lift, resolve};

use crate::world::{World, as_plain_user, file, wp};

fn kind(world: &World, path: &str) -> Option<EntryKind> {
    look(&world.root(), &wp(path)).unwrap().map(|seen| seen.kind)
}

fn closely(world: &World, path: &str) -> Entry {
    look_closely(&world.root(), &wp(path), &world.rules, &Index::default()).unwrap().entry
}

/// The paths an edit may change, and where it lands outside.
fn claim(world: &World, path: impl AsRef<Path>) -> (Vec<String>, Option<PathBuf>) {
    let claim = resolve(&world.root(), path.as_ref()).unwrap();
    (claim.paths.iter().map(ToString::to_string).collect(), claim.outside)
}

fn inside(paths: &[&str]) -> (Vec<String>, Option<PathBuf>) {
    (paths.iter().map(|&path| path.to_owned()).collect(), None)
}

#[test]
fn a_look_tells_what_is_there_and_follows_nothing() {
    let world = World::with(&["d/a"]);
    world.link("l", "d");
    assert_eq!(kind(&world, "d/a"), Some(EntryKind::File));
    assert_eq!(kind(&world, "l"), Some(EntryKind::Link));
    assert_eq!(kind(&world, ""), Some(EntryKind::Dir));
    assert_eq!((kind(&world, "l/a"), kind(&world, "d/a/b"), kind(&world, "no/where")), (None, None, None));
}

#[test]
fn a_close_look_reads_and_stores_nothing() {
    let world = World::with(&["d/a", "d/b"]);
    world.chmod("d/a", 0o600);
    world.link("l", "d/a");
    assert_eq!(closely(&world, "d/a"), file("d/a", 0o600));
    assert_eq!(closely(&world, "d"), Entry::Dir { mode: Mode::FOLDER });
    assert_eq!(closely(&world, ""), Entry::Dir { mode: Mode::FOLDER });
    assert_eq!(closely(&world, "l"), Entry::Link { target: b"d/a".to_vec() });
    assert_eq!((closely(&world, "none"), closely(&world, "l/x")), (Entry::Absent, Entry::Absent));
    assert!(world.memory.bytes(&crate::world::hash_of(b"d/a")).is_none());
}

#[test]
fn a_close_look_knows_the_rules() {
    let mut world = World::with(&["node_modules/x", ".git/config", "big"]);
    world.rules.file_size_bytes_max = 2;
    let _socket = std::os::unix::net::UnixListener::bind(world.at("sock")).unwrap();
    assert_eq!(closely(&world, "sock"), Entry::Special { kind: SpecialKind::Socket });
    assert_eq!(closely(&world, "big"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::TooLarge });
    assert_eq!(closely(&world, "node_modules/x"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::Derived });
    assert_eq!(closely(&world, ".git"), Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Protected });
    assert_eq!(closely(&world, "node_modules/none"), Entry::Absent);
}

#[test]
fn a_close_look_trusts_a_stamp_that_proves_that_nothing_changed() {
    let mut world = World::with(&["a", "b"]);
    world.settle();
    world.put("b", "new");
    let look = |path: &str| look_closely(&world.root(), &wp(path), &world.rules, &world.index).unwrap();
    assert_eq!(&look("a"), world.known("a").unwrap());
    assert_eq!(look("b").entry, file("new", 0o644));
    assert_eq!(look("none").stamp, Stamp::UNKNOWN);
}

#[test]
fn an_edit_lands_where_its_links_lead() {
    let world = World::with(&["shared/conf.txt", "real/r"]);
    world.link("conf.txt", "shared/conf.txt");
    world.link("one", "real/r");
    world.link("two", "one");
    world.link("folder", "shared");
    assert_eq!(claim(&world, "real/r"), inside(&["real/r"]));
    assert_eq!(claim(&world, "conf.txt"), inside(&["conf.txt", "shared/conf.txt"]));
    assert_eq!(claim(&world, "two"), inside(&["two", "one", "real/r"]));
    assert_eq!(claim(&world, "folder/new/file"), inside(&["folder", "shared/new/file"]));
    assert_eq!(claim(&world, world.at("real/../one")), inside(&["one", "real/r"]));
}

#[test]
fn an_edit_through_a_dangling_link_lands_where_nothing_is_yet() {
    let world = World::with(&["made/x"]);
    world.link("dangling", "made/t.txt");
    world.link("nowhere", "no/such/folder/t");
    assert_eq!(claim(&world, "dangling"), inside(&["dangling", "made/t.txt"]));
    assert_eq!(claim(&world, "nowhere"), inside(&["nowhere", "no/such/folder/t"]));
}

#[test]
fn an_edit_that_leaves_the_workspace_is_told_where_it_lands() {
    let world = World::with(&["a"]);
    let outside = world.at("").with_file_name("outside");
    std::fs::create_dir(&outside).unwrap();
    world.link("out", "../outside/conf");
    std::os::unix::fs::symlink(world.at("a"), outside.join("back")).unwrap();
    assert_eq!(claim(&world, "out"), (vec!["out".to_owned()], Some(outside.join("conf"))));
    assert_eq!(claim(&world, "../outside/x"), (vec![], Some(outside.join("x"))));
    assert_eq!(claim(&world, outside.join("back")), inside(&["a"]));
}

#[test]
fn a_circle_of_links_lands_nowhere() {
    let world = World::new();
    world.link("a", "b");
    world.link("b", "a");
    assert_eq!(claim(&world, "a"), inside(&["a", "b"]));
}

#[test]
fn missing_parents_come_from_the_top() {
    let world = World::with(&["d/x"]);
    assert_eq!(missing_parents(&world.root(), &wp("d/e/f/g")).unwrap(), [wp("d/e"), wp("d/e/f")]);
    assert_eq!(missing_parents(&world.root(), &wp("d/y")).unwrap(), []);
    assert_eq!(missing_parents(&world.root(), &wp("d/x/y/z")).unwrap(), [wp("d/x/y")]);
}

#[test]
fn a_listing_is_sorted_and_goes_behind_no_link() {
    let world = World::with(&["d/b", "d/a"]);
    world.link("l", "d");
    assert_eq!(list(&world.root(), &wp("d")).unwrap(), [wp("d/a"), wp("d/b")]);
    assert_eq!(list(&world.root(), &wp("l")).unwrap(), []);
}

#[test]
fn a_folder_without_write_permission_needs_a_lift() {
    as_plain_user("observe::a_folder_without_write_permission_needs_a_lift", || {
        let world = World::with(&["ro/x", "shut/x", "rw/x"]);
        world.chmod("ro", 0o555);
        world.chmod("shut", 0o000);
        let lift = |path| needs_lift(&world.root(), &wp(path)).unwrap();
        assert_eq!(lift("ro"), Some(Mode::new(0o555)));
        assert_eq!(lift("shut"), Some(Mode::new(0)));
        assert_eq!((lift("rw"), lift("none"), lift("rw/x")), (None, None, None));
        world.chmod("ro", 0o755);
        world.chmod("shut", 0o755);
    });
}

#[test]
fn the_case_rule_of_a_folder_is_that_of_its_file_system() {
    let world = World::with(&["d/Name", "12/3"]);
    let is_the_same = world.at("d/nAME").exists();
    assert_eq!(is_case_insensitive(&world.root(), &wp("d")).unwrap(), is_the_same);
    assert!(!is_case_insensitive(&world.root(), &wp("12")).unwrap());
}
