//! What is covered and what is left out, rule by rule.

use std::fs;

use model::{Entry, EntryKind, Reason};
use worktree::{CaptureError, CaptureScope};

use crate::world::{World, after, as_plain_user, file, paths, wp};

const CACHE_TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# made by a tool\n";

fn ignoring(pattern: &str, files: &[&str]) -> World {
    let world = World::with(files);
    world.dir(".git");
    world.put(".gitignore", pattern);
    world
}

#[test]
fn a_git_folder_or_file_is_never_entered_at_any_depth() {
    let mut world = World::with(&[".git/HEAD", "sub/.git", "sub/code.rs", "a/b/.git/config"]);
    let captured = world.capture();
    assert_eq!(paths(&captured), [".git", "a", "a/b", "a/b/.git", "sub", "sub/.git", "sub/code.rs"]);
    assert_eq!(after(&captured, ".git"), Entry::Uncovered { kind: EntryKind::Dir, reason: Reason::Protected });
    assert_eq!(after(&captured, "sub/.git"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::Protected });
}

#[test]
fn nested_repositories_are_covered_like_any_folder() {
    let mut world =
        ignoring(".agent", &["lib/.git/HEAD", "lib/tracked", ".agent/worktrees/w1/.git", ".agent/worktrees/w1/t"]);
    world.capture();
    assert_eq!(world.stored("lib/tracked").unwrap(), b"lib/tracked");
    assert_eq!(world.stored(".agent/worktrees/w1/t").unwrap(), b".agent/worktrees/w1/t");
}

#[test]
fn what_git_does_to_its_own_folder_is_no_difference() {
    let mut world = World::with(&[".git/HEAD", "a"]);
    world.settle();
    world.put(".git/index", "i");
    let captured = world.capture();
    assert_eq!((captured.differences.len(), captured.refreshed.len()), (0, 0));
}

#[test]
fn what_the_user_protects_is_named_and_never_stored() {
    let mut world = World::with(&[".priv/key", "deep/x.pem", "deep/y.txt"]);
    world.rules.protect = vec![".priv/".into(), "a{b".into(), "*.pem".into()];
    world.capture();
    assert_eq!(world.gap(".priv"), Some(Reason::Protected));
    assert_eq!(world.gap("deep/x.pem"), Some(Reason::Protected));
    assert_eq!(world.entry("deep/y.txt"), file("deep/y.txt", 0o644));
    assert!(world.memory.bytes(&crate::world::hash_of(b".priv/key")).is_none());
    assert_eq!(world.rules.flawed_patterns().len(), 1);
}

#[test]
fn a_file_that_becomes_protected_is_uncovered_from_then_on() {
    let mut world = World::with(&["secret/a", "b"]);
    world.settle();
    world.rules.protect = vec!["secret/".into(), "b".into()];
    let captured = world.capture();
    assert_eq!(paths(&captured), ["b", "secret", "secret/a"]);
    assert_eq!(after(&captured, "secret/a"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::Protected });
    assert_eq!(world.known_paths(), ["b", "secret"]);
    world.rules.protect.clear();
    assert_eq!(paths(&world.capture()), ["b", "secret", "secret/a"]);
}

#[test]
fn clearly_generated_folders_are_derived_by_their_name_alone() {
    let mut world = World::with(&["node_modules/left/index.js", "pkg/__pycache__/x.pyc", ".venv/bin/python", "src/a"]);
    world.capture();
    assert_eq!(world.known_paths(), [".venv", "node_modules", "pkg", "pkg/__pycache__", "src", "src/a"]);
    assert_eq!(world.gap("pkg/__pycache__"), Some(Reason::Derived));
    world.put("node_modules/right/index.js", "r");
    assert_eq!(paths(&world.capture()), Vec::<String>::new());
}

#[test]
fn a_file_with_the_name_of_a_derived_folder_is_a_file() {
    let mut world = World::with(&["target", "node_modules"]);
    world.capture();
    assert_eq!(world.entry("node_modules"), file("node_modules", 0o644));
}

#[test]
fn folders_that_say_of_themselves_that_they_are_generated_are_derived() {
    let mut world = World::with(&["env3/bin/python", "kept/x"]);
    world.put("env3/pyvenv.cfg", "home = /usr/bin\n");
    world.put("out/CACHEDIR.TAG", CACHE_TAG);
    world.put("fake/CACHEDIR.TAG", "not the signature");
    world.capture();
    assert_eq!((world.gap("env3"), world.gap("out")), (Some(Reason::Derived), Some(Reason::Derived)));
    assert_eq!(world.known_paths(), ["env3", "fake", "fake/CACHEDIR.TAG", "kept", "kept/x", "out"]);
}

#[test]
fn a_marker_put_into_a_covered_folder_uncovers_nothing() {
    let mut world = World::with(&["src/a"]);
    world.settle();
    world.put("src/pyvenv.cfg", "x");
    world.put("pyvenv.cfg", "x");
    assert_eq!(paths(&world.capture()), ["pyvenv.cfg", "src/pyvenv.cfg"]);
}

#[test]
fn an_ambiguous_folder_is_derived_only_if_git_ignores_it() {
    let mut world = World::with(&["build/a", "dist/b"]);
    world.put(".gitignore", "/dist/\n");
    world.capture();
    assert_eq!(world.known_paths(), [".gitignore", "build", "build/a", "dist"]);
}

#[test]
fn ignored_files_and_ignored_folders_of_any_other_name_are_covered() {
    let mut world = ignoring("*", &["scratch/notes.txt", "local.env"]);
    world.capture();
    assert_eq!(world.entry("scratch/notes.txt"), file("scratch/notes.txt", 0o644));
    assert_eq!(world.entry("local.env"), file("local.env", 0o644));
}

#[test]
fn the_innermost_ignore_rule_wins_and_a_folder_takes_what_is_below_with_it() {
    let mut world =
        ignoring("build\n!keep/build\nlost/\n", &["keep/build/a", "pkg/build/b", "lost/dist/c", "sub/build/d"]);
    world.put("sub/.gitignore", "!build\n");
    world.put("lost/.gitignore", "!dist\n");
    world.capture();
    let left_out = ["keep/build", "pkg/build", "lost/dist", "sub/build"].map(|path| world.gap(path).is_some());
    assert_eq!(left_out, [false, true, true, false]);
}

#[test]
fn the_exclude_file_of_a_repository_counts_and_gitignore_overrules_it() {
    let mut world = World::with(&["build/a", "dist/b", ".git/HEAD"]);
    world.put(".git/info/exclude", "build\ndist\n");
    world.put(".gitignore", "!dist\n");
    world.capture();
    assert_eq!((world.gap("build"), world.gap("dist")), (Some(Reason::Derived), None));
}

#[test]
fn a_linked_worktree_shares_the_exclude_file_of_its_repository() {
    let mut world = World::with(&["main/.git/worktrees/w/HEAD", "w/build/a"]);
    world.put("main/.git/info/exclude", "build\n");
    world.put("main/.git/worktrees/w/commondir", "../..\n");
    world.put("w/.git", format!("gitdir: {}\n", world.at("main/.git/worktrees/w").display()));
    world.capture();
    assert_eq!(world.gap("w/build"), Some(Reason::Derived));
}

#[test]
fn rules_of_an_outer_repository_end_where_another_begins() {
    let mut world = ignoring("build\nout\n", &["sub/.git/HEAD", "sub/build/a", "out/.git/HEAD", "out/page.html"]);
    world.capture();
    assert_eq!(world.entry("sub/build/a"), file("sub/build/a", 0o644));
    assert_eq!(world.entry("out/page.html"), file("out/page.html", 0o644));
}

#[test]
fn rules_above_the_root_count_up_to_the_top_of_the_repository() {
    let mut world = World::with(&["build/a", "dist/b"]);
    let above = world.at("").parent().unwrap().to_owned();
    fs::create_dir(above.join(".git")).unwrap();
    fs::write(above.join(".gitignore"), "/ws/build\n").unwrap();
    world.capture();
    assert_eq!((world.gap("build"), world.gap("dist")), (Some(Reason::Derived), None));
}

#[test]
fn rules_that_are_no_text_protect_what_they_might_name() {
    let mut world = World::with(&["build/a", "src/a"]);
    world.put(".gitignore", b"\xff\xfe");
    world.capture();
    assert_eq!((world.gap("build"), world.gap("src")), (Some(Reason::Derived), None));
}

#[test]
fn rules_that_may_not_be_read_protect_what_they_might_name() {
    as_plain_user("coverage::rules_that_may_not_be_read_protect_what_they_might_name", || {
        let mut world = World::with(&["build/a", ".gitignore"]);
        world.chmod(".gitignore", 0);
        world.capture();
        assert_eq!(world.gap("build"), Some(Reason::Derived));
    });
}

#[test]
fn a_link_in_place_of_a_rule_file_is_no_rule_file() {
    let mut world = World::with(&["build/a"]);
    world.put("rules", "build\n");
    world.link(".gitignore", "rules");
    world.capture();
    assert_eq!(world.gap("build"), None);
}

#[test]
fn a_covered_folder_that_becomes_ignored_output_is_named_with_all_that_was_known_in_it() {
    let mut world = World::with(&["build/a", "build/sub/b"]);
    world.settle();
    world.put(".gitignore", "build\n");
    let captured = world.capture();
    assert_eq!(paths(&captured), [".gitignore", "build", "build/a", "build/sub", "build/sub/b"]);
    let derived = |kind| Entry::Uncovered { kind, reason: Reason::Derived };
    assert_eq!(after(&captured, "build/sub"), derived(EntryKind::Dir));
    assert_eq!(after(&captured, "build/sub/b"), derived(EntryKind::File));
    assert_eq!(world.known_paths(), [".gitignore", "build"]);
    world.remove(".gitignore");
    assert_eq!(paths(&world.capture()), [".gitignore", "build", "build/a", "build/sub", "build/sub/b"]);
    assert_eq!(world.entry("build/a"), file("build/a", 0o644));
}

#[test]
fn what_the_user_includes_is_covered_although_derived_with_everything_below() {
    let mut world = World::with(&["node_modules/a/node_modules/b/x", "pkg/node_modules/y"]);
    world.rules.include = vec!["/node_modules/".into()];
    world.capture();
    assert_eq!(world.entry("node_modules/a/node_modules/b/x"), file("node_modules/a/node_modules/b/x", 0o644));
    assert_eq!(world.gap("pkg/node_modules"), Some(Reason::Derived));
}

#[test]
fn protection_is_stronger_than_inclusion() {
    let mut world = World::with(&["node_modules/x"]);
    world.rules.include = vec!["node_modules".into()];
    world.rules.protect = vec!["node_modules".into()];
    world.capture();
    assert_eq!(world.gap("node_modules"), Some(Reason::Protected));
}

#[test]
fn a_file_over_the_cap_is_named_and_stored_content_stays_stored() {
    let mut world = World::with(&["grows", "other"]);
    world.put("big", vec![b'x'; 1_001]);
    world.rules.file_size_bytes_max = 1_000;
    world.settle();
    assert_eq!(world.gap("big"), Some(Reason::TooLarge));
    world.put("grows", vec![b'y'; 2_000]);
    let captured = world.capture();
    assert_eq!(after(&captured, "grows"), Entry::Uncovered { kind: EntryKind::File, reason: Reason::TooLarge });
    world.put("big", vec![b'z'; 1_500]);
    let changed = world.capture();
    assert_eq!((changed.differences.len(), changed.refreshed.len()), (0, 1), "only `big` has a new stamp");
    world.rules.file_size_bytes_max = 1;
    world.age();
    assert_eq!(paths(&world.capture()), Vec::<String>::new(), "a smaller cap uncovers nothing that is stored");
}

#[test]
fn more_entries_than_asked_for_end_the_capture() {
    let mut world = World::with(&["a", "b", "d/c", "d/e"]);
    let scope = CaptureScope::Whole { entries_max: Some(4) };
    assert!(matches!(world.capture_scope(&scope), Err(CaptureError::TooMany { found }) if found > 4));
    assert!(world.index.is_empty());
    assert!(world.capture_scope(&CaptureScope::Whole { entries_max: Some(5) }).is_ok());
    assert!(world.known("d/e").is_some());
    assert!(world.index.get(&wp("none")).is_none());
}
