//! Commands of takeback typed in a client's chat: they are answered by the hook, the model is not asked.

use testkit::mock::{Plans, say, write};

use crate::frame::{Claude, Client, Codex, OpenCode, Scene};

#[test]
fn a_command_in_the_chat_of_claude_code_costs_no_call() {
    answered_without_a_call(&Claude::New);
}

#[test]
fn a_command_in_the_chat_of_an_older_claude_code_costs_no_call() {
    answered_without_a_call(&Claude::Old);
}

#[test]
fn a_command_in_the_chat_of_codex_costs_no_call() {
    answered_without_a_call(&Codex::Tools);
}

#[test]
fn a_command_in_the_chat_of_open_code_costs_no_call() {
    answered_without_a_call(&OpenCode);
}

fn answered_without_a_call(client: &dyn Client) {
    let plans = Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Done.")])
        .with("two", [write("two.txt", "2\n"), say("Done.")])
        .with("say", [say("Said.")]);
    let Some(scene) = Scene::with(client, plans) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    scene.go_on(&conversation, "P2 [[plan:two]]");
    let second = scene.look();
    let calls = scene.mock.calls();

    let log = scene.run(&client.in_chat(&conversation, "log"));
    if client.shows_answers() {
        assert!(log.text.contains("P1") && log.text.contains("P2"), "{}", log.text);
    }
    scene.expect_files(&second);
    scene.run(&client.in_chat(&conversation, "undo"));
    scene.expect_files(&first);
    scene.run(&client.in_chat(&conversation, "redo"));
    scene.expect_files(&second);
    scene.run(&client.in_chat(&conversation, "undo"));
    scene.expect_files(&first);
    assert_eq!(scene.mock.calls(), calls, "the model was asked");

    scene.go_on(&scene.present(), "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
    scene.expect_quiet();
}
