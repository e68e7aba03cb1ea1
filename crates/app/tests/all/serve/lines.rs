//! What is no request, or a wrong one, gets an error, and the server goes on.

use model::limits::EVENT_SIZE_BYTES_MAX;
use serde_json::{Value, json};

use super::peer::Peer;
use crate::world;

#[test]
fn nothing_is_answered_before_the_handshake_and_no_other_protocol_is_spoken() {
    let world = world();
    let mut peer = Peer::over_standard_streams(&world);
    assert_eq!(peer.code("sessions", json!({"root": world.workspace()})), -32002);
    assert_eq!(peer.code("no/such", json!({})), -32002);
    assert_eq!(peer.code("initialize", json!({"protocol": 2})), -32001);
    assert_eq!(peer.code("initialize", json!({})), -32602);
    let hello = peer.result("initialize", json!({"protocol": 1}));
    assert_eq!((&hello["protocol"], &hello["version"]), (&json!(1), &json!(env!("CARGO_PKG_VERSION"))));
    assert!(hello["capabilities"]["methods"].as_array().unwrap().contains(&json!("apply")));
    assert_eq!(peer.code("initialize", json!({"protocol": 1})), -32600);
    peer.end();
}

#[test]
fn malformed_lines_get_errors_and_end_nothing() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let lines: [(&[u8], i64); 6] = [
        (b"{", -32700),
        (b"\xff\xfe", -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (br#"{"jsonrpc":"1.0","method":"log"}"#, -32600),
        (br#"{"jsonrpc":"2.0","method":7}"#, -32600),
    ];
    for (line, code) in lines {
        peer.write(line);
        assert_eq!(peer.answer(Value::Null)["error"]["code"], code, "{}", String::from_utf8_lossy(line));
    }
    peer.write("[".repeat(100_000).as_bytes());
    assert_eq!(peer.answer(Value::Null)["error"]["code"], -32700);
    peer.write(b"   ");
    peer.write(br#"{"jsonrpc":"2.0","method":"no/such"}"#);
    peer.write(br#"{"jsonrpc":"2.0","id":"seven","method":"no/such"}"#);
    assert_eq!(peer.answer("seven")["error"]["code"], -32601);
    peer.end();
}

#[test]
fn a_line_over_the_limit_is_passed_over() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    peer.write(&vec![b' '; usize::try_from(EVENT_SIZE_BYTES_MAX).unwrap() + 1]);
    assert_eq!(peer.answer(Value::Null)["error"]["code"], -32600);
    peer.open(&world, "one");
    peer.end();
}

#[test]
fn wrong_parameters_change_nothing() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.write_in_turn(&world, &session, ("a", "1"));
    peer.end_turn(&session);
    let orders = [
        json!({"verb": "undo"}),
        json!({"session": session, "verb": "forget"}),
        json!({"session": session, "verb": "undo", "count": 0}),
        json!({"session": session, "verb": "undo", "count": 1, "steps": 1}),
        json!({"session": session, "verb": "undo", "scop": "conversation"}),
        json!({"session": session, "verb": "undo", "turn": "t1"}),
        json!({"session": session, "verb": "rewind"}),
        json!({"session": session, "verb": "rewind", "turn": "41"}),
        json!({"session": session, "verb": "revert", "targets": []}),
        json!({"session": session, "verb": "restore", "checkpoint": "c1", "paths": ["../b"]}),
    ];
    for order in orders {
        assert_eq!(peer.code("apply", order.clone()), -32602, "{order}");
    }
    assert_eq!(peer.code("apply", json!({"session": "s9@/", "verb": "undo"})), -32010);
    assert_eq!(peer.code("apply", json!({"session": session, "verb": "rewind", "turn": "t99"})), -32012);
    assert_eq!(world.read("a").as_deref(), Some("1"));
    peer.end();
}

#[test]
fn a_notification_is_done_and_not_answered() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    let told = json!({"jsonrpc": "2.0", "method": "turn/begin", "params": {"session": session, "prompt": "quietly"}});
    peer.write(told.to_string().as_bytes());
    assert_eq!(peer.context(&session), ["quietly"]);
    peer.end();
}
