//! Random trees and random changes: what a capture tells of the changes leads to the index a fresh capture makes.

use std::fs;

use model::{Entry, Index, Tree, WorkspacePath};
use proptest::collection::vec;
use proptest::prelude::*;
use worktree::capture;

use crate::world::{WHOLE, World};

/// One change to the workspace.
#[derive(Debug, Clone)]
enum Change {
    Write(String, u8),
    Folder(String),
    Remove(String),
    Rename(String, String),
    Link(String, String),
    SecondName(String, String),
    Mode(String, u32),
    Pipe(String),
    Ignore(Vec<String>),
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => prop::sample::select(vec!["a", "b", "c", "a.b"]),
        1 => prop::sample::select(vec!["build", "node_modules", ".git"]),
    ]
    .prop_map(str::to_owned)
}

fn path() -> impl Strategy<Value = String> {
    vec(name(), 1..4).prop_map(|names| names.join("/"))
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        6 => (path(), any::<u8>()).prop_map(|(path, byte)| Change::Write(path, byte)),
        2 => path().prop_map(Change::Folder),
        2 => path().prop_map(Change::Remove),
        4 => (path(), path()).prop_map(|(from, to)| Change::Rename(from, to)),
        1 => (path(), path()).prop_map(|(path, target)| Change::Link(path, target)),
        1 => (path(), path()).prop_map(|(from, to)| Change::SecondName(from, to)),
        1 => (path(), prop::sample::select(vec![0o755, 0o700, 0o644, 0o444])).prop_map(|(path, mode)| Change::Mode(path, mode)),
        1 => path().prop_map(Change::Pipe),
        1 => vec(name(), 0..3).prop_map(Change::Ignore),
    ]
}

/// Makes a change if the tree allows it; what it does not allow is no change.
fn make(world: &World, change: &Change) {
    let parent_of = |path: &str| drop(world.at(path).parent().map(fs::create_dir_all));
    match change {
        Change::Write(path, byte) => {
            parent_of(path);
            let is_special = fs::symlink_metadata(world.at(path)).is_ok_and(|there| !there.is_file());
            if !is_special {
                drop(fs::write(world.at(path), vec![*byte; usize::from(*byte) % 5]));
            }
        }
        Change::Folder(path) => drop(fs::create_dir_all(world.at(path))),
        Change::Remove(path) => {
            drop(fs::remove_file(world.at(path)));
            drop(fs::remove_dir_all(world.at(path)));
        }
        Change::Rename(from, to) => {
            parent_of(to);
            drop(fs::rename(world.at(from), world.at(to)));
        }
        Change::Link(path, target) => {
            parent_of(path);
            drop(std::os::unix::fs::symlink(target, world.at(path)));
        }
        Change::SecondName(from, to) => {
            parent_of(to);
            drop(fs::hard_link(world.at(from), world.at(to)));
        }
        Change::Mode(path, mode) => {
            if fs::symlink_metadata(world.at(path)).is_ok_and(|there| !there.is_symlink()) {
                world.chmod(path, *mode);
            }
        }
        Change::Pipe(path) => {
            parent_of(path);
            drop(std::process::Command::new("mkfifo").arg("-m600").arg(world.at(path)).output());
        }
        Change::Ignore(names) => drop(fs::write(world.at(".gitignore"), names.join("\n"))),
    }
}

fn entries(index: &Index) -> Vec<(WorkspacePath, Entry)> {
    let paths = index.paths_below(&WorkspacePath::root());
    paths.into_iter().map(|path| (path.clone(), index.entry(&path))).collect()
}

fn fresh(world: &World) -> Index {
    let mut index = Index::default();
    capture(&world.root(), &index, &world.rules, &world.memory, &WHOLE).unwrap().apply_to(&mut index);
    index
}

/// What moved out of a derived folder's name stays derived while its new name says nothing, so the two may differ there.
fn is_beside_derived(path: &WorkspacePath, index: &Index) -> bool {
    std::iter::once(path.clone())
        .chain(path.ancestors())
        .any(|place| matches!(index.entry(&place), Entry::Uncovered { .. }))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn differences_lead_from_one_state_to_the_next(rounds in vec(vec(change(), 1..8), 1..5)) {
        let mut world = World::new();
        for changes in rounds {
            changes.iter().for_each(|change| make(&world, change));
            let before = entries(&world.index);
            let captured = world.capture();
            for difference in &captured.differences {
                let known = before.iter().find(|(path, _)| *path == difference.path).map(|(_, entry)| entry);
                prop_assert_eq!(known, difference.before.as_ref().map(|known| &known.entry));
                prop_assert!(known != difference.after.as_ref().map(|known| &known.entry) || difference.moved.is_some());
            }
            // What was left out and moved is judged anew by the next capture.
            world.capture();
            let again = world.capture();
            prop_assert_eq!(again.differences, vec![]);
            let now = fresh(&world);
            for (path, entry) in entries(&now) {
                if !is_beside_derived(&path, &world.index) {
                    prop_assert_eq!(world.index.entry(&path), entry, "{}", path);
                }
            }
            for (path, entry) in entries(&world.index) {
                if !is_beside_derived(&path, &world.index) {
                    prop_assert_eq!(&now.entry(&path), &entry, "{}", path);
                    let stored = entry.content().map(|hash| world.memory.bytes(hash));
                    prop_assert!(stored.is_none_or(|bytes| bytes == fs::read(world.at(path.as_bytes())).ok()));
                }
            }
        }
    }
}
