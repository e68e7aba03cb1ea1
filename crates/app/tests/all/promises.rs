//! The promises of SAFETY.md that only the whole program can keep: what is stored before it goes, what every report
//! names, and that a hook never breaks its agent.

use serde_json::{Value, json};

use crate::world;

#[test]
fn what_rm_takes_was_stored_before() {
    let world = world();
    world.write("src/deep/a.bin", [0, 159, 146, 150]);
    world.write("src/b.txt", "b\n");
    world.link("src/link", "b.txt");
    world.make_dir("src/empty");
    let before = world.look();
    let mut agent = world.agent("s");
    agent.turn("clean up", |turn| turn.shell("rm -rf src"));
    assert!(world.read("src/b.txt").is_none());
    world.takeback(&["undo", "--yes"]).expect(0);
    assert_eq!(world.look(), before);
}

#[test]
fn a_forced_restore_can_be_taken_back() {
    let world = world();
    world.write("a.txt", "first\n");
    world.takeback(&["checkpoint", "base"]).expect(0);
    let mut agent = world.agent("s");
    agent.turn("change it", |turn| turn.write("a.txt", "agent\n"));
    world.write("a.txt", "mine, on top\n");
    world.write("mine.txt", "mine\n");
    let mixed = world.look();
    world.takeback(&["restore", "base", "--include-outside", "--on-conflict", "take", "--yes"]).expect(0);
    assert_eq!(world.read("a.txt").as_deref(), Some("first\n"));
    assert!(world.read("mine.txt").is_none());
    world.takeback(&["redo", "--yes"]).expect(0);
    assert_eq!(world.look(), mixed);
}

#[test]
fn each_gap_is_in_the_report_of_its_turn() {
    let world = world();
    world.write("takeback.toml", "protect = [\"secret/\"]\nfile_max = \"1KiB\"\n");
    world.write("secret/key", "4711\n");
    world.write("node_modules/dep/index.js", "x\n");
    // The workspace's own file cannot make the cap smaller, so the large file is over the usual one.
    let mut agent = world.agent("s");
    agent.turn("touch everything", |turn| {
        turn.shell("mkfifo pipe; truncate -s 70M large.bin; echo y >a.txt; echo z >>secret/key; echo z >>node_modules/dep/index.js");
        turn.write("../outside.txt", "out\n");
    });
    let report = world.takeback(&["preview", "undo", "--json"]).expect(0).json();
    let named = |reason: &str| -> Vec<String> {
        let gaps = report["gaps"].as_array().expect("a list of gaps");
        let fits = gaps.iter().filter(|gap| gap["reason"] == reason);
        fits.map(|gap| gap["path"].as_str().unwrap_or_default().trim_end_matches('/').to_owned()).collect()
    };
    assert_eq!(named("special"), ["pipe"]);
    assert_eq!(named("too-large"), ["large.bin"]);
    assert_eq!(named("protected"), ["secret"]);
    assert_eq!(named("derived"), ["node_modules"]);
    assert!(named("outside-workspace").iter().any(|path| path.ends_with("/outside.txt")), "{report}");
}

#[test]
fn a_hook_in_trouble_says_so_and_exits_0() {
    let world = world();
    let session = "s";
    let event = |name: &str, more: Value| {
        let mut event = json!({ "hook_event_name": name, "session_id": session, "cwd": world.workspace() });
        event.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        event.to_string().into_bytes()
    };
    world.hook(&event("SessionStart", json!({}))).expect(0);
    for bad in [&b"{"[..], b"", b"[]", b"{\"hook_event_name\":\"Stop\"}", b"\xff\xfe", b"null"] {
        let ran = world.hook(bad).expect(0);
        assert!(!ran.err.is_empty(), "no word about {bad:?}");
    }
    std::fs::remove_dir_all(world.state()).expect("the state can be removed");
    std::fs::write(world.state(), "in the way").expect("a file can be written");
    let ran =
        world.hook(&event("PreToolUse", json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }))).expect(0);
    assert!(!ran.err.is_empty());
}

#[test]
fn recovery_leaves_no_staging_name_and_no_lifted_mode() {
    let mut world = world();
    world.write("locked/a.txt", "a\n");
    world.write("locked/b.txt", "b\n");
    let mut agent = world.agent("s");
    agent.turn("change", |turn| turn.shell("echo A >locked/a.txt; rm locked/b.txt; echo c >locked/c.txt"));
    world.set_mode("locked", 0o555);
    world.give_up_powers();
    let (before, mut kills) = (world.look(), 0);
    for step in 1..500 {
        world.set_variable("TAKEBACK_CRASH_AT", &step.to_string());
        let ran = world.takeback(&["undo", "--yes"]);
        world.clear_variable("TAKEBACK_CRASH_AT");
        if ran.status.is_some() {
            ran.expect(0);
            break;
        }
        kills += 1;
        world.takeback(&["status"]).expect(0);
        if world.look() != before {
            // Killed after the commit: then everything is taken back, and it is brought again for the next kill.
            world.takeback(&["redo", "--yes"]).expect(0);
            assert_eq!(world.look(), before, "after a kill at durable step {step}");
        }
    }
    assert!(kills > 5, "only {kills} kills");
}
