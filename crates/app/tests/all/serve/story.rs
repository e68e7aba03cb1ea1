//! A host's whole day: turns, entries, undo, lift.

use std::path::Path;

use serde_json::json;
use testkit::World;

use super::peer::{Host, Peer};
use super::socket;
use crate::world;

#[test]
fn a_turn_is_taken_back_and_lifted_over_standard_streams() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    tell_the_story(&world, &mut peer);
    peer.end();
}

#[test]
fn a_turn_is_taken_back_and_lifted_over_a_socket() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    tell_the_story(&world, &mut host.connect());
    host.end();
}

fn tell_the_story(world: &World, peer: &mut Peer) {
    let session = peer.open(world, "one");
    peer.result("turn/begin", json!({"session": session, "prompt": "hello"}));
    peer.end_turn(&session);
    peer.write_in_turn(world, &session, ("made.txt", "new\n"));
    let entries = json!([{"id": "a1", "role": "assistant", "kind": "assistant", "content": "written"}]);
    peer.result("entries/append", json!({"session": session, "entries": entries}));
    peer.end_turn(&session);
    assert_eq!(peer.context(&session), ["hello", "write made.txt", "written"]);

    let preview = peer.result("preview", json!({"session": session, "verb": "undo"}));
    assert_eq!((&preview["outcome"], &preview["files"][0]["path"]), (&json!("preview"), &json!("made.txt")));
    let agreement = &preview["agreement"];
    let undone = peer.result("apply", json!({"session": session, "verb": "undo", "agreement": agreement}));
    assert_eq!((&undone["schema"], &undone["outcome"]), (&json!("takeback.outcome/1"), &json!("done")));
    assert_eq!(undone["conversation"]["prompt"], "write made.txt");
    assert_eq!(world.read("made.txt"), None);
    assert_eq!(peer.context(&session), ["hello"]);
    assert_eq!(peer.result("context", json!({"session": session}))["staged"], true);

    let lifted = peer.result("lift", json!({"session": session}));
    assert_eq!((&lifted["verb"], &lifted["outcome"]), (&json!("redo"), &json!("done")));
    assert_eq!(world.read("made.txt").as_deref(), Some("new\n"));
    assert_eq!(peer.context(&session), ["hello", "write made.txt", "written"]);
    let versions = peer.result("versions", json!({"session": session}));
    assert_eq!(versions["versions"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_conversation_alone_can_go_and_come_back() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.write_in_turn(&world, &session, ("a", "1"));
    peer.end_turn(&session);
    peer.result("apply", json!({"session": session, "verb": "undo", "scope": "conversation"}));
    assert_eq!((world.read("a").as_deref(), peer.context(&session).len()), (Some("1"), 0));
    let lifted = peer.result("lift", json!({"session": session, "scope": "conversation"}));
    assert_eq!((&lifted["outcome"], &lifted["files"]), (&json!("done"), &json!([])));
    assert_eq!((world.read("a").as_deref(), peer.context(&session).len()), (Some("1"), 1));
    peer.end();
}

#[test]
fn any_bytes_come_back_unchanged() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    let entries = json!([
        {"id": "b", "role": "tool", "kind": "tool", "content_base64": "/wD+gA=="},
        {"id": "c", "role": "tool", "kind": "tool", "content_base64": "w6k="},
        {"id": "d", "role": "tool", "kind": "tool", "content": ""},
    ]);
    peer.result("entries/append", json!({"session": session, "entries": entries}));
    for projection in ["context", "transcript"] {
        let told = peer.result(projection, json!({"session": session}));
        assert_eq!(told["entries"][0]["content_base64"], "/wD+gA==");
        assert_eq!(told["entries"][0].get("content"), None);
        assert_eq!(told["entries"][1]["content"], "é");
        assert_eq!(told["entries"][2]["content"], "");
    }
    let both = json!([{"id": "e", "role": "r", "kind": "tool", "content": "", "content_base64": ""}]);
    assert_eq!(peer.code("entries/append", json!({"session": session, "entries": both})), -32602);
    let crooked = json!([{"id": "f", "role": "r", "kind": "tool", "content": "kept out"},
                         {"id": "g", "role": "r", "kind": "tool", "content_base64": "?"}]);
    assert_eq!(peer.code("entries/append", json!({"session": session, "entries": crooked})), -32602);
    assert_eq!(peer.context(&session).len(), 3, "entries are added all or none");
    peer.end();
}

#[test]
fn a_late_entry_of_a_cut_turn_lands_on_the_version_that_was_left() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    let turn = peer.result("turn/begin", json!({"session": session, "prompt": "go"}))["turn"].clone();
    peer.end_turn(&session);
    peer.result("apply", json!({"session": session, "verb": "undo"}));
    let entry = |id: &str, turn: &serde_json::Value| json!({"id": id, "turn": turn, "role": "tool", "kind": "tool", "content": id});
    let next = peer.result("turn/begin", json!({"session": session, "prompt": "on"}))["turn"].clone();
    let mixed = json!([entry("late", &turn), entry("later", &turn), entry("now", &next), entry("latest", &turn)]);
    peer.result("entries/append", json!({"session": session, "entries": mixed}));
    peer.result("entries/append", json!({"session": session, "entries": mixed}));
    assert_eq!(peer.context(&session), ["on", "now"]);
    peer.result("turn/end", json!({"session": session, "status": "interrupted"}));
    peer.result("lift", json!({"session": session}));
    assert_eq!(peer.context(&session), ["go", "late", "later", "latest"]);
    let foreign = json!([{"id": "x", "turn": "t999", "role": "tool", "kind": "tool", "content": ""}]);
    assert_eq!(peer.code("entries/append", json!({"session": session, "entries": foreign})), -32011);
    peer.end();
}

#[test]
fn a_compaction_replaces_the_context_and_not_the_transcript() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.result("turn/begin", json!({"session": session, "prompt": "long", "id": "p1"}));
    peer.end_turn(&session);
    peer.result("compaction/append", json!({"session": session, "summary": "short", "id": "k1"}));
    assert_eq!(peer.context(&session), ["short"]);
    let transcript = peer.result("transcript", json!({"session": session}));
    assert_eq!(
        (&transcript["schema"], &transcript["entries"][0]["id"]),
        (&json!("takeback.transcript/1"), &json!("p1"))
    );
    peer.end();
}

#[test]
fn a_denied_call_leaves_nothing_behind_and_a_subagents_work_is_in_the_turn() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.result("turn/begin", json!({"session": session, "prompt": "go"}));
    let denied = json!({"session": session, "tool_name": "Bash", "tool_use_id": "u1"});
    peer.result("tool/before", denied.clone());
    peer.result("tool/permission", denied.clone());
    peer.result("tool/denied", denied);
    peer.result("subagent/start", json!({"session": session, "agent_id": "sub"}));
    let edit = json!({"session": session, "tool_name": "Write", "agent_id": "sub", "tool_input": {"file_path": "s"}});
    peer.result("tool/before", edit.clone());
    world.write("s", "x");
    peer.result("tool/after", edit);
    peer.result("subagent/stop", json!({"session": session, "agent_id": "sub"}));
    peer.end_turn(&session);
    let log = peer.result("log", json!({"session": session, "limit": 1}));
    let steps = log["turns"][0]["steps"].as_array().unwrap();
    assert_eq!((steps.len(), &steps[0]["agent_id"]), (1, &json!("sub")));
    let reverted = peer.result("apply", json!({"session": session, "verb": "revert", "targets": ["sub"]}));
    assert_eq!((&reverted["outcome"], world.read("s")), (&json!("done"), None));
    peer.end();
}

#[test]
fn a_checkpoint_can_be_restored_by_its_name() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    let checkpoint = peer.result("checkpoint", json!({"session": session, "name": "start"}));
    assert_eq!(checkpoint["schema"], "takeback.checkpoint/1");
    peer.write_in_turn(&world, &session, ("a", "1"));
    peer.end_turn(&session);
    assert_eq!(peer.result("status", json!({"session": session}))["undoable"].as_array().map(Vec::len), Some(1));
    let order = json!({"session": session, "verb": "restore", "checkpoint": "start", "paths": [Path::new("a")]});
    assert_eq!(peer.result("apply", order)["outcome"], "done");
    assert_eq!(world.read("a"), None);
    let unknown = json!({"session": session, "verb": "restore", "checkpoint": "never"});
    assert_eq!(peer.code("apply", unknown), -32012);
    peer.end();
}
