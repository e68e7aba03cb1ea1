//! What goes wrong in a client's turn: it is killed, or its model fails. The turn can be taken back all the same.

use testkit::mock::{Plans, fail, say, shell, write};

use crate::frame::{Claude, Client, Codex, OpenCode, Scene};

#[test]
fn a_turn_in_which_claude_code_was_killed_is_taken_back() {
    taken_back_after_a_kill(&Claude::New);
}

#[test]
fn a_turn_in_which_an_older_claude_code_was_killed_is_taken_back() {
    taken_back_after_a_kill(&Claude::Old);
}

#[test]
fn a_turn_in_which_codex_was_killed_is_taken_back() {
    taken_back_after_a_kill(&Codex::Tools);
}

#[test]
fn a_turn_in_which_open_code_was_killed_is_taken_back() {
    taken_back_after_a_kill(&OpenCode);
}

#[test]
fn a_turn_of_claude_code_that_ends_in_an_error_of_the_model_is_taken_back() {
    taken_back_after_an_error(&Claude::New);
}

#[test]
fn a_turn_of_codex_that_ends_in_an_error_of_the_model_is_taken_back() {
    taken_back_after_an_error(&Codex::Tools);
}

#[test]
fn a_turn_of_open_code_that_ends_in_an_error_of_the_model_is_taken_back() {
    taken_back_after_an_error(&OpenCode);
}

fn plans() -> Plans {
    Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Done.")])
        .with("long", [shell("echo half > one.txt; touch begun; sleep 100"), say("Done.")])
        .with("broken", [shell("echo half > one.txt; touch begun"), fail(400)])
        .with("say", [say("Said.")])
}

fn taken_back_after_a_kill(client: &dyn Client) {
    let Some(scene) = Scene::with(client, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    let running = scene.start(Some(&conversation), "P2 [[plan:long]]");
    scene.wait_for_file("begun");
    running.kill();
    scene.end_all();

    let conversation = scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
}

fn taken_back_after_an_error(client: &dyn Client) {
    let Some(scene) = Scene::with(client, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    scene.run(&client.prompt(Some(&conversation), "P2 [[plan:broken]]"));
    assert!(scene.look().contains_key("begun"));

    let conversation = scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
}
