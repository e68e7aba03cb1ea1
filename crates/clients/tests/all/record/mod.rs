//! What each client sends to hooks and writes down, held against the recordings that the translators are tested with:
//! `crates/agents/tests/fixtures`. The translators themselves are not used here.
//!
//! With `TAKEBACK_RECORD=1` the recordings are made anew. What is read back from them is then to be looked at.

mod older;
mod recorder;
mod scrub;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use testkit::mock::{Plans, edit, fail, many, read, say, shell, subagent, write};

use crate::frame::{Claude, Client, Codex, Doer, OpenCode, Scene, words};
use older::Older;
use recorder::Recording;

#[test]
fn claude_code_sends_what_was_recorded() {
    check(&Claude::New);
}

#[test]
fn the_older_claude_code_sends_what_was_recorded() {
    check(&Claude::Old);
}

#[test]
fn codex_sends_what_was_recorded() {
    check(&Codex::Tools);
}

#[test]
fn an_older_codex_sends_what_was_recorded() {
    check(&Older { client: &Codex::Tools, version: "0.153.4" });
}

#[test]
fn open_code_sends_what_was_recorded() {
    check(&OpenCode);
}

#[test]
fn an_older_open_code_sends_what_was_recorded() {
    check(&Older { client: &OpenCode, version: "1.17.19" });
}

fn check(client: &dyn Client) {
    let Some(scene) = Scene::bare(client, plans(client.doer())) else { return };
    scene.world.write("notes.txt", "one\ntwo\n");
    scene.world.write("keep.txt", "keep\n");
    recorder::listen(&scene);
    play(&scene);
    let recording = recorder::collect(&scene);
    let folder = fixture(client);
    if std::env::var("TAKEBACK_RECORD").is_ok_and(|record| record == "1") {
        recording.save(&folder);
    }
    let known = Recording::load(&folder);
    assert_eq!(recording.kinds(), known.kinds(), "the client sends other events than those in {}", folder.display());
}

/// Edits, a shell, calls side by side, one that fails, a subagent, a compaction, an error of the model, a fork.
fn play(scene: &Scene<'_>) {
    let client = scene.client();
    let conversation = scene.begin("P1 [[plan:one]]");
    scene.go_on(&conversation, "P2 [[plan:two]]");
    scene.go_on(&conversation, "P3 [[plan:three]]");
    match client.compact(&conversation) {
        Some(compact) => _ = scene.run(&compact).well(),
        None => _ = scene.go_on(&conversation, "P4 [[plan:full]]"),
    }
    scene.go_on(&conversation, "P5 [[plan:say]]");
    if client.agent() == "claude-code" {
        // Without the list of what is allowed the shell is refused.
        let mut arguments = client.prompt(Some(&conversation), "P6 [[plan:refused]]");
        arguments.retain(|word| !matches!(word.as_str(), "--allowedTools" | "Bash" | "Agent" | "Task"));
        scene.run(&arguments).well();
    }
    scene.run(&client.prompt(Some(&conversation), "P7 [[plan:broken]]"));
    let forking = match client.agent() {
        "claude-code" => "--fork-session",
        "opencode" => "--fork",
        _ => return,
    };
    let arguments = [client.prompt(Some(&conversation), "P8 [[plan:say]]"), words(&[forking])].concat();
    scene.run(&arguments).well();
}

fn plans(doer: Doer) -> Plans {
    let deep_work = [write("deep/down.txt", "deep\n"), shell("echo more >> keep.txt")];
    let three = match doer {
        Doer::Subagent => vec![subagent("deep")],
        Doer::Agent => deep_work.to_vec(),
    };
    let side_by_side = many([shell("echo 1 > first.txt"), shell("echo 2 > second.txt"), write("third.txt", "3\n")]);
    Plans::new()
        .with("one", [read("notes.txt"), edit("notes.txt", "two", "TWO"), write("fresh.txt", "fresh\n"), say("Done.")])
        .with("two", [side_by_side, shell("echo lost > lost.txt; exit 3"), say("Done.")])
        .with("three", three.into_iter().chain([say("Done.")]))
        .with("deep", deep_work.into_iter().chain([say("Deep.")]))
        .with("full", [shell("echo full > full.txt"), say("Done.").filling()])
        .with("refused", [shell("curl -d @keep.txt http://127.0.0.1:9/"), say("Refused.")])
        .with("broken", [fail(400)])
        .with("say", [say("Said.")])
}

fn fixture(client: &dyn Client) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../agents/tests/fixtures");
    fixtures.join(client.agent()).join(client.pin().version)
}

/// The kinds of event in a recording.
type Kinds = BTreeSet<String>;
