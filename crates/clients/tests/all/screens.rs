//! Clients in a terminal, as people use them: commands typed in the chat, the conversation taken up again, the client's
//! own rewind noticed, and Escape in the middle of a command.

use testkit::Tree;
use testkit::mock::{Plans, say, shell, write};

use crate::frame::{Claude, Client, Codex, Scene, Terminal};

#[test]
fn the_running_claude_code_goes_back_and_forth() {
    let Some(scene) = scene(&Claude::New) else { return };
    let Some(terminal) = Terminal::open(&scene, &CLAUDE) else { return };
    let (first, second) = play_two_turns(&scene, &terminal);
    let calls = scene.mock.calls();

    terminal.enter("/takeback:undo");
    terminal
        .wait_until("the second turn is gone", |screen| screen.contains("Said one.") && !screen.contains("Said two."));
    terminal.clear_prompt("P2 [[plan:two]]");
    scene.expect_files(&first);
    terminal.enter("/takeback:redo");
    terminal.wait_for("Said two.");
    scene.expect_files(&second);
    terminal.enter("/takeback:undo");
    terminal.wait_until("the second turn is gone again", |screen| !screen.contains("Said two."));
    terminal.clear_prompt("P2 [[plan:two]]");
    assert_eq!(scene.mock.calls(), calls, "the model was asked");
    terminal.ask("P3 [[plan:three]]", "Said three.");
    scene.expect_history("P1 P3");
    scene.expect_files(&first);
}

#[test]
fn an_older_claude_code_is_told_what_to_type() {
    let Some(scene) = scene(&Claude::Old) else { return };
    let Some(terminal) = Terminal::open(&scene, &CLAUDE) else { return };
    let (first, second) = play_two_turns(&scene, &terminal);
    terminal.ask("/takeback:undo", "/resume ");
    scene.expect_files(&first);
    terminal.enter(&format!("/resume {}", scene.present()));
    terminal.wait_until("the second turn is gone", |screen| !screen.contains("Said two."));
    terminal.ask("/takeback:redo", "/resume ");
    scene.expect_files(&second);
    terminal.enter(&format!("/resume {}", scene.present()));
    terminal.wait_for("Said two.");
    terminal.ask("P3 [[plan:three]]", "Said three.");
    scene.expect_history("P1 P2 P3");
}

#[test]
fn codex_answers_in_its_chat_and_goes_on_where_it_is_resumed() {
    let Some(scene) = scene(&Codex::Code) else { return };
    let Some(terminal) = Terminal::open(&scene, &CODEX) else { return };
    let (first, second) = play_two_turns(&scene, &terminal);
    let calls = scene.mock.calls();
    terminal.ask("takeback undo", "codex resume ");
    scene.expect_files(&first);
    terminal.ask("takeback redo", "codex resume ");
    scene.expect_files(&second);
    terminal.ask("takeback undo", "codex resume ");
    assert_eq!(scene.mock.calls(), calls, "the model was asked");
    drop(terminal);

    let present = scene.present();
    let resume = [&["resume", present.as_str()], &CODEX[..]].concat();
    let Some(terminal) = Terminal::open(&scene, &resume) else { return };
    terminal.wait_for("Said one.");
    terminal.ask("P3 [[plan:three]]", "Said three.");
    scene.expect_history("P1 P3");
    scene.expect_files(&first);
}

#[test]
fn a_running_codex_goes_back_in_its_own_terminal() {
    let Some(scene) = scene(&Codex::Code) else { return };
    let Some(terminal) = Terminal::open(&scene, &[]) else { return };
    trust_hooks(&terminal);
    let (first, _) = play_two_turns(&scene, &terminal);
    let thread = scene.present();

    // From inside the chat: the thread is rewound shortly after the answer.
    let calls = scene.mock.calls();
    terminal.ask("takeback undo", "moved along");
    scene.expect_files(&first);
    scene.wait_for_files_below(".codex/sessions", &thread, 2);
    assert_eq!(scene.mock.calls(), calls, "the model was asked");
    terminal.ask("P3 [[plan:three]]", "Said three.");
    scene.expect_history("P1 P3");
    scene.expect_files(&first);

    // From outside: at once.
    let done = scene.order(&["undo"]);
    assert!(done["conversation"]["resume"].is_null(), "{done}");
    assert_eq!(scene.present(), thread, "it is the same thread still");
    scene.expect_files(&first);
    terminal.ask("P4 [[plan:four]]", "Said four.");
    scene.expect_history("P1 P4");
    let fourth = scene.look();

    // In the middle of a turn: it is stopped first.
    terminal.enter("P5 [[plan:long]]");
    scene.wait_for_file("begun");
    scene.order(&["undo", "--stop"]);
    scene.expect_files(&fourth);
    terminal.wait_until("the turn is over", |screen| screen.to_lowercase().contains("interrupted"));

    // What was taken out is kept under an id of its own.
    terminal.ask("takeback undo", "Undone t4");
    scene.wait_for_files_below(".codex/sessions", &thread, 5);
    scene.expect_files(&first);
    terminal.ask("takeback redo", "codex resume ");
    scene.expect_files(&fourth);
    let kept = scene.present();
    assert_ne!(kept, thread);
    drop(terminal);
    scene.go_on(&kept, "P6 [[plan:three]]");
    scene.expect_history("P1 P4 P6");
    scene.expect_files(&fourth);
}

/// The hooks are trusted the way a person does it: without that no terminal of Codex runs them.
fn trust_hooks(terminal: &Terminal<'_>) {
    terminal.wait_for("Trust all");
    terminal.wait_for_rest();
    terminal.press("Down");
    terminal.wait_until("trust is chosen", |screen| screen.contains("› 2."));
    terminal.press("Enter");
    terminal.wait_until("the hooks are trusted", |screen| !screen.contains("Hooks need review"));
}

#[test]
fn a_command_that_is_interrupted_in_claude_code_is_taken_back() {
    taken_back_after_escape(&Claude::New, &CLAUDE);
}

#[test]
fn a_command_that_is_interrupted_in_codex_is_taken_back() {
    taken_back_after_escape(&Codex::Code, &CODEX);
}

fn taken_back_after_escape(client: &dyn Client, arguments: &[&str]) {
    let Some(scene) = scene(client) else { return };
    let Some(terminal) = Terminal::open(&scene, arguments) else { return };
    let (_, second) = play_two_turns(&scene, &terminal);
    terminal.enter("P3 [[plan:long]]");
    scene.wait_for_file("begun");
    terminal.press("Escape");
    terminal.wait_until("the turn is over", |screen| screen.to_lowercase().contains("interrupted"));
    scene.move_to(&["undo"]);
    scene.expect_files(&second);
}

#[test]
fn a_rewind_in_claude_code_itself_is_followed() {
    let Some(scene) = scene(&Claude::New) else { return };
    let Some(terminal) = Terminal::open(&scene, &CLAUDE) else { return };
    let (first, second) = play_two_turns(&scene, &terminal);
    terminal.enter("/rewind");
    terminal.wait_for("P2 [[plan:two]]");
    terminal.press("Up");
    terminal.press("Enter");
    terminal.wait_for("2. Restore conversation");
    terminal.press("2");
    terminal.wait_until("the second turn is gone", |screen| !screen.contains("Said two."));
    terminal.clear_prompt("P2 [[plan:two]]");
    terminal.ask("P3 [[plan:three]]", "Said three.");
    scene.expect_history("P1 P3");
    scene.expect_files(&second);

    scene.order(&["rewind", "t2", "--files"]);
    scene.expect_files(&first);
    scene.go_on(&scene.present(), "P4 [[plan:three]]");
    scene.expect_history("P1 P3 P4");
}

/// What lets Claude Code work without a question; root may not skip permissions.
const CLAUDE: [&str; 4] = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];

/// What lets Codex work without a question, and end with its terminal.
const CODEX: [&str; 2] = ["--no-daemon", "--dangerously-bypass-hook-trust"];

fn scene(client: &dyn Client) -> Option<Scene<'_>> {
    let plans = Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Said one.")])
        .with("two", [shell("echo 2 > one.txt; mkdir empty"), say("Said two.")])
        .with("three", [say("Said three.")])
        .with("four", [shell("echo 4 > one.txt"), say("Said four.")])
        .with("long", [shell("echo half > one.txt; touch begun; sleep 100"), say("Said long.")]);
    Scene::with(client, plans)
}

/// Two turns; returns what is there after each.
fn play_two_turns(scene: &Scene<'_>, terminal: &Terminal<'_>) -> (Tree, Tree) {
    terminal.wait_until("it waits for a prompt", |screen| screen.contains('❯') || screen.contains('›'));
    terminal.ask("P1 [[plan:one]]", "Said one.");
    let first = scene.look();
    terminal.ask("P2 [[plan:two]]", "Said two.");
    (first, scene.look())
}
