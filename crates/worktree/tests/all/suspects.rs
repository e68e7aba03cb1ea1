//! Captures that look at suspects alone: what they find, what they pass by, and what they look at unasked.

use std::collections::BTreeSet;
use std::fs;

use model::{Entry, Mode, Reason, WorkspacePath};
use worktree::{CaptureScope, Captured, Suspects};

use crate::world::{World, after, file, paths, wp};

fn set(texts: &[&str]) -> BTreeSet<WorkspacePath> {
    texts.iter().map(wp).collect()
}

/// Captures with the word of a watcher that names these folders, and these paths with all below them.
fn capture(world: &mut World, folders: &[&str], below: &[&str]) -> Captured {
    let mut suspects = Suspects { folders: set(folders), below: set(below), paths: BTreeSet::new() };
    suspects.add_silent(&world.index);
    world.capture_scope(&CaptureScope::Suspects(suspects)).unwrap()
}

#[test]
fn only_the_folder_in_doubt_is_listed_and_only_its_names_are_looked_at() {
    let mut world = World::new();
    for number in 0..1_000 {
        world.put(format!("d{}/f{number}", number / 100), "x");
    }
    world.settle();
    world.put("d3/f307", "changed");
    world.put("d4/f407", "not told");
    let captured = capture(&mut world, &["d3"], &[]);
    assert_eq!(paths(&captured), ["d3/f307"]);
    assert_eq!((captured.counts.stats, captured.counts.files_read), (101, 1));
    assert_eq!(paths(&world.capture()), ["d4/f407"]);
}

#[test]
fn nothing_in_doubt_costs_nothing() {
    let mut world = World::with(&["a/f", "b/g"]);
    world.settle();
    assert_eq!(capture(&mut world, &[], &[]).counts.stats, 0);
}

#[test]
fn what_came_went_or_changed_its_kind_in_a_folder_in_doubt_is_found_with_all_below() {
    let mut world = World::with(&["top/a/deep/f", "top/b", "top/c/g"]);
    world.settle();
    world.remove("top/a");
    world.remove("top/b");
    world.put("top/b/now/folder", "x");
    world.remove("top/c");
    world.put("top/c", "now a file");
    world.put("top/new/x/y", "z");
    let captured = capture(&mut world, &["top"], &[]);
    assert!(!captured.differences.is_empty());
    assert_eq!(world.capture().differences, []);
}

#[test]
fn another_folder_under_a_known_name_is_walked_whole() {
    let mut world = World::with(&["a/same", "other/same", "other/more/f"]);
    world.settle();
    world.remove("a");
    world.rename("other", "a");
    capture(&mut world, &[""], &[]);
    assert_eq!(world.capture().differences, []);
    assert_eq!(world.entry("a/more/f"), file("other/more/f", 0o644));
}

#[test]
fn a_folder_gets_its_mode_from_a_look_at_the_one_above() {
    let mut world = World::with(&["a/d/f"]);
    world.settle();
    world.chmod("a/d", 0o700);
    let captured = capture(&mut world, &["a"], &[]);
    assert_eq!(after(&captured, "a/d"), Entry::Dir { mode: Mode::new(0o700) });
    assert_eq!(captured.differences.len(), 1);
}

#[test]
fn a_file_that_got_a_second_name_is_looked_at_by_both() {
    let mut world = World::with(&["a/f", "b/other"]);
    world.settle();
    fs::hard_link(world.at("a/f"), world.at("b/g")).unwrap();
    world.put("b/g", "written by the second name");
    assert_eq!(paths(&capture(&mut world, &["b"], &[])), ["a/f", "b/g"]);
    world.age();
    world.put("a/f", "written by the first name");
    assert_eq!(paths(&capture(&mut world, &["a"], &[])), ["a/f", "b/g"]);
    assert_eq!(world.capture().differences, []);
}

#[test]
fn a_file_with_a_name_outside_is_looked_at_every_time() {
    let mut world = World::with(&["a/f"]);
    let outside = world.at("").with_file_name("outside");
    fs::hard_link(world.at("a/f"), &outside).unwrap();
    world.settle();
    fs::write(&outside, "from outside").unwrap();
    assert_eq!(paths(&capture(&mut world, &[], &[])), ["a/f"]);
}

#[test]
fn an_ignore_file_puts_folders_in_and_out_although_nothing_happened_in_them() {
    let mut world = World::with(&["pkg/build/f", ".gitignore"]);
    world.settle();
    world.put(".gitignore", "build/\n");
    capture(&mut world, &[""], &[]);
    assert_eq!(world.gap("pkg/build"), Some(Reason::Derived));
    assert_eq!(world.capture().differences, []);
    world.put(".gitignore", "");
    capture(&mut world, &[""], &[]);
    assert_eq!(world.entry("pkg/build/f"), file("pkg/build/f", 0o644));
    assert_eq!(world.capture().differences, []);
}

#[test]
fn a_folder_that_is_generated_no_more_is_taken_in_whole() {
    let mut world = World::with(&["venv/pyvenv.cfg", "venv/lib/f"]);
    world.settle();
    assert_eq!(world.gap("venv"), Some(Reason::Derived));
    world.remove("venv/pyvenv.cfg");
    capture(&mut world, &["venv"], &[]);
    assert_eq!(world.entry("venv/lib/f"), file("venv/lib/f", 0o644));
    assert_eq!(world.capture().differences, []);
}

#[test]
fn everything_in_doubt_is_a_scan() {
    let mut world = World::with(&["a/f", "b/g"]);
    world.settle();
    world.put("b/g", "changed");
    assert_eq!(paths(&capture(&mut world, &[], &[""])), ["b/g"]);
}
