//! Agreeing to a preview means exactly that preview.

use serde_json::json;

use super::peer::Peer;
use crate::world;

#[test]
fn what_changed_since_the_preview_is_not_written_over() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.write_in_turn(&world, &session, ("a", "1\n"));
    peer.end_turn(&session);
    let agreement = peer.result("preview", json!({"session": session, "verb": "undo"}))["agreement"].take();
    world.write("a", "mine\n");
    let refused = peer.result("apply", json!({"session": session, "verb": "undo", "agreement": agreement}));
    assert_eq!(refused["outcome"], "refused");
    assert_eq!(world.read("a").as_deref(), Some("mine\n"));
    peer.end();
}

#[test]
fn an_agreement_is_to_one_order() {
    let world = world();
    let mut peer = Peer::greeted(&world);
    let session = peer.open(&world, "one");
    peer.write_in_turn(&world, &session, ("a", "1"));
    peer.end_turn(&session);
    let preview = json!({"session": session, "verb": "undo", "scope": "conversation"});
    let agreement = peer.result("preview", preview)["agreement"].take();
    let other = json!({"session": session, "verb": "undo", "agreement": agreement});
    assert_eq!(peer.code("apply", other), -32013);
    assert_eq!(peer.code("apply", json!({"session": session, "verb": "undo", "agreement": "a99"})), -32013);
    assert_eq!(world.read("a").as_deref(), Some("1"));
    peer.end();
}
