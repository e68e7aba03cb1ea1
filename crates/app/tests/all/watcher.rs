//! The watcher as hooks start it: detached, one for all, private, and gone when it is told.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use testkit::World;

use crate::world;

/// How the watcher fares.
fn watcher(world: &World) -> serde_json::Value {
    world.takeback(&["doctor", "--json"]).expect(0).json()["workspace"]["watcher"].clone()
}

/// Asks again and again, for some seconds.
#[track_caller]
fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it did not come to that");
        std::thread::yield_now();
    }
}

#[test]
fn hooks_start_one_watcher_that_shortens_the_barriers_around_tools_and_ends_when_told() {
    let mut world = world();
    world.set_variable("TAKEBACK_WATCHER", "on");
    world.write("a/f.txt", "before\n");
    let mut agent = world.agent("s");
    agent.turn("begin", |turn| turn.shell("true"));
    until(|| watcher(&world)["folders"].as_u64().is_some_and(|folders| folders >= 2));
    agent.turn("go", |turn| {
        turn.write("a/f.txt", "after\n");
        turn.shell("mkdir -p new/deep && echo made > new/deep/g.txt");
    });
    let view = watcher(&world);
    assert_eq!((&view["state"], &view["missed"]), (&"on".into(), &0.into()), "{view}");
    assert!(view["shortened"].as_u64().unwrap() >= 3, "{view}");
    let log = world.takeback(&["log"]).expect(0).text();
    assert!(log.contains("new/deep/g.txt") && log.contains("a/f.txt"), "{log}");
    for (path, mode) in [("watcher", 0o700), ("watcher/socket", 0o600), ("watcher/lock", 0o600)] {
        assert_eq!(fs::metadata(world.state().join(path)).unwrap().permissions().mode() & 0o777, mode, "{path}");
    }
    let process = format!("/proc/{}", view["pid"]);
    assert!(Path::new(&process).exists());
    world.takeback(&["undo", "--yes"]).expect(0);
    assert_eq!(world.read("a/f.txt").as_deref(), Some("before\n"));
    world.takeback(&["watch", "--end"]).expect(0);
    until(|| !Path::new(&process).exists());
    world.takeback(&["watch", "--end"]).expect(3);
}

#[test]
fn nobody_starts_a_watcher_unasked() {
    let mut world = world();
    world.set_variable("TAKEBACK_WATCHER", "");
    world.agent("s").turn("begin", |turn| turn.shell("true"));
    assert_eq!(watcher(&world)["state"], "off");
    assert!(!world.state().join("watcher").exists());
}
