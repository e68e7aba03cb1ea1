//! What a client does to a conversation by itself: forks and its own undo are noticed and followed, and nothing is done
//! unasked.

use std::time::{Duration, Instant};

use testkit::mock::{Plans, say, shell, write};

use crate::frame::{Claude, Client, OpenCode, Scene, Server, words};

#[test]
fn a_fork_made_by_claude_code_is_a_session_of_its_own() {
    followed_into_a_fork(&Claude::New, "--fork-session");
}

#[test]
fn a_fork_made_by_open_code_is_a_session_of_its_own() {
    followed_into_a_fork(&OpenCode, "--fork");
}

fn followed_into_a_fork(client: &dyn Client, fork: &str) {
    let Some(scene) = Scene::with(client, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    let arguments = [client.prompt(Some(&conversation), "P2 [[plan:two]]"), words(&[fork])].concat();
    let forked = client.conversation(&scene.run(&arguments).well().text).expect("the client names the fork");
    assert_ne!(forked, conversation);
    scene.expect_history("P1 P2");
    let sessions = scene.world.takeback(&["sessions", "--json"]).expect(0).json();
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(2), "{sessions}");

    let rewound = scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.go_on(&rewound, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
    // The history of before the fork is still there to be taken back.
    scene.order(&["undo", "2"]);
    assert_eq!(scene.world.read("one.txt"), None);
}

#[test]
fn an_undo_of_open_code_itself_is_followed_and_its_redo_too() {
    let Some(scene) = Scene::with(&OpenCode, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    scene.go_on(&conversation, "P2 [[plan:two]]");
    let second = scene.look();
    let server = Server::start(&scene);
    let message = server.message_with(&conversation, "P2 ");

    server.revert(&conversation, &message);
    wait_for_log(&scene, is_cut);
    scene.expect_files(&second);
    server.unrevert(&conversation);
    wait_for_log(&scene, |log| !is_cut(log));
    server.revert(&conversation, &message);
    wait_for_log(&scene, is_cut);

    scene.order(&["rewind", "t2", "--files"]);
    scene.expect_files(&first);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
}

#[test]
fn claude_code_is_told_of_files_that_were_taken_back() {
    told_of_files(&Claude::New);
}

#[test]
fn open_code_is_told_of_files_that_were_taken_back() {
    told_of_files(&OpenCode);
}

#[test]
fn codex_is_told_of_files_that_were_taken_back() {
    told_of_files(&crate::frame::Codex::Code);
}

/// Files alone are taken back: the model is told with the next prompt, and once.
fn told_of_files(client: &dyn Client) {
    let Some(scene) = Scene::with(client, plans()) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    scene.go_on(&conversation, "P2 [[plan:two]]");
    scene.order(&["undo", "--files"]);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P2 P3");
    let told = |tag: &str| {
        let asked = scene.asked(tag);
        asked.lines.iter().filter(|line| line.text.contains("takeback") && line.text.contains("one.txt")).count()
    };
    assert_eq!(told("P3"), 1, "{:#?}", scene.asked("P3").lines);
    scene.go_on(&conversation, "P4 [[plan:say]]");
    assert_eq!(told("P4"), 1, "{:#?}", scene.asked("P4").lines);
}

fn plans() -> Plans {
    Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Done.")])
        .with("two", [shell("echo 2 > one.txt; mkdir empty"), say("Done.")])
        .with("say", [say("Said.")])
}

/// The plugin tells of it a moment later.
#[track_caller]
fn wait_for_log(scene: &Scene<'_>, is_so: impl Fn(&str) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let log = scene.world.takeback(&["log"]).text();
        if is_so(&log) {
            return;
        }
        assert!(Instant::now() < deadline, "{log}");
    }
}

/// Whether a turn is no longer in the conversation.
fn is_cut(log: &str) -> bool {
    log.contains("[undone]") || log.contains("[abandoned]")
}
