//! Every exit status, and that all but 0 and 6 mean that nothing has changed.

use std::fs;
use std::os::unix::fs::symlink;

use testkit::{Tree, World};

use crate::world;

#[track_caller]
fn expect_unchanged(world: &World, before: &Tree, arguments: &[&str], status: i32) -> String {
    let ran = world.takeback(arguments).expect(status);
    assert_eq!(&world.look(), before, "`{arguments:?}` changed something");
    ran.text()
}

fn world_with_a_turn() -> World {
    let world = world();
    world.write("a.txt", "old\n");
    world.agent("s").turn("change a", |turn| turn.write("a.txt", "new\n"));
    world
}

#[test]
fn without_a_terminal_nothing_is_written_unless_yes_was_said() {
    let world = world_with_a_turn();
    let plan = expect_unchanged(&world, &world.look(), &["undo", "--json"], 5);
    assert!(plan.contains("\"preview\""), "the plan is printed all the same: {plan}");
    world.takeback(&["undo", "--yes"]).expect(0);
}

#[test]
fn unknown_commands_options_targets_and_names_are_wrong_usage() {
    let world = world_with_a_turn();
    let before = world.look();
    let wrong: [&[&str]; 12] = [
        &["undoo"],
        &["undo", "--forever"],
        &["undo", "0"],
        &["undo", "1", "--steps", "1"],
        &["rewind", "t9", "--yes"],
        &["rewind", "banana", "--yes"],
        &["revert", "t9.9", "--yes"],
        &["revert", "op9", "--yes"],
        &["restore", "c99999", "--yes"],
        &["restore", "no-such-name", "--yes"],
        &["show", "nothing-of-this-name"],
        &["undo", "--session", "nobody", "--yes"],
    ];
    for arguments in wrong {
        let printed = expect_unchanged(&world, &before, arguments, 2);
        assert_eq!(printed, "", "{arguments:?}");
    }
}

#[test]
fn nothing_to_do_is_a_status_of_its_own_with_a_whole_report() {
    let world = world_with_a_turn();
    let before = world.look();
    expect_unchanged(&world, &before, &["redo", "--yes"], 3);
    world.takeback(&["undo", "--yes"]).expect(0);
    let before = world.look();
    let report = expect_unchanged(&world, &before, &["undo", "--yes", "--json"], 3);
    assert!(report.contains("\"outcome\":\"nothing\""), "{report}");
    expect_unchanged(&world, &before, &["rewind", "t1", "--yes"], 3);
}

#[test]
fn where_nobody_has_worked_every_order_has_nothing_to_do() {
    let world = world();
    world.write("a.txt", "a\n");
    let before = world.look();
    let orders: [&[&str]; 5] =
        [&["undo"], &["redo"], &["rewind", "t1"], &["revert", "t1"], &["restore", "c1", "a.txt"]];
    let ask = |order: &[&str]| {
        let arguments = [order, &["--yes", "--json"]].concat();
        let report: serde_json::Value =
            serde_json::from_str(&expect_unchanged(&world, &before, &arguments, 3)).unwrap();
        assert_eq!((&report["outcome"], &report["verb"]), (&"nothing".into(), &order[0].into()));
        let preview = [&["preview"], order].concat();
        expect_unchanged(&world, &before, &preview, 3);
    };
    orders.into_iter().for_each(ask);
    world.takeback(&["checkpoint"]).expect(0);
    [&["undo"][..], &["redo"]].into_iter().for_each(ask);
}

#[test]
fn a_conflict_stops_everything_and_names_the_path() {
    let world = world();
    world.write("a.txt", "1\n");
    world.write("b.txt", "1\n");
    world.agent("s").turn("change both", |turn| {
        turn.write("a.txt", "2\n");
        turn.write("b.txt", "2\n");
    });
    world.write("a.txt", "3\n");
    let before = world.look();
    let report = expect_unchanged(&world, &before, &["undo", "--yes"], 4);
    assert!(report.contains("Conflicts:\n  a.txt  (edited by somebody else)"), "{report}");
    expect_unchanged(&world, &before, &["preview", "undo"], 4);
    world.takeback(&["undo", "--yes", "--on-conflict", "keep"]).expect(0);
    assert_eq!((world.read("a.txt").unwrap(), world.read("b.txt").unwrap()), ("3\n".to_owned(), "1\n".to_owned()));
}

#[test]
fn a_running_agent_refuses_and_yes_does_not_override_it() {
    let world = world();
    world.write("a.txt", "old\n");
    let mut agent = world.agent("s");
    let mut turn = agent.begin_turn("change a");
    turn.write("a.txt", "new\n");
    turn.begin("Bash", serde_json::json!({ "command": "sleep 1000" }));
    let before = world.look();
    let report = expect_unchanged(&world, &before, &["undo", "--yes", "--json"], 5);
    assert!(report.contains("\"outcome\":\"refused\""), "{report}");
    world.takeback(&["undo", "--yes", "--even-if-busy"]).expect(0);
    assert_eq!(world.read("a.txt").as_deref(), Some("old\n"));
}

#[test]
fn what_cannot_be_carried_out_fails_and_changes_nothing() {
    let world = world_with_a_turn();
    let moved = world.workspace().with_extension("moved");
    fs::rename(world.workspace(), &moved).unwrap();
    let workspace = world.workspace();
    let arguments = ["-C", workspace.to_str().unwrap(), "undo", "--yes", "--json"];
    let ran = world.takeback_in(&world.home(), &arguments, b"").expect(1);
    assert_eq!(ran.text(), "");
    assert!(ran.err.contains("nothing at"), "{}", ran.err);
    symlink(&moved, world.workspace()).unwrap();
    world.takeback(&["status"]).expect(1);
}

#[test]
fn the_status_of_a_command_that_was_run_is_passed_on() {
    let world = world();
    world.takeback(&["run", "--", "sh", "-c", "exit 42"]).expect(42);
    world.takeback(&["run", "--", "sh", "-c", "kill -9 $$"]).expect(137);
    world.takeback(&["run", "--", "no-such-program-anywhere"]).expect(1);
}
