//! Work beside the main line of a turn: commands and subagents in the background, and a shell that changes its folder.

use testkit::mock::{Plans, say, shell, subagent, write};
use testkit::mock::{background, edit};

use crate::frame::{Claude, Client, Codex, OpenCode, Scene, Terminal};

#[test]
fn what_a_command_in_the_background_of_claude_code_does_goes_with_its_turn() {
    background_work_goes_with_its_turn(&Claude::New);
}

#[test]
fn what_a_command_in_the_background_of_an_older_claude_code_does_goes_with_its_turn() {
    background_work_goes_with_its_turn(&Claude::Old);
}

#[test]
fn what_a_command_that_outlives_its_call_in_codex_does_goes_with_its_turn() {
    background_work_goes_with_its_turn(&Codex::Tools);
}

fn background_work_goes_with_its_turn(client: &dyn Client) {
    let plans = Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Said one.")])
        .with(
            "two",
            [
                background("echo begun > begun; until test -e go; do sleep 0.1; done; echo late > one.txt; touch done"),
                shell("until test -e begun; do sleep 0.1; done; touch go; until test -e done; do sleep 0.1; done"),
                say("Said two."),
            ],
        )
        .with("say", [say("Said.")]);
    let Some(scene) = Scene::with(client, plans) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    scene.go_on(&conversation, "P2 [[plan:two]]");
    assert_eq!(scene.world.read("one.txt").as_deref(), Some("late\n"));
    let second = scene.look();

    scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.move_to(&["redo"]);
    scene.expect_files(&second);
    let conversation = scene.move_to(&["undo"]);
    scene.go_on(&conversation, "P3 [[plan:say]]");
    scene.expect_history("P1 P3");
    scene.expect_files(&first);
}

/// It is not known who wrote what appears after the turn, while only a command in the background runs.
#[test]
fn what_appears_while_only_a_background_command_of_claude_code_runs_is_kept_and_named() {
    let plans = Plans::new().with(
        "one",
        [
            write("one.txt", "1\n"),
            background("touch begun; until test -e go; do sleep 0.1; done; echo late > late.txt"),
            shell("until test -e begun; do sleep 0.1; done"),
            say("Said one."),
        ],
    );
    let Some(scene) = Scene::with(&Claude::New, plans) else { return };
    let arguments = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
    let Some(terminal) = Terminal::open(&scene, &arguments) else { return };
    terminal.wait_until("it waits for a prompt", |screen| screen.contains('❯'));
    terminal.ask("P1 [[plan:one]]", "Said one.");
    let shown = scene.world.takeback(&["preview", "undo", "--files", "--json"]).expect(0).json();
    assert_eq!(shown["background"].as_array().map(Vec::len), Some(1), "{shown}");
    scene.world.write("go", "");
    scene.wait_for_file("late.txt");

    let done = scene.world.takeback(&["undo", "--files", "--yes", "--json"]).expect(0).json();
    let kept = done["files"].as_array().expect("files").iter().find(|file| file["path"] == "late.txt");
    assert_eq!(kept.map(|file| &file["reason"]), Some(&"contested".into()), "{done}");
    assert_eq!((scene.world.read("one.txt"), scene.world.read("late.txt").as_deref()), (None, Some("late\n")));
}

#[test]
fn what_a_subagent_of_claude_code_does_can_be_taken_back_with_its_call_or_alone() {
    a_subagent_is_one_with_its_call(&Claude::New);
}

#[test]
fn what_a_subagent_of_an_older_claude_code_does_can_be_taken_back_with_its_call_or_alone() {
    a_subagent_is_one_with_its_call(&Claude::Old);
}

fn a_subagent_is_one_with_its_call(client: &dyn Client) {
    let plans = Plans::new()
        .with(
            "one",
            [write("main.txt", "1\n"), subagent("[[plan:child]]"), shell("echo 2 > last.txt"), say("Said one.")],
        )
        .with("child", [write("child.txt", "1\n"), shell("mv child.txt moved.txt"), say("Said child.")]);
    let Some(scene) = Scene::with(client, plans) else { return };
    scene.begin("P1 [[plan:one]]");
    let all = scene.look();
    assert!(all.contains_key("moved.txt"), "{all:?}");

    let log = scene.world.takeback(&["log", "--json"]).expect(0).json();
    let turns = log["turns"].as_array().expect("turns");
    assert_eq!(turns.len(), 1, "what a subagent does belongs to the turn that called it: {log}");
    let steps = turns[0]["steps"].as_array().expect("steps");
    let child = steps.iter().find_map(|step| step["agent_id"].as_str()).expect("a step of the subagent");
    let call = steps.iter().find(|step| matches!(step["tool"].as_str(), Some("Agent" | "Task")));
    let call = call.and_then(|step| step["id"].as_str()).expect("the call");
    for target in [call, child] {
        scene.order(&["revert", target]);
        let left: Vec<String> = scene.look().into_keys().filter(|path| path.ends_with(".txt")).collect();
        assert_eq!(left, ["last.txt", "main.txt"], "after `revert {target}`");
        scene.order(&["redo"]);
        scene.expect_files(&all);
    }
}

#[test]
fn a_shell_of_claude_code_that_changes_its_folder_stays_in_one_workspace() {
    changes_its_folder(&Claude::New);
}

#[test]
fn a_shell_of_codex_that_changes_its_folder_stays_in_one_workspace() {
    changes_its_folder(&Codex::Tools);
}

#[test]
fn a_shell_of_open_code_that_changes_its_folder_stays_in_one_workspace() {
    changes_its_folder(&OpenCode);
}

fn changes_its_folder(client: &dyn Client) {
    let plans = Plans::new().with("one", [write("sub/a.txt", "1\n2\n"), say("Said one.")]).with(
        "two",
        [
            shell("cd sub && echo 2 > b.txt"),
            shell("touch \"$PWD/here\""),
            edit("sub/a.txt", "2", "two"),
            say("Said two."),
        ],
    );
    let Some(scene) = Scene::with(client, plans) else { return };
    let conversation = scene.begin("P1 [[plan:one]]");
    let first = scene.look();
    scene.go_on(&conversation, "P2 [[plan:two]]");
    let second = scene.look();
    assert!(second.contains_key("sub/b.txt") && scene.world.read("sub/a.txt").is_some_and(|text| text.contains("two")));
    scene.move_to(&["undo"]);
    scene.expect_files(&first);
    scene.move_to(&["redo"]);
    scene.expect_files(&second);
    let sessions = scene.world.takeback(&["sessions", "--json"]).expect(0).json();
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1), "{sessions}");
    let below = scene.world.takeback_in(&scene.world.at("sub"), &["log", "--json"], b"").expect(0).json();
    assert_eq!(below["turns"].as_array().map(Vec::len), Some(2), "the folder below has no record of its own: {below}");
}
