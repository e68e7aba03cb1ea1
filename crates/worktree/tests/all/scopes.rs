//! Captures of parts of the workspace.

use model::{Entry, Mode, Reason};
use worktree::CaptureScope;

use crate::world::{World, after, file, paths, troubles, wp};

fn named(paths: &[&str]) -> CaptureScope {
    CaptureScope::Paths(paths.iter().map(wp).collect())
}

#[test]
fn named_paths_are_captured_with_the_folders_above_them_and_nothing_else() {
    let mut world = World::with(&["d/sub/a", "d/b", "c"]);
    let captured = world.capture_scope(&named(&["d/sub/a", "none/x"])).unwrap();
    assert_eq!(paths(&captured), ["d", "d/sub", "d/sub/a"]);
    assert_eq!(world.stored("d/sub/a").unwrap(), b"d/sub/a");
    assert_eq!(captured.troubles, []);
}

#[test]
fn of_a_named_folder_only_the_folder_itself_is_looked_at() {
    let mut world = World::with(&["d/a"]);
    let captured = world.capture_scope(&named(&["d"])).unwrap();
    assert_eq!(paths(&captured), ["d"]);
}

#[test]
fn a_named_path_whose_folder_is_gone_takes_all_that_was_known_there_with_it() {
    let mut world = World::with(&["d/sub/a", "d/b"]);
    world.settle();
    world.remove("d");
    assert_eq!(paths(&world.capture_scope(&named(&["d/sub/a"])).unwrap()), ["d", "d/b", "d/sub", "d/sub/a"]);
}

#[test]
fn a_file_where_the_folder_was_is_seen_on_the_way() {
    let mut world = World::with(&["d/a"]);
    world.settle();
    world.remove("d");
    world.put("d", "flat");
    let captured = world.capture_scope(&named(&["d/a"])).unwrap();
    assert_eq!(paths(&captured), ["d", "d/a"]);
    assert_eq!(after(&captured, "d"), file("flat", 0o644));
}

#[test]
fn a_named_path_in_a_region_that_is_left_out_is_a_trouble_and_not_stored() {
    let mut world = World::with(&["node_modules/x", ".git/config", "secret/k", "gen/y"]);
    world.put("gen/pyvenv.cfg", "");
    world.rules.protect = vec!["secret".into()];
    let captured = world.capture_scope(&named(&["node_modules/x", ".git/config", "secret/k", "gen/y"])).unwrap();
    let expected = [
        (".git/config", Reason::Protected),
        ("gen/y", Reason::Derived),
        ("node_modules/x", Reason::Derived),
        ("secret/k", Reason::Protected),
    ];
    assert_eq!(troubles(&captured), expected.map(|(path, reason)| (path.to_owned(), reason)));
    assert_eq!(world.known_paths(), [".git", "gen", "node_modules", "secret"]);
    assert!(captured.differences.iter().all(|difference| difference.after.as_ref().unwrap().entry.gap().is_some()));
}

#[test]
fn a_named_file_that_is_left_out_is_a_trouble_and_a_folder_is_just_named_as_uncovered() {
    let mut world = World::with(&["node_modules/x", ".env", "gen/pyvenv.cfg"]);
    world.rules.protect = vec![".env".into()];
    let captured = world.capture_scope(&named(&[".env", "node_modules", "gen"])).unwrap();
    assert_eq!(troubles(&captured), [(".env".to_owned(), Reason::Protected)]);
    assert_eq!(paths(&captured), [".env", "gen", "node_modules"]);
    assert!(captured.differences.iter().all(|difference| difference.after.as_ref().unwrap().entry.gap().is_some()));
}

#[test]
fn a_named_path_behind_a_link_is_unsafe_and_the_link_is_not_followed() {
    let mut world = World::with(&["real/x"]);
    world.link("alias", "real");
    let captured = world.capture_scope(&named(&["alias/x"])).unwrap();
    assert_eq!(paths(&captured), ["alias"]);
    assert_eq!(troubles(&captured), [("alias/x".to_owned(), Reason::UnsafePath)]);
}

#[test]
fn a_folder_can_be_captured_with_all_that_is_below_it() {
    let mut world = World::with(&["a/deep/x", "a/deep/node_modules/y", "a/z", "b/w"]);
    let captured = world.capture_scope(&CaptureScope::Below(wp("a/deep"))).unwrap();
    assert_eq!(paths(&captured), ["a", "a/deep", "a/deep/node_modules", "a/deep/x"]);
    assert_eq!(after(&captured, "a"), Entry::Dir { mode: Mode::FOLDER });
}

#[test]
fn a_first_capture_folder_by_folder_comes_to_the_same_as_one_of_the_whole() {
    let mut world = World::with(&["a/x", "a/b/y", "c", "d/e/f/z"]);
    for top in worktree::list(&world.root(), &wp("")).unwrap() {
        world.capture_scope(&CaptureScope::Below(top)).unwrap();
    }
    assert_eq!(world.known_paths(), ["a", "a/b", "a/b/y", "a/x", "c", "d", "d/e", "d/e/f", "d/e/f/z"]);
    assert_eq!(paths(&world.capture()), Vec::<String>::new());
}

#[test]
fn below_the_root_is_the_whole() {
    let mut world = World::with(&["a", "b/c"]);
    assert_eq!(paths(&world.capture_scope(&CaptureScope::Below(wp(""))).unwrap()), ["a", "b", "b/c"]);
}
