//! Clients in a terminal, as people use them: commands typed in the chat, the conversation taken up in the same
//! process, the client's own rewind noticed, and Escape in the middle of a command.

use testkit::mock::{Plans, say, shell, write};

use crate::frame::{Claude, Client, Scene, Terminal};

#[test]
fn in_the_terminal_of_claude_code_turns_are_taken_back_and_brought_again() {
    let Some(scene) = scene(&Claude::New) else { return };
    let Some(terminal) = Terminal::open(&scene, &CLAUDE) else { return };
    terminal.wait_for("❯");
    let (first, second) = play_two_turns(&scene, &terminal);

    terminal.enter("/takeback:undo");
    terminal.wait_for("/resume ");
    scene.expect_files(&first);
    terminal.enter(&format!("/resume {}", scene.present()));
    terminal.wait_until("the second turn is gone", |screen| !screen.contains("Said two.") && screen.contains("Said one."));
    terminal.enter("/takeback:redo");
    terminal.wait_for("/resume ");
    scene.expect_files(&second);
    terminal.enter(&format!("/resume {}", scene.present()));
    terminal.wait_for("Said two.");
    assert_eq!(scene.mock.calls(), 4);
    terminal.enter("P3 [[plan:three]]");
    terminal.wait_for("Said three.");
    scene.expect_history("P1 P2 P3");
}

/// What lets it work without a question; root may not skip permissions.
const CLAUDE: [&str; 4] = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"];

fn scene(client: &dyn Client) -> Option<Scene<'_>> {
    let plans = Plans::new()
        .with("one", [write("one.txt", "1\n"), say("Said one.")])
        .with("two", [shell("echo 2 > one.txt; mkdir empty"), say("Said two.")])
        .with("three", [say("Said three.")])
        .with("long", [shell("echo half > one.txt; touch begun; sleep 100"), say("Said long.")]);
    Scene::with(client, plans)
}

/// Two turns; returns what is there after each.
fn play_two_turns(scene: &Scene<'_>, terminal: &Terminal<'_>) -> (testkit::Tree, testkit::Tree) {
    terminal.enter("P1 [[plan:one]]");
    terminal.wait_for("Said one.");
    let first = scene.look();
    terminal.enter("P2 [[plan:two]]");
    terminal.wait_for("Said two.");
    (first, scene.look())
}
