//! Hooks: whatever an agent hands in, it is not broken by it.

use serde_json::json;
use testkit::World;

use crate::world;

/// Hands in one payload; gives what was said about it.
#[track_caller]
fn hand_in(world: &World, payload: &[u8]) -> String {
    let before = world.look();
    let ran = world.hook(payload).expect(0);
    assert_eq!(ran.text(), "", "an agent may read standard output as an answer");
    assert_eq!(world.look(), before);
    ran.err
}

#[test]
fn payloads_that_make_no_sense_are_told_and_break_nothing() {
    let world = world();
    let broken: [&[u8]; 12] = [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\"text\"",
        b"{\"hook_event_name\":\"SessionStart\"}",
        b"{\"session_id\":\"s\",\"cwd\":\"/\"}",
        b"{\"hook_event_name\":5,\"session_id\":\"s\"}",
        b"{\"hook_event_name\":\"PreToolUse\",\"session_id\":\"s\",\"cwd\":\".\"",
        b"{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\",\"cwd\":\"/no/such/folder\"}",
        b"{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\"}",
        b"\xff\xfe\x00",
    ];
    for payload in broken {
        let said = hand_in(&world, payload);
        assert!(said.starts_with("takeback: "), "{}: {said:?}", payload.escape_ascii());
        assert!(!said.contains("panicked"), "{said}");
    }
}

#[test]
fn unknown_events_fields_and_bytes_that_are_no_text_are_taken() {
    let world = world();
    world.agent("s");
    let cwd = world.workspace().to_string_lossy().into_owned();
    let event = json!({"hook_event_name": "SomethingNew", "session_id": "s", "cwd": cwd, "more": [1, {"a": null}]});
    assert_eq!(hand_in(&world, event.to_string().as_bytes()), "");
    let mut payload = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": cwd, "prompt": "PROMPT"})
        .to_string()
        .into_bytes();
    let at = payload.windows(6).position(|window| window == b"PROMPT").unwrap();
    payload.splice(at..at + 6, *b"caf\xe9");
    assert_eq!(hand_in(&world, &payload), "");
    assert!(world.takeback(&["log"]).expect(0).text().contains("caf\u{fffd}"));
}

#[test]
fn an_event_that_is_too_large_is_refused_and_the_next_one_is_taken() {
    let world = world();
    let mut agent = world.agent("s");
    let mut huge = br#"{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":""#.to_vec();
    huge.resize(huge.len() + (64 << 20), b'x');
    huge.extend(b"\"}");
    let said = hand_in(&world, &huge);
    assert!(said.contains("too large"), "{said}");
    agent.turn("still here", |turn| turn.write("a.txt", "a\n"));
    assert_eq!(world.takeback(&["log", "--json"]).expect(0).json()["turns"][0]["prompt"], "still here");
}

#[test]
fn an_unknown_agent_is_told_and_exits_with_0() {
    let world = world();
    let ran = world.takeback_in(&world.workspace(), &["hook", "no-such-agent"], b"{}").expect(0);
    assert!(ran.err.contains("no-such-agent"), "{}", ran.err);
}

#[test]
fn a_workspace_that_vanished_is_told_and_comes_back_with_its_past() {
    let world = world();
    world.write("a.txt", "old\n");
    let mut agent = world.agent("s");
    agent.turn("change a", |turn| turn.write("a.txt", "new\n"));
    let aside = world.workspace().with_extension("aside");
    std::fs::rename(world.workspace(), &aside).unwrap();
    let event = json!({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "gone", "cwd": "/"});
    let ran = world.takeback_in(&world.home(), &["hook", "generic"], event.to_string().as_bytes()).expect(0);
    assert!(ran.err.contains("nothing at"), "{}", ran.err);
    std::fs::rename(&aside, world.workspace()).unwrap();
    world.takeback(&["undo", "--yes"]).expect(0);
    assert_eq!(world.read("a.txt").as_deref(), Some("old\n"));
}
