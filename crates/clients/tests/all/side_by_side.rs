//! A client's own undo beside takeback's, on one and the same story: three turns with a user's edits in between, taken back
//! to before the second one. Every path and the history the model is sent are counted; takeback has to be right in all of
//! it. `cargo xtask compare` shows the table.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use testkit::{Thing, Tree};

use crate::frame::{Claude, Client, Codex, OpenCode, Scene, Server, words};
use crate::story::{Acts, Folder, furnish, plans};

#[test]
fn takeback_is_right_where_the_undo_of_an_agent_itself_is_not_asked_to_be() {
    compare("Claude Code 2.1.332", &Claude::New, Folder::Git, undo_of_claude_code);
    compare("Codex 0.171.0", &Codex::Tools, Folder::Git, undo_of_codex);
    compare("OpenCode 1.18.33 with git", &OpenCode, Folder::Git, undo_of_open_code);
    compare("OpenCode 1.18.33 without git", &OpenCode, Folder::Plain, undo_of_open_code);
}

/// How an undo ended.
struct Score {
    right: usize,
    wrong: BTreeSet<String>,
    is_conversation_right: bool,
}

fn compare(name: &str, client: &dyn Client, folder: Folder, own: fn(&Scene<'_>, &str)) {
    let Some(scene) = Scene::bare(client, plans(client.doer())) else { return };
    let own_undo_on = [("CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING", "1")];
    scene.add_variables(&own_undo_on);
    scene.edit_file_of_home(".config/opencode/opencode.json", "\"snapshot\":false", "\"snapshot\":true");
    let score = play(&scene, folder, |conversation| {
        own(&scene, conversation);
        conversation.to_owned()
    });
    print(name, "its own", &score);
    let Some(scene) = Scene::with(client, plans(client.doer())) else { return };
    let score = play(&scene, folder, |_| scene.move_to(&["rewind", "t2"]));
    print(name, "takeback", &score);
    assert!(score.wrong.is_empty() && score.is_conversation_right, "{:?}", score.wrong);
}

/// Plays the story, takes it back, and asks once more in the conversation that is named then.
fn play(scene: &Scene<'_>, folder: Folder, take_back: impl FnOnce(&str) -> String) -> Score {
    furnish(scene, folder);
    let acts = Acts::play(scene);
    let expected = with_the_edits_of_the_user(&acts);
    let before = scene.look();
    let calls = scene.mock.calls();
    let present = take_back(&acts.conversation);
    let after = scene.look();
    // One that does not end well has lost the conversation, and is counted so.
    let asked = scene.client().prompt(Some(&present), "P5 [[plan:say]]");
    scene.run(&asked);
    // Some ask with the cut itself.
    let is_conversation_right = scene.mock.requests()[calls..].iter().any(|asked| asked.tags() == ["P1", "P5"]);
    let paths: BTreeSet<&String> = before.keys().chain(expected.keys()).chain(after.keys()).collect();
    let differs = |one: &Tree, other: &Tree, path: &String| one.get(path) != other.get(path);
    let at_stake =
        paths.into_iter().filter(|path| differs(&before, &expected, path) || differs(&after, &expected, path));
    let (wrong, right): (Vec<&String>, Vec<&String>) = at_stake.partition(|path| differs(&after, &expected, path));
    Score { right: right.len(), wrong: wrong.into_iter().cloned().collect(), is_conversation_right }
}

#[expect(clippy::print_stdout, reason = "what it prints is what it is for")]
fn print(name: &str, undo: &str, score: &Score) {
    let conversation = if score.is_conversation_right { "right" } else { "wrong" };
    let wrong: Vec<&str> = score.wrong.iter().map(String::as_str).collect();
    println!("| {name} | {undo} | {} | {} {} | {conversation} |", score.right, wrong.len(), wrong.join(" "));
}

/// `--rewind-files`, and the conversation cut where the second prompt is.
fn undo_of_claude_code(scene: &Scene<'_>, conversation: &str) {
    let prompt = prompt_row(scene, conversation, "P2 ");
    let (uuid, before) = (text(&prompt, "uuid"), text(&prompt, "parentUuid"));
    scene.run(&words(&["--resume", conversation, "--rewind-files", &uuid]));
    let cut = [scene.client().prompt(Some(conversation), "P5 [[plan:say]]"), words(&["--resume-session-at", &before])];
    scene.run(&cut.concat());
}

fn prompt_row(scene: &Scene<'_>, conversation: &str, beginning: &str) -> Value {
    let rows = scene.lines_below(".claude/projects", conversation);
    let is_prompt = |row: &Value| row["message"]["content"].as_str().is_some_and(|text| text.starts_with(beginning));
    rows.into_iter().find(is_prompt).expect("the prompt is in the transcript")
}

/// `thread/revert`, which is what Escape twice does in the terminal.
fn undo_of_codex(scene: &Scene<'_>, conversation: &str) {
    let rows = scene.lines_below(".codex/sessions", conversation);
    let turns = rows.iter().filter(|row| row["payload"]["type"] == "task_started");
    let second = turns.map(|row| text(&row["payload"], "turn_id")).nth(1).expect("there were three turns");
    let client = json!({ "name": "test", "version": "1" });
    let calls = [
        json!({ "id": 1, "method": "initialize", "params": { "clientInfo": client, "capabilities": { "experimentalApi": true } } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "thread/resume", "params": { "threadId": conversation } }),
        json!({ "id": 3, "method": "thread/revert", "params": { "threadId": conversation, "beforeTurnId": second } }),
    ];
    let mut command = scene.command();
    command.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().expect("codex can be started");
    let mut input = server.stdin.take().expect("it has an input");
    let answers = std::io::BufReader::new(server.stdout.take().expect("it has an output"));
    calls.iter().for_each(|call| writeln!(input, "{call}").expect("it listens"));
    let done = std::io::BufRead::lines(answers).map_while(Result::ok).find(|line| line.contains("\"id\":3"));
    assert!(done.is_some_and(|line| !line.contains("\"error\"")), "the thread could not be reverted");
    drop(input);
    _ = server.wait();
}

/// `/undo` twice in the terminal: the session is reverted to before the second prompt.
fn undo_of_open_code(scene: &Scene<'_>, conversation: &str) {
    let server = Server::start(scene);
    let message = server.message_with(conversation, "P2 ");
    server.revert(conversation, &message);
    server.end();
}

fn text(value: &Value, member: &str) -> String {
    value[member].as_str().expect("it is a text").to_owned()
}

/// What should be there in the end: the second turn's change of the first line is gone, the user's of the last is not.
fn with_the_edits_of_the_user(acts: &Acts) -> Tree {
    let mut expected = acts.first.clone();
    expected.insert("mine.txt".to_owned(), acts.third["mine.txt"].clone());
    let Some(Thing::File(_, text)) = expected.get_mut("both.txt") else { panic!("it is a file") };
    *text = text.replace("line 7", "MY LINE 7");
    expected
}
