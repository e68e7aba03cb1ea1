//! Moves: the same thing at another path.

use std::fs;

use model::{Entry, EntryKind, Mode, Move, Reason};

use crate::world::{World, after, difference, file, paths, wp};

fn moved(captured: &worktree::Captured, path: &str) -> Option<Move> {
    difference(captured, path).moved.clone()
}

#[test]
fn a_moved_file_names_both_ends_and_is_not_read() {
    let mut world = World::with(&["a", "d/x"]);
    world.settle();
    world.rename("a", "d/b");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["a", "d/b"]);
    assert_eq!(moved(&captured, "a"), Some(Move::To(wp("d/b"))));
    assert_eq!(moved(&captured, "d/b"), Some(Move::From(wp("a"))));
    assert_eq!(after(&captured, "d/b"), file("a", 0o644));
    assert_eq!(captured.counts.files_read, 0);
}

#[test]
fn a_file_that_was_moved_and_edited_is_read() {
    let mut world = World::with(&["a"]);
    world.settle();
    world.rename("a", "b");
    let mut file_b = fs::File::options().append(true).open(world.at("b")).unwrap();
    std::io::Write::write_all(&mut file_b, b"+").unwrap();
    let captured = world.capture();
    assert_eq!(moved(&captured, "b"), Some(Move::From(wp("a"))));
    assert_eq!(after(&captured, "b"), file("a+", 0o644));
}

#[test]
fn every_child_of_a_moved_folder_is_paired_by_itself() {
    let mut world = World::with(&["d/a", "d/sub/b"]);
    world.link("d/l", "a");
    world.settle();
    world.rename("d", "e");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["d", "d/a", "d/l", "d/sub", "d/sub/b", "e", "e/a", "e/l", "e/sub", "e/sub/b"]);
    for difference in &captured.differences {
        assert!(difference.moved.is_some(), "{:?}", difference.path);
    }
    assert_eq!(moved(&captured, "e/sub/b"), Some(Move::From(wp("d/sub/b"))));
}

#[test]
fn a_move_over_another_file_is_a_move() {
    let mut world = World::with(&["a", "b"]);
    world.settle();
    world.rename("a", "b");
    let captured = world.capture();
    assert_eq!(moved(&captured, "a"), Some(Move::To(wp("b"))));
    assert_eq!(moved(&captured, "b"), Some(Move::From(wp("a"))));
    assert_eq!(difference(&captured, "b").before.as_ref().unwrap().entry, file("b", 0o644));
}

#[test]
fn a_move_over_a_file_with_the_same_content_is_still_named_at_both_ends() {
    let mut world = World::new();
    world.put("a", "same");
    world.put("b", "same");
    world.settle();
    world.rename("a", "b");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["a", "b"]);
    assert_eq!(moved(&captured, "b"), Some(Move::From(wp("a"))));
}

#[test]
fn a_copy_is_no_move() {
    let mut world = World::with(&["a"]);
    world.settle();
    fs::copy(world.at("a"), world.at("b")).unwrap();
    world.remove("a");
    let captured = world.capture();
    assert_eq!((moved(&captured, "a"), moved(&captured, "b")), (None, None));
}

#[test]
fn two_files_that_changed_places_are_two_edits() {
    let mut world = World::with(&["a", "b"]);
    world.settle();
    world.rename("a", "t");
    world.rename("b", "a");
    world.rename("t", "b");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["a", "b"]);
    assert_eq!((moved(&captured, "a"), moved(&captured, "b")), (None, None));
    assert_eq!(after(&captured, "a"), file("b", 0o644));
}

#[test]
fn a_file_with_two_names_is_not_paired() {
    let mut world = World::with(&["a"]);
    fs::hard_link(world.at("a"), world.at("b")).unwrap();
    world.settle();
    world.rename("a", "c");
    let captured = world.capture();
    assert_eq!((moved(&captured, "a"), moved(&captured, "c")), (None, None));
    assert_eq!(after(&captured, "c"), file("a", 0o644));
}

#[test]
fn a_moved_derived_folder_stays_derived_and_is_not_taken_in() {
    let mut world = World::with(&["node_modules/x", "keep"]);
    world.settle();
    world.rename("node_modules", "nm-old");
    let captured = world.capture();
    assert_eq!(paths(&captured), ["nm-old", "node_modules"]);
    assert_eq!(moved(&captured, "node_modules"), Some(Move::To(wp("nm-old"))));
    assert_eq!(after(&captured, "nm-old"), Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Derived });
    assert_ne!(world.known("nm-old").unwrap().stamp.inode, 0);
    assert_eq!(paths(&world.capture()), Vec::<String>::new(), "it stays so");
    world.rules.include = vec!["nm-old".into()];
    assert_eq!(paths(&world.capture()), ["nm-old", "nm-old/x"]);
}

#[test]
fn a_renamed_git_folder_stays_protected() {
    let mut world = World::with(&[".git/HEAD", ".git/objects/o", ".git/refs/r"]);
    world.settle();
    world.rename(".git", "git-away");
    let captured = world.capture();
    assert_eq!(after(&captured, "git-away"), Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Protected });
    assert_eq!(moved(&captured, "git-away"), Some(Move::From(wp(".git"))));
    assert_eq!(paths(&world.capture()), Vec::<String>::new());
}

#[test]
fn a_protected_file_is_not_stored_when_it_is_moved() {
    let mut world = World::with(&["x.pem"]);
    world.rules.protect = vec!["*.pem".into()];
    world.settle();
    world.rename("x.pem", "x.txt");
    let captured = world.capture();
    assert_eq!(after(&captured, "x.txt"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::Protected });
    assert_eq!(moved(&captured, "x.txt"), Some(Move::From(wp("x.pem"))));
}

#[test]
fn a_new_folder_in_the_place_of_a_moved_derived_one_is_judged_by_itself() {
    let mut world = World::with(&["node_modules/x"]);
    world.settle();
    world.rename("node_modules", "old");
    world.put("src/a", "a");
    let captured = world.capture();
    assert_eq!(after(&captured, "src"), Entry::Dir { mode: Mode::FOLDER });
    assert_eq!(after(&captured, "src/a"), file("a", 0o644));
}

#[test]
fn a_moved_file_over_the_cap_keeps_its_stamp() {
    let mut world = World::new();
    world.rules.file_size_bytes_max = 10;
    world.put("big", "more than ten bytes");
    world.settle();
    let inode = world.known("big").unwrap().stamp.inode;
    world.rename("big", "moved");
    let captured = world.capture();
    assert_eq!(moved(&captured, "moved"), Some(Move::From(wp("big"))));
    assert_eq!(world.known("moved").unwrap().stamp.inode, inode);
    assert_eq!(world.gap("moved"), Some(Reason::TooLarge));
}

#[test]
fn a_moved_file_whose_last_look_is_in_doubt_is_read() {
    let mut world = World::with(&["a"]);
    world.capture();
    let mut known = world.known("a").unwrap().clone();
    // As if the file had held something else of the same length in the same tick of the clock.
    known.entry = file("b", 0o644);
    world.index.set(&wp("a"), Some(known));
    world.rename("a", "c");
    let captured = world.capture();
    assert_eq!(after(&captured, "c"), file("a", 0o644));
    assert_eq!(moved(&captured, "c"), Some(Move::From(wp("a"))));
}

#[test]
fn a_folder_that_was_made_anew_can_be_moved_like_any_other() {
    let mut world = World::new();
    world.dir("d");
    world.settle();
    let first = world.known("d").unwrap().stamp;
    world.dir("other");
    world.remove("d");
    world.dir("d");
    world.settle();
    assert!(!world.known("d").unwrap().stamp.is_same_thing(&first));
    world.rename("d", "e");
    assert_eq!(moved(&world.capture(), "e"), Some(Move::From(wp("d"))));
}
