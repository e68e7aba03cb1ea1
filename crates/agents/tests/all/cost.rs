//! What reading costs: with four times as much to read it takes about four times as long, whatever is written there. The
//! time is that of the processor for this thread alone, and the bound lies far from the square.

use std::path::PathBuf;
use std::time::Duration;

use agents::{Target, translate};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

use crate::fixture::{ALL, Files, Fixture, Home, PROJECT, ROWS};

/// So many times longer it may take, and this much more: four times is what it should, sixteen times is the square.
const TIMES_MAX: u32 = 9;
const SLACK: Duration = Duration::from_millis(30);

const NATIVE: &str = "0a-b1";
const CLAUDE: Fixture = ALL[1];
const CODEX: Fixture = ALL[3];
const OPEN_CODE: Fixture = ALL[5];

#[test]
fn a_long_conversation_is_read_and_cut_in_a_time_that_follows_its_length() {
    check_reading(CLAUDE, 4_000, |rows| claude((0..rows).map(|at| claude_row(at, at.checked_sub(1), &turn_of(at)))));
    check_reading(CODEX, 4_000, codex);
    check_reading(OPEN_CODE, 1_000, open_code);
}

#[test]
fn a_compaction_that_many_name_costs_no_more_for_each_of_them() {
    check_reading(CLAUDE, 12_000, |rows| {
        let kept: Vec<String> = (0..rows).map(uuid).collect();
        let attachments = (0..rows).map(|at| claude_row(at, None, &json!({ "type": "attachment" })));
        let boundary = json!({
            "type": "system", "subtype": "compact_boundary",
            "compactMetadata": { "preservedMessages": { "uuids": kept } },
        });
        let summary = json!({ "type": "user", "isCompactSummary": true, "message": { "content": "x" } });
        let boundary = std::iter::once(claude_row(rows, None, &boundary));
        claude(attachments.chain(boundary).chain((rows + 1..2 * rows).map(|at| claude_row(at, Some(rows), &summary))))
    });
}

#[test]
fn prompts_that_share_one_id_cost_no_more_than_others() {
    let row = json!({ "type": "user", "promptId": "one", "message": { "content": "x" } });
    check_reading(CLAUDE, 4_000, |rows| claude((0..rows).map(|at| claude_row(at, at.checked_sub(1), &row))));
}

#[test]
fn payloads_full_of_escapes_are_translated_in_a_time_that_follows_their_length() {
    for piece in ["\\udc00", "\\\\", "\\ud83e\\udd80 ", "& ", "'", "*** Add File: a\\n", "a;"] {
        let payload = |pieces: usize| {
            let command = piece.repeat(pieces);
            format!(
                r#"{{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"apply_patch","tool_input":{{"command":"{command}"}}}}"#
            )
        };
        check(40_000, payload, |payload| {
            for fixture in [CLAUDE, CODEX, OPEN_CODE] {
                assert!(translate(fixture.agent, payload.as_bytes()).is_ok(), "{piece}");
            }
        });
    }
}

#[test]
fn a_huge_line_is_read_or_left_out_and_the_others_are_read() {
    for fixture in ALL {
        let native = &fixture.conversations()[0];
        let whole = Home::with(fixture, &fixture.files()).read(native).expect("it is whole");
        let huge = "x".repeat(5 << 20);
        for line in [json!({ "type": "later", "text": huge }).to_string(), huge.clone(), "[".repeat(5 << 20)] {
            let mut files = fixture.files();
            for file in files.values_mut() {
                file.extend_from_slice(line.as_bytes());
                file.push(b'\n');
            }
            let read = Home::with(fixture, &files).read(native).expect("the others can be read");
            assert_eq!((&read.entries, &read.line), (&whole.entries, &whole.line), "{fixture:?}");
            let is_torn = fixture.agent != "opencode" && !line.starts_with('{');
            assert_eq!(!read.left_out.is_empty(), is_torn, "{fixture:?} {:?}", read.left_out);
        }
    }
}

/// Checks how long it takes to read what `files` writes, and to make ready what a rewind to its last prompt needs.
fn check_reading(fixture: Fixture, count: usize, files: impl Fn(usize) -> Files) {
    let home = |count: usize| Home::with(fixture, &files(count));
    check(count, home, |home| {
        let conversation = home.read(NATIVE).expect("it is written as the client would");
        let seat = home.seat(NATIVE);
        for prompt in [conversation.line.first(), conversation.line.last()].into_iter().flatten() {
            for target in [Target::Before { prompt: prompt.clone() }, Target::Fork { prompt: Some(prompt.clone()) }] {
                let lever = fixture.driver().prepare(&seat, &target).expect("it can be made ready");
                fixture.driver().discard(&seat, &lever);
            }
        }
    });
}

fn check<World>(count: usize, make: impl Fn(usize) -> World, run: impl Fn(&World)) {
    let (few, many) = (make(count), make(4 * count));
    let shortest = |world: &World| (0..3).map(|_| time_of(|| run(world))).min().unwrap_or_default();
    let (short, long) = (shortest(&few), shortest(&many));
    assert!(long <= short * TIMES_MAX + SLACK, "{count}: {short:?}, four times as much: {long:?}");
}

fn time_of(run: impl FnOnce()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let before = now();
    run();
    now().saturating_sub(before)
}

fn uuid(at: usize) -> String {
    format!("u{at}")
}

/// A prompt, an answer, a prompt, …
fn turn_of(at: usize) -> Value {
    let kind = if at.is_multiple_of(2) { "user" } else { "assistant" };
    json!({ "type": kind, "promptId": format!("p{at}"), "message": { "content": "x" } })
}

fn claude_row(at: usize, parent: Option<usize>, row: &Value) -> Value {
    let mut row = row.clone();
    row["uuid"] = uuid(at).into();
    row["parentUuid"] = parent.map(uuid).into();
    row
}

fn claude(rows: impl Iterator<Item = Value>) -> Files {
    let name = format!(".claude/projects/{}/{NATIVE}.jsonl", PROJECT.replace('/', "-"));
    [(PathBuf::from(name), lines(rows))].into()
}

fn codex(turns: usize) -> Files {
    let meta = json!({ "type": "session_meta", "payload": { "id": NATIVE } });
    let turn = |at: usize| {
        let begin = json!({ "type": "event_msg", "payload": { "type": "task_started", "turn_id": format!("t{at}") } });
        let content = [json!({ "type": "input_text", "text": "x" })];
        let prompt =
            json!({ "type": "response_item", "payload": { "type": "message", "role": "user", "content": content } });
        [begin, prompt]
    };
    let name = format!(".codex/sessions/2026/12/01/rollout-2026-12-01T00-00-00-{NATIVE}.jsonl");
    [(PathBuf::from(name), lines(std::iter::once(meta).chain((0..turns).flat_map(turn))))].into()
}

fn open_code(messages: usize) -> Files {
    let made = String::from_utf8(OPEN_CODE.files().remove(&PathBuf::from(ROWS)).expect("it is there")).expect("JSON");
    let mut rows: Vec<Value> = Vec::new();
    for line in made.lines().map(|line| serde_json::from_str::<Value>(line).expect("a row is JSON")) {
        let is_session = line["table"] == "session" && rows.iter().all(|row| row["table"].is_null());
        if is_session || !line["make"].is_null() {
            rows.push(line);
        }
    }
    for row in rows.iter_mut().filter(|row| row["table"] == "session") {
        row["row"]["id"] = NATIVE.into();
    }
    rows.sort_by_key(|row| !row["table"].is_null());
    for at in 0..messages {
        let data = json!({ "role": "user", "time": { "created": at } }).to_string();
        let row = json!({ "id": format!("m{at:08}"), "session_id": NATIVE, "time_created": at, "time_updated": 0, "data": data });
        rows.push(json!({ "table": "message", "row": row }));
        let data = json!({ "type": "text", "text": "x" }).to_string();
        let row = json!({
            "id": format!("p{at:08}"), "message_id": format!("m{at:08}"), "session_id": NATIVE,
            "time_created": at, "time_updated": 0, "data": data,
        });
        rows.push(json!({ "table": "part", "row": row }));
    }
    [(PathBuf::from(ROWS), lines(rows.into_iter()))].into()
}

fn lines(rows: impl Iterator<Item = Value>) -> Vec<u8> {
    rows.flat_map(|row| format!("{row}\n").into_bytes()).collect()
}
