//! What a capture costs, by count.

use model::WorkspacePath;
use worktree::{CaptureScope, Counts};

use crate::world::{World, wp};

fn thousand_files() -> World {
    let mut world = World::new();
    for folder in 0..10 {
        for file in 0..100 {
            world.put(format!("d{folder}/f{file}"), format!("{folder} {file}"));
        }
    }
    world.settle();
    world
}

#[test]
fn an_unchanged_tree_costs_one_look_for_each_name_and_reads_nothing() {
    let mut world = thousand_files();
    let captured = world.capture();
    let counts = Counts { entries: 1_010, stats: 1_010, folders: 11, files_read: 0, bytes_read: 0 };
    assert_eq!(captured.counts, counts);
    assert_eq!((captured.differences.len(), captured.refreshed.len(), captured.troubles.len()), (0, 0, 0));
}

#[test]
fn one_change_costs_one_read() {
    let mut world = thousand_files();
    world.put("d3/f7", "changed");
    let captured = world.capture();
    assert_eq!((captured.counts.files_read, captured.counts.bytes_read), (1, 7));
    assert_eq!(captured.differences.len(), 1);
}

#[test]
fn a_moved_folder_is_not_read_again() {
    let mut world = thousand_files();
    world.rename("d3", "moved");
    let captured = world.capture();
    assert_eq!(captured.counts.files_read, 0);
    assert_eq!(captured.differences.len(), 202);
}

#[test]
fn named_paths_cost_a_look_for_each_name_on_the_way() {
    let mut world = thousand_files();
    world.put("d3/f7", "changed");
    let captured = world.capture_scope(&CaptureScope::Paths(vec![wp("d3/f7")])).unwrap();
    assert_eq!((captured.counts.stats, captured.counts.files_read), (2, 1));
    assert_eq!(captured.differences.len(), 1);
}

#[test]
fn content_is_read_once_for_a_first_capture() {
    let world = thousand_files();
    let mut fresh = model::Index::default();
    let captured = worktree::capture(&world.root(), &fresh, &world.rules, &world.memory, &crate::world::WHOLE).unwrap();
    assert_eq!(captured.counts.files_read, 1_000);
    captured.apply_to(&mut fresh);
    assert_eq!(fresh.paths_below(&WorkspacePath::root()), world.index.paths_below(&WorkspacePath::root()));
}
