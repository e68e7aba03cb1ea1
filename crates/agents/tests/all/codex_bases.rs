//! Rollouts of Codex that go on from others, and turns in them that nobody asked for.

use std::path::{Path, PathBuf};

use agents::{Conversation, DriverError, Target};
use serde_json::{Value, json};

use crate::fixture::{ALL, Files, Fixture, Home};

const CODEX: Fixture = ALL[3];
const CHILD: &str = "01a22fa6-0000-7000-8000-000000000001";
const OTHER: &str = "01a22fa6-0000-7000-8000-000000000002";

#[test]
fn a_rollout_goes_on_from_the_place_in_another_that_it_names() {
    let parent = Parent::recorded();
    let third = parent.turn(2);
    let files = parent.with_child(&json!({
        "thread_id": parent.thread,
        "end_ordinal_exclusive": parent.ordinal(third),
        "end_byte_offset": parent.bytes_before(third),
    }));
    let whole = Home::with(CODEX, &files).read(&parent.thread).expect("it is one of a real client");
    let read = Home::with(CODEX, &files).read(CHILD).expect("it goes on from there");
    assert_eq!(read.line, whole.line[..2]);
    assert_eq!(read.entries, whole.entries[..read.entries.len()]);
}

#[test]
fn a_rollout_that_goes_on_from_nowhere_is_refused() {
    let parent = Parent::recorded();
    let third = parent.turn(2);
    let right = json!({
        "thread_id": parent.thread,
        "end_ordinal_exclusive": parent.ordinal(third),
        "end_byte_offset": parent.bytes_before(third),
    });
    let wrong = [
        ("thread_id", json!("../../x")),
        ("thread_id", json!("")),
        ("thread_id", json!(OTHER)),
        ("thread_id", json!(CHILD)),
        ("end_ordinal_exclusive", json!(0)),
        ("end_ordinal_exclusive", json!(u64::MAX)),
        ("end_byte_offset", json!(0)),
        ("end_byte_offset", json!(u64::MAX)),
        ("end_byte_offset", json!(parent.bytes_before(third) - 2)),
        ("end_byte_offset", json!("1")),
    ];
    for (member, value) in wrong {
        let mut base = right.clone();
        base[member] = value;
        assert_unknown(&parent.with_child(&base), CHILD);
    }
    assert_unknown(&parent.with_child(&json!([])), CHILD);
}

#[test]
fn a_rollout_goes_on_from_a_later_part_of_a_thread_which_goes_by_an_id_of_its_own() {
    let parent = Parent::recorded();
    let third = parent.turn(2);
    let base = json!({
        "thread_id": parent.thread,
        "end_ordinal_exclusive": parent.ordinal(third),
        "end_byte_offset": parent.bytes_before(third),
    });
    let part =
        json!({ "type": "session_meta", "ordinal": 0, "payload": { "id": parent.thread, "history_base": base } });
    let part = format!("{part}\n");
    let mut files = parent.files();
    files.insert(rollout("2026-12-02T00-00-00", CHILD), meta(CHILD, OTHER, part.len()).into_bytes());
    files.insert(rollout("2026-12-01T00-00-00", &format!("{}_{OTHER}", parent.thread)), part.into_bytes());
    let whole = Home::with(CODEX, &parent.files()).read(&parent.thread).expect("it is one of a real client");
    let read = Home::with(CODEX, &files).read(CHILD).expect("it goes on from there");
    assert_eq!(read.line, whole.line[..2]);
}

#[test]
fn rollouts_that_go_on_from_each_other_are_refused() {
    let child = |bytes: usize| meta(CHILD, OTHER, bytes);
    let other = |bytes: usize| meta(OTHER, CHILD, bytes);
    let (child_bytes, other_bytes) = (child(999).len(), other(999).len());
    assert!((100..1_000).contains(&child_bytes) && (100..1_000).contains(&other_bytes));
    let files = [
        (rollout("2026-12-02T00-00-00", CHILD), child(other_bytes).into_bytes()),
        (rollout("2026-12-02T00-00-01", OTHER), other(child_bytes).into_bytes()),
    ];
    let refusal = assert_unknown(&files.into(), CHILD);
    assert!(refusal.contains("circle"), "{refusal}");
}

#[test]
fn a_turn_without_a_prompt_does_not_shift_where_a_rollout_is_cut() {
    let mut parent = Parent::recorded();
    let line = Home::with(CODEX, &parent.files()).read(&parent.thread).expect("it is one of a real client").line;
    let begin = json!({ "type": "event_msg", "payload": { "type": "task_started", "turn_id": "of nobody" } });
    parent.lines.insert(parent.turn(2), begin.to_string());
    for (at, prompt) in line.iter().enumerate() {
        let home = Home::with(CODEX, &parent.files());
        let target = Target::Before { prompt: prompt.clone() };
        let lever = CODEX.driver().prepare(&home.seat(&parent.thread), &target).expect("it can be made ready");
        assert_eq!(home.read(&lever.native).map(|there| there.line), Ok(line[..at].to_vec()));
    }
}

#[test]
fn a_line_that_is_there_twice_counts_once_and_that_is_said() {
    let mut parent = Parent::recorded();
    let read = |parent: &Parent| -> Conversation {
        Home::with(CODEX, &parent.files()).read(&parent.thread).expect("it can be read")
    };
    let once = read(&parent);
    let turn: Vec<String> = parent.lines[parent.turn(0)..parent.turn(1)].to_vec();
    parent.lines.extend(turn);
    let twice = read(&parent);
    assert_eq!((&twice.entries, &twice.line), (&once.entries, &once.line));
    assert_eq!(twice.left_out, ["10 lines of the rollout are there twice"]);
}

/// A recorded rollout in lines.
struct Parent {
    path: PathBuf,
    thread: String,
    lines: Vec<String>,
}

impl Parent {
    fn recorded() -> Self {
        let (path, bytes) = CODEX.files().into_iter().next().expect("there is one");
        let text = String::from_utf8(bytes).expect("it is a text");
        Self { path, thread: CODEX.conversations().remove(0), lines: text.lines().map(str::to_owned).collect() }
    }

    fn files(&self) -> Files {
        let text: String = self.lines.iter().map(|line| format!("{line}\n")).collect();
        [(self.path.clone(), text.into_bytes())].into()
    }

    /// The rollout, and a second one that goes on from it.
    fn with_child(&self, base: &Value) -> Files {
        let meta = json!({ "type": "session_meta", "ordinal": 0, "payload": { "id": CHILD, "history_base": base } });
        let mut files = self.files();
        files.insert(rollout("2026-12-02T00-00-00", CHILD), format!("{meta}\n").into_bytes());
        files
    }

    /// Where a turn begins.
    fn turn(&self, turn: usize) -> usize {
        let begins = |line: &String| line.contains("\"task_started\"");
        self.lines.iter().enumerate().filter(|(_, line)| begins(line)).nth(turn).expect("there are so many").0
    }

    fn ordinal(&self, line: usize) -> u64 {
        let value: Value = serde_json::from_str(&self.lines[line]).expect("a line is JSON");
        value["ordinal"].as_u64().expect("a line has an ordinal")
    }

    fn bytes_before(&self, line: usize) -> usize {
        self.lines[..line].iter().map(|line| line.len() + 1).sum()
    }
}

/// The one line of a rollout that goes on from the first line of another.
fn meta(id: &str, base: &str, bytes: usize) -> String {
    let base = json!({ "thread_id": base, "end_ordinal_exclusive": 1, "end_byte_offset": bytes });
    let meta = json!({ "type": "session_meta", "ordinal": 0, "payload": { "id": id, "history_base": base } });
    format!("{meta}\n")
}

fn rollout(time: &str, thread: &str) -> PathBuf {
    Path::new(".codex/sessions/2026/12/02").join(format!("rollout-{time}-{thread}.jsonl"))
}

fn assert_unknown(files: &Files, native: &str) -> String {
    match Home::with(CODEX, files).read(native) {
        Err(DriverError::UnknownShape { reason }) => reason,
        other => panic!("{other:?}"),
    }
}
