//! What a capture says of ordinary changes.

use std::fs;

use model::{Entry, Known, Mode, SpecialKind};

use crate::world::{World, after, difference, file, paths, wp};

#[test]
fn the_first_capture_names_everything_and_stores_every_byte() {
    let mut world = World::with(&["a.txt", "src/deep/b.rs"]);
    world.put("empty", "");
    world.dir("hollow");
    world.link("to-a", "a.txt");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["a.txt", "empty", "hollow", "src", "src/deep", "src/deep/b.rs", "to-a"]);
    assert_eq!(after(&captured, "a.txt"), file("a.txt", 0o644));
    assert_eq!(after(&captured, "to-a"), Entry::Link { target: b"a.txt".to_vec() });
    assert_eq!(after(&captured, "hollow"), Entry::Dir { mode: Mode::new(0o755) });
    assert_eq!(world.stored("src/deep/b.rs").unwrap(), b"src/deep/b.rs");
    assert_eq!(world.stored("empty").unwrap(), b"");
    assert!(captured.differences.iter().all(|difference| difference.before.is_none()));
}

#[test]
fn capturing_twice_finds_nothing_the_second_time() {
    let mut world = World::with(&["a", "d/b"]);
    world.link("l", "nowhere");
    world.capture();
    let again = world.capture();
    assert_eq!(paths(&again), Vec::<String>::new());
    assert_eq!(again.troubles, []);
}

#[test]
fn a_rewritten_file_differs_and_both_contents_are_kept() {
    let mut world = World::with(&["a"]);
    world.settle();
    world.put("a", "new");
    let captured = world.capture();
    assert_eq!(difference(&captured, "a").before.as_ref().unwrap().entry, file("a", 0o644));
    assert_eq!(after(&captured, "a"), file("new", 0o644));
    assert_eq!(world.stored("a").unwrap(), b"new");
    assert_eq!(world.memory.bytes(&crate::world::hash_of(b"a")).unwrap(), b"a");
}

#[test]
fn a_change_that_keeps_size_and_time_is_seen_by_its_change_time() {
    let mut world = World::with(&["a"]);
    world.settle();
    let modified = fs::metadata(world.at("a")).unwrap().modified().unwrap();
    world.put("a", "b");
    fs::File::options().write(true).open(world.at("a")).unwrap().set_modified(modified).unwrap();
    assert_eq!(after(&world.capture(), "a"), file("b", 0o644));
}

#[test]
fn a_change_right_after_the_look_is_seen_although_the_stamp_stayed() {
    let mut world = World::with(&["a"]);
    world.capture();
    let mut known: Known = world.known("a").unwrap().clone();
    // As if the file had held something else of the same length in the same tick of the clock.
    known.entry = file("b", 0o644);
    world.index.set(&wp("a"), Some(known));
    assert_eq!(after(&world.capture(), "a"), file("a", 0o644));
}

#[test]
fn a_file_in_doubt_that_is_the_same_only_gets_a_new_stamp() {
    let mut world = World::with(&["a"]);
    world.capture();
    let again = world.capture();
    assert_eq!(again.differences, []);
    assert_eq!(again.refreshed.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), [wp("a")]);
}

#[test]
fn a_mode_is_a_difference_of_its_own() {
    let mut world = World::with(&["run.sh", "d/x"]);
    world.settle();
    world.chmod("run.sh", 0o4755);
    world.chmod("d", 0o1777);
    let captured = world.capture();
    assert_eq!(paths(&captured), ["d", "run.sh"]);
    assert_eq!(after(&captured, "run.sh"), file("run.sh", 0o4755));
    assert_eq!(after(&captured, "d"), Entry::Dir { mode: Mode::new(0o1777) });
}

#[test]
fn a_file_written_again_with_the_same_bytes_is_no_difference() {
    let mut world = World::with(&["a"]);
    world.settle();
    world.put("a.new", "a");
    world.rename("a.new", "a");
    let captured = world.capture();
    assert_eq!(captured.differences, []);
    assert_eq!(captured.refreshed.len(), 1);
}

#[test]
fn a_vanished_folder_is_one_difference_for_each_path_in_it() {
    let mut world = World::with(&["d/a", "d/e/b", "d.txt"]);
    world.settle();
    world.remove("d");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["d", "d/a", "d/e", "d/e/b"]);
    assert!(captured.differences.iter().all(|difference| difference.after.is_none()));
    assert_eq!(world.known_paths(), ["d.txt"]);
}

#[test]
fn file_folder_and_link_can_trade_places() {
    let mut world = World::with(&["conf", "lib/x"]);
    world.link("link", "conf");
    world.settle();
    world.remove("conf");
    world.put("conf/a", "a");
    world.remove("lib");
    world.put("lib", "flat");
    world.remove("link");
    world.put("link", "now");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["conf", "conf/a", "lib", "lib/x", "link"]);
    assert_eq!(after(&captured, "conf"), Entry::Dir { mode: Mode::FOLDER });
    assert_eq!(after(&captured, "lib"), file("flat", 0o644));
    assert_eq!(after(&captured, "lib/x"), Entry::Absent);
    assert_eq!(world.known_paths(), ["conf", "conf/a", "lib", "link"]);
}

#[test]
fn a_folder_replaced_by_a_link_loses_its_known_content_and_the_link_is_not_followed() {
    let mut world = World::with(&["d/x", "e/x"]);
    world.settle();
    world.remove("d");
    world.link("d", "e");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["d", "d/x"]);
    assert_eq!(after(&captured, "d"), Entry::Link { target: b"e".to_vec() });
}

#[test]
fn names_beyond_utf8_are_names() {
    let mut world = World::new();
    world.put(b"x\xff.txt", "v");
    world.put("日本/🦀", "v");
    world.put("a\nb", "v");
    world.settle();
    assert_eq!(world.index.get(&wp(b"x\xff.txt")).unwrap().entry, file("v", 0o644));
    world.put(b"x\xff.txt", "w");
    let captured = world.capture();
    assert_eq!(captured.differences.len(), 1);
    assert_eq!(captured.differences[0].path, wp(b"x\xff.txt"));
}

#[test]
fn pipes_and_sockets_are_known_and_never_opened() {
    let mut world = World::new();
    let made = std::process::Command::new("mkfifo").arg(world.at("pipe")).status().unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(world.at("sock")).unwrap();
    world.put("z", "z");
    let captured = world.capture();
    assert_eq!(after(&captured, "pipe"), Entry::Special { kind: SpecialKind::Pipe });
    assert_eq!(after(&captured, "sock"), Entry::Special { kind: SpecialKind::Socket });
    assert_eq!(after(&captured, "z"), file("z", 0o644));
    world.remove("z");
    fs::remove_file(world.at("pipe")).unwrap();
    world.put("pipe", "now a file");
    assert_eq!(paths(&world.capture()), ["pipe", "z"]);
}

#[test]
fn links_in_a_circle_end_nothing() {
    let mut world = World::with(&["d/x"]);
    world.link("d/up", "..");
    world.link("self", "self");
    world.link("root", "/");
    assert_eq!(paths(&world.capture()), ["d", "d/up", "d/x", "root", "self"]);
}

#[test]
fn a_big_file_is_stored_as_it_is() {
    let mut world = World::new();
    let bytes: Vec<u8> = (0..3_000_000u32).map(|at| (at / 7) as u8).collect();
    world.put("big", &bytes);
    let sparse = fs::File::create(world.at("sparse")).unwrap();
    sparse.set_len(5_000_000).unwrap();
    let captured = world.capture();
    assert_eq!(after(&captured, "big"), file(&bytes, 0o644));
    assert_eq!(world.stored("big").unwrap(), bytes);
    assert_eq!(world.stored("sparse").unwrap(), vec![0; 5_000_000]);
}

#[test]
fn a_second_name_is_in_the_stamp() {
    let mut world = World::with(&["a"]);
    world.settle();
    fs::hard_link(world.at("a"), world.at("b")).unwrap();
    let captured = world.capture();
    assert_eq!(paths(&captured), ["b"]);
    assert_eq!(world.known("a").unwrap().stamp.links, 2);
    assert_eq!(world.known("b").unwrap().stamp.inode, world.known("a").unwrap().stamp.inode);
}

#[test]
fn another_folder_at_the_root_is_just_differences() {
    let mut world = World::with(&["a", "b"]);
    world.settle();
    fs::rename(world.at(""), world.at("").with_file_name("old")).unwrap();
    world.put("b", "b");
    world.put("c", "c");
    assert_eq!(paths(&world.capture()), ["a", "c"]);
}
