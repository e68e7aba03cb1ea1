//! A client at work: files are not moved under its hands.

use testkit::mock::{Plans, say, shell, write};

use crate::frame::{Claude, Client, Codex, OpenCode, Scene};

#[test]
fn nothing_is_taken_back_while_claude_code_is_at_work() {
    refused_while_at_work(&Claude::New);
}

#[test]
fn nothing_is_taken_back_while_an_older_claude_code_is_at_work() {
    refused_while_at_work(&Claude::Old);
}

#[test]
fn nothing_is_taken_back_while_codex_is_at_work() {
    refused_while_at_work(&Codex::Code);
}

#[test]
fn nothing_is_taken_back_while_open_code_is_at_work() {
    refused_while_at_work(&OpenCode);
}

#[test]
fn open_code_is_stopped_first_if_that_is_asked_for() {
    let Some(scene) = Scene::with(&OpenCode, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    let running = scene.start(Some(&conversation), "P2 [[plan:long]]");
    scene.wait_for_file("begun");
    scene.order(&["undo", "--stop"]);
    scene.expect_files(&first);
    scene.finish(running);
    scene.expect_files(&first);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
}

#[test]
fn claude_code_cannot_be_stopped_from_outside_and_that_is_said() {
    let Some(scene) = Scene::with(&Claude::New, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let running = scene.start(Some(&conversation), "P2 [[plan:long]]");
    scene.wait_for_file("begun");
    let at_work = scene.look();
    let refused = scene.world.takeback(&["undo", "--stop", "--yes"]).expect(5);
    assert!(refused.err.contains("no way to be stopped"), "{}", refused.err);
    scene.expect_files(&at_work);
    running.kill();
    scene.end_all();
}

fn plans() -> Plans {
    Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Done.")])
        .with("long", [shell("echo half > one.txt; touch begun; until test -e go; do sleep 0.1; done"), say("Done.")])
        .with("say", [say("Said.")])
}

fn refused_while_at_work(client: &dyn Client) {
    let Some(scene) = Scene::with(client, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    let running = scene.start(Some(&conversation), "P2 [[plan:long]]");
    scene.wait_for_file("begun");
    let at_work = scene.look();

    for order in [["undo", "--yes"], ["undo", "--files"]] {
        let refused = scene.world.takeback(&[&order[..], &["--json"]].concat());
        assert_eq!((refused.status, &refused.json()["outcome"]), (Some(5), &"refused".into()), "{refused:?}");
    }
    scene.expect_files(&at_work);

    scene.world.write("go", "");
    scene.finish(running).well();
    std::fs::remove_file(scene.world.workspace().join("go")).expect("it is there");
    let conversation = scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
}
