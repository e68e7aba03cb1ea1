//! The chat as a person meets it, played from scripts.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

/// A folder to chat in.
struct Room {
    folder: TempDir,
}

impl Room {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(folder.path().join("work")).expect("a folder can be made");
        Self { folder }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("work").join(path)
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    /// Plays these lines; returns what the chat showed.
    fn play(&self, lines: &[&str]) -> String {
        let script = self.folder.path().join("script");
        fs::write(&script, lines.join("\n")).expect("a script can be written");
        let ended = Command::new(env!("CARGO_BIN_EXE_takeback-example-chat"))
            .args(["--script".as_ref(), script.as_os_str(), "--state".as_ref()])
            .args([self.folder.path().join("state"), self.at("")])
            .output()
            .expect("the chat can be started");
        let shown = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert!(ended.status.success(), "{shown}");
        shown
    }
}

#[test]
fn an_undone_turn_is_gone_from_files_screen_and_memory() {
    let room = Room::new();
    let shown = room.play(&["write a poem", "please shout", "/undo", "what do you remember?", "/quit"]);
    let (before, after) = shown.split_once("---\n").expect("the conversation is shown anew");
    assert!(before.contains("Everything is in capitals now."));
    assert!(!after.contains("capitals"), "{after}");
    assert!(after.contains("> [please shout] what do you remember?"), "{after}");
    assert!(after.contains("I remember: write a poem."), "{after}");
    assert!(room.read("poem.txt").is_some_and(|poem| poem.starts_with("An old silent pond")));
}

#[test]
fn the_withdrawn_prompt_can_be_changed_and_sent_again() {
    let room = Room::new();
    let shown = room.play(&["write a poem", "/undo", "^a poem^no verse", "/undo", "", "/quit"]);
    assert!(shown.contains("> [write a poem] ^a poem^no verse\nI know these words"), "{shown}");
    assert!(shown.contains("> [write no verse] \nI know these words"), "{shown}");
    assert_eq!(room.read("poem.txt"), None);
}

#[test]
fn what_was_undone_comes_back_with_redo_also_after_a_restart() {
    let room = Room::new();
    room.play(&["write a poem", "please shout", "/undo"]);
    let shown = room.play(&["/redo", "/quit"]);
    let (before, after) = shown.split_once("---\n").expect("the conversation is shown anew");
    assert!(!before.contains("shout") && after.contains("> please shout"), "{shown}");
    assert!(room.read("poem.txt").is_some_and(|poem| poem.starts_with("AN OLD SILENT POND")));
    assert!(room.play(&["/redo", "/quit"]).contains("There is nothing to do."));
}

#[test]
fn rewind_asks_for_turn_and_scope_and_shows_what_it_would_do() {
    let room = Room::new();
    fs::write(room.at("mine.txt"), "mine\n").expect("a file can be written");
    let lines = ["write a poem", "tidy up", "/rewind", "1", "f", "y", "what do you remember?", "/versions", "/quit"];
    let shown = room.play(&lines);
    assert!(shown.contains("  1  write a poem\n  2  tidy up\n"), "{shown}");
    assert!(shown.contains("create mine.txt: planned") && shown.contains("create mine.txt: done"), "{shown}");
    assert_eq!(room.read("mine.txt").as_deref(), Some("mine\n"));
    assert_eq!((room.read("poem.txt"), room.read("notes/plan.txt")), (None, None));
    assert!(shown.contains("I remember: write a poem; tidy up."), "only files went back: {shown}");
    assert!(shown.contains("main"), "{shown}");
}

#[test]
fn a_rewind_that_is_not_wanted_changes_nothing() {
    let room = Room::new();
    let shown = room.play(&["write a poem", "/rewind", "1", "b", "n", "/rewind", "9", "/rewind", "1", "x", "/quit"]);
    assert_eq!(shown.matches("Nothing was changed.").count(), 3, "{shown}");
    assert!(room.read("poem.txt").is_some());
}
