//! A running turn is asked to stop before anything of it is taken back.

use serde_json::{Value, json};
use testkit::World;

use super::peer::Peer;
use crate::world;

/// A host in the middle of a turn that has written `a`.
fn running(world: &World) -> (Peer, String) {
    let mut peer = Peer::greeted(world);
    let session = peer.open(world, "one");
    peer.write_in_turn(world, &session, ("a", "1"));
    (peer, session)
}

fn undo(session: &str, wait_ms: Option<u64>) -> Value {
    match wait_ms {
        Some(wait_ms) => json!({"session": session, "verb": "undo", "wait_ms": wait_ms}),
        None => json!({"session": session, "verb": "undo"}),
    }
}

#[test]
fn an_order_waits_for_the_turn_it_asked_to_stop() {
    let world = world();
    let (mut peer, session) = running(&world);
    let tool = json!({"session": session, "tool_name": "Bash", "tool_use_id": "second"});
    peer.result("tool/before", tool.clone());
    let order = peer.begin("apply", undo(&session, None));
    let asked = peer.told("stop/request");
    assert_eq!((&asked["session"], &asked["turn"]), (&json!(session), &json!("t1")));
    assert_eq!((&asked["reason"], &asked["deadline_ms"]), (&json!("undo"), &json!(15_000)));
    world.write("b", "2");
    peer.result("tool/after", tool);
    assert_eq!(world.read("a").as_deref(), Some("1"));
    peer.result("turn/end", json!({"session": session, "status": "interrupted"}));
    let undone = peer.answer(order)["result"].take();
    assert_eq!((&undone["outcome"], &undone["turns"]), (&json!("done"), &json!(["t1"])));
    assert_eq!((world.read("a"), world.read("b")), (None, None));
    peer.end();
}

#[test]
fn a_turn_that_goes_on_is_not_touched() {
    let world = world();
    let (mut peer, session) = running(&world);
    let refused = peer.result("apply", undo(&session, Some(30)));
    assert_eq!((&refused["outcome"], &refused["files"]), (&json!("refused"), &json!([])));
    assert!(refused["message"].as_str().unwrap().contains("t1 did not come to rest"), "{refused}");
    assert_eq!(peer.told("stop/request")["deadline_ms"], 30);
    assert_eq!(world.read("a").as_deref(), Some("1"));
    peer.end_turn(&session);
    assert_eq!(peer.context(&session), ["write a"]);
    peer.end();
}

#[test]
fn a_waiting_order_can_be_cancelled() {
    let world = world();
    let (mut peer, session) = running(&world);
    let order = peer.begin("apply", undo(&session, Some(600_000)));
    peer.told("stop/request");
    peer.write(json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": order}}).to_string().as_bytes());
    assert_eq!(peer.answer(order)["error"]["code"], -32800);
    peer.end_turn(&session);
    assert_eq!(world.read("a").as_deref(), Some("1"));
    assert_eq!(peer.result("$/cancelRequest", json!({"id": "never asked"})), Value::Null);
    peer.end();
}

#[test]
fn a_client_that_goes_away_takes_its_waiting_order_with_it_and_its_turn_was_interrupted() {
    let world = world();
    let (mut peer, session) = running(&world);
    peer.begin("apply", undo(&session, Some(600_000)));
    peer.told("stop/request");
    peer.drop_and_wait();
    assert_eq!(world.read("a").as_deref(), Some("1"));
    let mut next = Peer::greeted(&world);
    let attached = next.result("session/attach", json!({"root": world.workspace(), "id": "one"}));
    let session = attached["session"].as_str().unwrap();
    assert_eq!(next.result("log", json!({"session": session}))["turns"][0]["status"], "interrupted");
    assert_eq!(next.code("turn/begin", json!({"session": session, "prompt": "x"})), -32010);
    assert_eq!(next.result("apply", undo(session, None))["outcome"], "done");
    next.end();
}

#[test]
fn even_if_busy_asks_nobody() {
    let world = world();
    let (mut peer, session) = running(&world);
    let mut order = undo(&session, None);
    order["even_if_busy"] = json!(true);
    assert_eq!(peer.result("apply", order)["outcome"], "done");
    assert_eq!(world.read("a"), None);
    peer.end();
}

#[test]
fn too_many_waiting_orders_are_turned_away() {
    let world = world();
    let (mut peer, session) = running(&world);
    let orders: Vec<u64> = (0..16).map(|_| peer.begin("apply", undo(&session, Some(600_000)))).collect();
    assert_eq!(peer.code("apply", undo(&session, Some(600_000))), -32014);
    for order in &orders {
        peer.result("$/cancelRequest", json!({"id": order}));
        assert_eq!(peer.answer(*order)["error"]["code"], -32800);
    }
    peer.end_turn(&session);
    assert_eq!(peer.result("apply", undo(&session, None))["outcome"], "done");
    peer.end();
}
