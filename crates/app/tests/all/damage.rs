//! Stores that are damaged, locked away or from the future, and operations that were interrupted.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use testkit::World;

use crate::world;

/// Bytes that no compression makes smaller, so that they are found in a pack as they are.
pub(crate) fn noise(seed: u64) -> Vec<u8> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..4096).map(|_| next()).collect()
}

/// Flips one byte in the middle of this content, wherever the store has it.
pub(crate) fn damage(world: &World, content: &[u8]) {
    let part = &content[1000..1100];
    for path in files_below(&world.state(), "") {
        let mut bytes = fs::read(&path).expect("a file of the store can be read");
        if let Some(at) = bytes.windows(part.len()).position(|window| window == part) {
            bytes[at + 50] ^= 1;
            return fs::write(path, bytes).expect("a file of the store can be written");
        }
    }
    panic!("the store does not hold the content");
}

/// Every file below a folder whose name ends like this.
fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the store can be listed") {
        let path = entry.expect("a folder of the store can be listed").path();
        if path.is_dir() {
            found.extend(files_below(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

#[test]
fn damage_in_a_pack_is_named_by_path_and_everything_else_is_taken_back() {
    let world = world();
    world.write("good.bin", noise(1));
    world.write("bad.bin", noise(2));
    world.agent("s").turn("change both", |turn| turn.shell("echo x >good.bin; echo x >bad.bin"));
    world.takeback(&["verify"]).expect(0);
    damage(&world, &noise(2));
    let report = world.takeback(&["verify", "--json"]).expect(1).json();
    assert_eq!(report["damages"].as_array().unwrap().len(), 1, "{report}");
    assert_eq!(report["damages"][0]["paths"], serde_json::json!([{ "path": "bad.bin" }]));
    assert!(world.takeback(&["verify"]).expect(1).text().contains("\n  bad.bin\n"));

    let stopped = world.takeback(&["undo", "--yes", "--json"]).expect(4).json();
    let bad = stopped["files"].as_array().unwrap().iter().find(|file| file["path"] == "bad.bin").unwrap();
    assert_eq!((&bad["result"], &bad["reason"]), (&"conflict".into(), &"missing-content".into()));
    world.takeback(&["undo", "--yes", "--on-conflict", "keep"]).expect(0);
    assert_eq!(fs::read(world.at("good.bin")).unwrap(), noise(1));
    assert_eq!(world.read("bad.bin").as_deref(), Some("x\n"));
    let diff = world.takeback(&["diff", "t1"]).expect(0).text();
    assert!(diff.contains("the content is missing from the store"), "{diff}");
}

#[test]
fn a_store_of_a_newer_format_is_not_touched() {
    let world = world();
    world.agent("s").turn("write", |turn| turn.write("a.txt", "a\n"));
    world.takeback(&["gc"]).expect(0);
    let database = files_below(&world.state(), "takeback.db").pop().unwrap();
    let mut bytes = fs::read(&database).unwrap();
    bytes[60..64].copy_from_slice(&9_999u32.to_be_bytes());
    fs::write(&database, &bytes).unwrap();
    for arguments in [&["status"][..], &["undo", "--yes", "--json"], &["verify"], &["gc"], &["doctor"]] {
        let ran = world.takeback(arguments).expect(1);
        assert_eq!(ran.text(), "", "{arguments:?}");
        assert!(ran.err.contains("9999") && ran.err.contains("newer"), "{}", ran.err);
    }
    let said = world.agent("s").send("UserPromptSubmit", serde_json::json!({ "prompt": "go on" })).err;
    assert!(said.contains("9999"), "{said}");
    assert_eq!(fs::read(&database).unwrap(), bytes);
}

#[test]
fn a_store_that_is_no_store_is_told_and_left_alone() {
    let world = world();
    world.agent("s").turn("write", |turn| turn.write("a.txt", "a\n"));
    let database = files_below(&world.state(), "takeback.db").pop().unwrap();
    fs::write(&database, b"this is something else").unwrap();
    let ran = world.takeback(&["undo", "--yes"]).expect(1);
    assert!(ran.err.contains("damaged"), "{}", ran.err);
    assert_eq!(fs::read(&database).unwrap(), b"this is something else");
    assert_eq!(world.read("a.txt").as_deref(), Some("a\n"));
}

#[test]
fn a_store_that_may_not_be_written_fails_the_order_and_not_the_hook() {
    let mut world = world();
    world.write("a.txt", "old\n");
    world.agent("s").turn("change a", |turn| turn.write("a.txt", "new\n"));
    world.give_up_powers();
    let store = files_below(&world.state(), "takeback.db").pop().unwrap().parent().unwrap().to_owned();
    for path in files_below(&store, "") {
        fs::set_permissions(path, fs::Permissions::from_mode(0o400)).unwrap();
    }
    fs::set_permissions(&store, fs::Permissions::from_mode(0o500)).unwrap();
    let before = world.look();
    let ran = world.takeback(&["undo", "--yes", "--json"]).expect(1);
    assert_eq!(ran.text(), "");
    assert!(ran.err.starts_with("takeback: "), "{}", ran.err);
    let said = world.agent("s").send("UserPromptSubmit", serde_json::json!({ "prompt": "go on" })).err;
    assert!(said.starts_with("takeback: "), "{said}");
    assert_eq!(world.look(), before);
    fs::set_permissions(&store, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn an_undo_that_was_killed_anywhere_is_whole_or_gone_after_the_next_command() {
    let mut world = world();
    world.write("a.txt", "old\n");
    world.agent("s").turn("change a", |turn| turn.shell("echo new >a.txt; mkdir d; echo b >d/b.txt"));
    let done = world.look();
    world.takeback(&["undo", "--yes"]).expect(0);
    let undone = world.look();
    world.takeback(&["redo", "--yes"]).expect(0);
    let mut kills = 0;
    for step in 1..200 {
        world.set_variable("TAKEBACK_CRASH_AT", &step.to_string());
        let is_killed = world.takeback(&["undo", "--yes"]).status.is_none();
        world.clear_variable("TAKEBACK_CRASH_AT");
        world.takeback(&["status"]).expect(0);
        let now = world.look();
        assert!(now == done || now == undone, "killed at step {step}: {now:?}");
        if now == undone {
            world.takeback(&["redo", "--yes"]).expect(0);
        }
        assert_eq!(world.look(), done, "killed at step {step}");
        if !is_killed {
            break;
        }
        kills += 1;
    }
    assert!((10..199).contains(&kills), "{kills} kills");
}

#[test]
fn what_cannot_be_recovered_is_told_with_a_status_of_its_own_and_loses_nothing() {
    let mut world = world();
    world.write("a.txt", "old\n");
    world.agent("s").turn("change a", |turn| turn.shell("echo new >a.txt"));
    let sibling = (1..200).find_map(|step| {
        world.set_variable("TAKEBACK_CRASH_AT", &step.to_string());
        let is_killed = world.takeback(&["undo", "--yes"]).status.is_none();
        world.clear_variable("TAKEBACK_CRASH_AT");
        let staged = world.look().into_keys().find(|path| path.starts_with(".takeback-"));
        if is_killed && staged.is_some() && world.read("a.txt").as_deref() == Some("old\n") {
            return staged;
        }
        assert!(is_killed, "the undo came to its end before it was killed with both files there");
        world.takeback(&["status"]).expect(0);
        None
    });
    let sibling = sibling.expect("there is a moment with both files there");
    world.write("a.txt", "the user saved here\n");
    world.write(&sibling, "and some program there\n");
    let ran = world.takeback(&["status", "--json"]).expect(6);
    assert_eq!(ran.json()["stuck"].as_array().unwrap().len(), 1);
    let texts: Vec<_> = world.look().into_keys().filter_map(|path| world.read(&path)).collect();
    for text in ["the user saved here\n", "and some program there\n"] {
        assert!(texts.iter().any(|there| there == text), "{text:?} is gone: {texts:?}");
    }
    assert!(world.takeback(&["status"]).expect(6).text().contains("was interrupted"));
}
