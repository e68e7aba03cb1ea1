//! Undo, redo, rewind, revert, restore and preview, as stories.

use serde_json::{Value, json};
use testkit::{Thing, World};

use crate::world;

/// A world with two turns: the first writes `a.txt` and makes `new/b.txt`, the second changes `c.txt` by shell.
fn world_with_two_turns() -> World {
    let world = world();
    world.write("a.txt", "old a\n");
    world.write("c.txt", "old c\n");
    let mut agent = world.agent("s");
    agent.turn("write two files", |turn| {
        turn.write("a.txt", "new a\n");
        turn.write("new/b.txt", "b\n");
    });
    agent.turn("change c", |turn| turn.shell("echo new c >c.txt"));
    world
}

#[test]
fn undo_takes_back_the_newest_turn_and_redo_brings_it_again() {
    let world = world_with_two_turns();
    let after = world.look();
    let done = world.takeback(&["undo", "--yes", "--json"]).expect(0).json();
    assert_eq!((&done["outcome"], &done["turns"][0]), (&"done".into(), &"t2".into()));
    assert_eq!(world.read("c.txt").as_deref(), Some("old c\n"));
    assert_eq!(world.read("a.txt").as_deref(), Some("new a\n"));
    world.takeback(&["redo", "--yes"]).expect(0);
    assert_eq!(world.look(), after);
}

#[test]
fn rewind_takes_back_a_turn_and_all_that_followed() {
    let world = world();
    world.write("a.txt", "old\n");
    let before = world.look();
    let mut agent = world.agent("s");
    agent.turn("one", |turn| turn.write("a.txt", "one\n"));
    agent.turn("two", |turn| turn.shell("mkdir deep && mv a.txt deep/b.txt && ln -s deep link"));
    world.takeback(&["rewind", "t1", "--yes"]).expect(0);
    assert_eq!(world.look(), before);
}

#[test]
fn revert_takes_back_a_turn_in_the_middle_alone() {
    let world = world_with_two_turns();
    world.takeback(&["revert", "t1", "--yes"]).expect(0);
    assert_eq!(world.read("a.txt").as_deref(), Some("old a\n"));
    assert_eq!(world.read("new/b.txt"), None);
    assert_eq!(world.read("c.txt").as_deref(), Some("new c\n"));
}

#[test]
fn restore_returns_to_a_named_checkpoint_and_keeps_what_the_user_wrote() {
    let world = world();
    world.write("a.txt", "old\n");
    let mut agent = world.agent("s");
    agent.turn("begin", |turn| turn.write("a.txt", "begun\n"));
    world.takeback(&["checkpoint", "begun"]).expect(0);
    agent.turn("go on", |turn| turn.write("a.txt", "gone on\n"));
    world.write("mine.txt", "mine\n");
    let done = world.takeback(&["restore", "begun", "--yes", "--json"]).expect(0).json();
    assert_eq!(world.read("a.txt").as_deref(), Some("begun\n"));
    assert_eq!(world.read("mine.txt").as_deref(), Some("mine\n"));
    let kept = done["files"].as_array().unwrap().iter().find(|file| file["path"] == "mine.txt").unwrap();
    assert_eq!((&kept["result"], &kept["reason"]), (&"kept".into(), &"edited-outside".into()));
}

#[test]
fn a_preview_names_what_would_be_done_and_writes_nothing() {
    let world = world_with_two_turns();
    let before = world.look();
    let planned = world.takeback(&["preview", "undo", "2", "--json"]).expect(0).json();
    assert_eq!(world.look(), before);
    let done = world.takeback(&["undo", "2", "--yes", "--json"]).expect(0).json();
    let paths = |report: &serde_json::Value| -> Vec<String> {
        let files = report["files"].as_array().unwrap().iter();
        files.map(|file| format!("{} {}", file["action"], file["path"])).collect()
    };
    assert_eq!(paths(&planned), paths(&done));
    assert_eq!(planned["outcome"], "preview");
}

#[test]
fn a_command_that_was_run_can_be_taken_back_exactly() {
    let world = world();
    world.write("kept.txt", "kept\n");
    world.write("tool.sh", "#!/bin/sh\n");
    world.link("link", "kept.txt");
    world.make_dir("empty");
    let before = world.look();
    world
        .takeback(&[
            "run",
            "--",
            "sh",
            "-c",
            "rm link; rmdir empty; chmod 755 tool.sh; echo changed >kept.txt; ln -s x y",
        ])
        .expect(0);
    assert_eq!(world.look()["tool.sh"], Thing::File(0o755, "#!/bin/sh\n".to_owned()));
    world.takeback(&["undo", "--yes"]).expect(0);
    assert_eq!(world.look(), before);
}

#[test]
fn undo_keeps_a_file_the_user_edited_later_and_does_the_rest() {
    let world = world_with_two_turns();
    world.write("new/b.txt", "the user went on\n");
    let done = world.takeback(&["undo", "2", "--yes", "--json"]).expect(0).json();
    let left = done["files"].as_array().unwrap().iter().find(|file| file["path"] == "new/b.txt").unwrap();
    assert_eq!(left["reason"], "made-by-session-edited-later");
    assert_eq!(world.read("new/b.txt").as_deref(), Some("the user went on\n"));
    assert_eq!(world.read("a.txt").as_deref(), Some("old a\n"));
}

#[test]
fn undo_of_steps_leaves_the_rest_of_the_turn() {
    let world = world_with_two_turns();
    world.takeback(&["undo", "--steps", "2", "--yes"]).expect(0);
    assert_eq!(world.read("c.txt").as_deref(), Some("old c\n"));
    assert_eq!(world.read("new/b.txt"), None);
    assert_eq!(world.read("a.txt").as_deref(), Some("new a\n"));
}

#[test]
fn orders_are_found_from_a_folder_below_and_for_another_session() {
    let world = world_with_two_turns();
    let mut other = world.agent("other");
    other.turn("elsewhere", |turn| turn.write("d.txt", "d\n"));
    world.takeback_in(&world.at("new"), &["undo", "--session", "s", "--yes"], b"").expect(0);
    assert_eq!(world.read("c.txt").as_deref(), Some("old c\n"));
    assert_eq!(world.read("d.txt").as_deref(), Some("d\n"));
    let elsewhere = world.home();
    let workspace = world.workspace();
    let arguments = ["-C", workspace.to_str().unwrap(), "undo", "--session", "other", "--yes"];
    world.takeback_in(&elsewhere, &arguments, b"").expect(0);
    assert_eq!(world.read("d.txt"), None);
}

#[test]
fn what_a_withdrawn_prompt_held_comes_back_on_one_line_as_it_was_spelled() {
    let world = world();
    let agent = world.agent("s");
    let event = concat!(
        r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"look","#,
        "\"content\": [\n  {\"z\": 1.50,\r\n\"a\": \"caf\\u00e9\\n\"}\n]}"
    );
    world.hook(event.as_bytes()).expect(0);
    agent.send("UserPromptSubmit", json!({ "prompt": "plain" }));
    let undone = world.takeback(&["undo", "2", "--yes", "--json"]).expect(0);
    assert_eq!(undone.text().lines().count(), 1);
    let spelled = r#""attachments":[{"prompt":0,"content":[   {"z": 1.50,  "a": "caf\u00e9\n"} ]}]"#;
    assert!(undone.text().contains(spelled), "{}", undone.text());
    let conversation = &undone.json()["conversation"];
    assert_eq!((&conversation["prompt"], &conversation["prompts"][1]), (&"look".into(), &"plain".into()));

    let redone = world.takeback(&["redo", "--yes", "--json"]).expect(0).json();
    assert_eq!((&redone["conversation"]["prompt"], &redone["conversation"]["attachments"]), (&Value::Null, &json!([])));
}
