//! Clients that come and go while others are at work, and a server that goes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::peer::{Host, Peer};
use super::socket;
use crate::world;

#[test]
fn a_turn_that_begins_while_an_order_waits_is_asked_to_stop_too() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.result("turn/begin", json!({"session": session, "prompt": "first"}));
    let order = peer.begin("apply", json!({"session": session, "verb": "undo", "wait_ms": 60_000}));
    assert_eq!(peer.told("stop/request")["turn"], "t1");
    peer.result("turn/begin", json!({"session": session, "prompt": "second"}));
    assert_eq!(peer.told("stop/request")["turn"], "t2");
    peer.end_turn(&session);
    assert_eq!(peer.answer(order)["result"]["turns"], json!(["t2"]));
    peer.end();
}

#[test]
fn orders_that_nobody_wants_answered_are_all_carried_out() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    for name in ["a", "b"] {
        peer.write_in_turn(&world, &session, (name, "1"));
        peer.end_turn(&session);
    }
    peer.result("turn/begin", json!({"session": session, "prompt": "runs"}));
    let undo = json!({"session": session, "verb": "undo", "wait_ms": 60_000});
    for _ in 0..2 {
        let told = json!({"jsonrpc": "2.0", "method": "apply", "params": undo});
        peer.write(told.to_string().as_bytes());
    }
    (0..2).for_each(|_| drop(peer.told("stop/request")));
    peer.end_turn(&session);
    assert_eq!(peer.result("apply", undo)["outcome"], "done");
    // The others may come after the one that is answered.
    let deadline = Instant::now() + Duration::from_secs(60);
    while !peer.context(&session).is_empty() {
        assert!(Instant::now() < deadline, "three were to be undone: {:?}", peer.context(&session));
    }
    assert_eq!((world.read("a"), world.read("b")), (None, None));
    peer.end();
}

#[test]
fn one_of_two_clients_that_leaves_ends_nothing() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let (mut first, mut second) = (host.connect(), host.connect());
    let session = first.open(&world, "one");
    second.open(&world, "one");
    first.result("turn/begin", json!({"session": session, "prompt": "go"}));
    second.result("session/end", json!({"session": session}));
    assert_eq!(second.code("turn/end", json!({"session": session, "status": "completed"})), -32010);
    let ended = first.result("turn/end", json!({"session": session, "status": "completed"}));
    assert_eq!(ended["turn"], "t1", "the turn was still open");
    host.end();
}

#[test]
fn a_session_that_was_only_attached_is_let_go_and_nothing_is_recorded() {
    let world = world();
    let mut agent = Peer::greeted(&world);
    let session = agent.open(&world, "one");
    agent.result("turn/begin", json!({"session": session, "prompt": "go"}));
    let mut viewer = Peer::greeted(&world);
    viewer.result("session/attach", json!({"root": world.workspace()}));
    viewer.result("subscribe", json!({"session": session}));
    viewer.result("session/end", json!({"session": session}));
    assert_eq!(viewer.code("context", json!({"session": session})), -32010);
    agent.end_turn(&session);
    viewer.end();
    assert_eq!(agent.result("log", json!({"session": session}))["turns"][0]["status"], "completed");
    agent.end();
}

#[test]
fn a_session_that_was_left_is_told_of_no_more() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let (left, kept) = (peer.open(&world, "one"), peer.open(&world, "two"));
    peer.result("subscribe", json!({"session": left}));
    peer.result("session/end", json!({"session": left}));
    peer.result("subscribe", json!({"session": kept}));
    peer.result("checkpoint", json!({"session": kept}));
    // What was already on its way when the session was left may still come.
    while peer.told("changed")["session"] != json!(kept) {}
    peer.result("checkpoint", json!({"session": kept}));
    let changed = peer.told("changed");
    assert_eq!(changed["session"], json!(kept), "both sessions are of one workspace, one is listened to");
    peer.end();
}

#[test]
fn an_order_of_a_client_that_dies_is_carried_out_or_not_begun() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut agent = host.connect();
    let session = agent.open(&world, "one");
    agent.write_in_turn(&world, &session, ("a", "1"));
    agent.end_turn(&session);
    let mut dying = host.connect();
    dying.result("session/attach", json!({"root": world.workspace()}));
    dying.begin("apply", json!({"session": session, "verb": "undo"}));
    drop(dying);
    let again = agent.result("apply", json!({"session": session, "verb": "undo"}));
    assert!(["done", "nothing"].contains(&again["outcome"].as_str().unwrap()), "{again}");
    assert_eq!((world.read("a"), agent.context(&session).len()), (None, 0));
    host.end();
}

#[test]
fn what_is_asked_before_the_server_ends_is_answered() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut peer = host.connect();
    let session = peer.open(&world, "one");
    peer.result("turn/begin", json!({"session": session, "prompt": "go"}));
    let order = peer.begin("apply", json!({"session": session, "verb": "undo", "wait_ms": 600_000}));
    peer.told("stop/request");
    host.end();
    assert_eq!(peer.answer(order)["error"]["code"], -32800, "it waited, and nothing was changed");
    peer.end();
}

#[test]
fn notifications_that_nobody_reads_hold_nobody_up() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut agent = host.connect();
    let session = agent.open(&world, "one");
    let deaf = host.connect_without_reading(&[
        ("session/attach", json!({"root": world.workspace()})),
        ("subscribe", json!({"session": session})),
    ]);
    let large = "x".repeat(1 << 20);
    let entry = json!({"id": "large", "role": "tool", "kind": "tool", "content": large});
    agent.result("entries/append", json!({"session": session, "entries": [entry]}));
    deaf.ask_again_and_again("context", &json!({"session": session}), 64);
    for _ in 0..3 {
        agent.result("checkpoint", json!({"session": session}));
    }
    assert_eq!(agent.context(&session).len(), 1);
    drop(deaf);
    host.end();
}

#[test]
fn a_root_must_be_absolute_and_an_unknown_parent_is_named() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    for method in ["session/open", "session/attach", "sessions"] {
        let mut asked = json!({"root": "."});
        if method == "session/open" {
            asked = json!({"root": ".", "agent": "test", "id": "one"});
        }
        assert_eq!(peer.code(method, asked), -32602, "{method}");
    }
    let child = json!({"agent": "test", "id": "child", "root": world.workspace(), "parent": "nobody"});
    let said = peer.result("session/open", child)["said"].take();
    assert!(said.as_array().unwrap().iter().filter_map(Value::as_str).any(|one| one.contains("`nobody`")), "{said}");
    peer.end();
}

#[test]
fn of_two_servers_that_start_at_one_socket_one_serves() {
    let world = world();
    let path = socket(&world);
    Host::start(&world, &path).kill();
    let both = [Host::try_start(&world, &path), Host::try_start(&world, &path)];
    let serving: Vec<Host> = both.into_iter().filter_map(Host::serving).collect();
    assert_eq!(serving.len(), 1);
    serving[0].connect().open(&world, "one");
}
