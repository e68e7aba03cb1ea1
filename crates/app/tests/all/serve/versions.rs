//! Versions over the wire: compared, forked, put away; the same answers as the command line gives.

use serde_json::{Value, json};
use testkit::World;

use super::peer::{Host, Peer};
use super::socket;
use crate::world;

/// A session with two versions: `h1` has the turn that wrote `a`, `h2` the one that wrote `b`.
fn with_two_versions(world: &World) -> (Peer, String) {
    let mut peer = Peer::greeted(world);
    let session = peer.open(world, "one");
    peer.write_in_turn(world, &session, ("a", "1\n"));
    peer.end_turn(&session);
    peer.result("apply", json!({"session": session, "verb": "undo"}));
    peer.write_in_turn(world, &session, ("b", "2\n"));
    peer.end_turn(&session);
    (peer, session)
}

fn listed(versions: &Value) -> Vec<&str> {
    let rows = versions["versions"].as_array().expect("versions").iter();
    rows.map(|version| version["id"].as_str().expect("an id")).collect()
}

#[test]
fn a_comparison_of_versions_says_what_the_command_line_says() {
    let world = world();
    let (mut peer, session) = with_two_versions(&world);
    let diff = peer.result("versions/diff", json!({"session": session, "first": "h1", "second": "h2"}));
    assert_eq!((&diff["first"]["files"][0]["path"], &diff["second"]["files"][0]["path"]), (&json!("a"), &json!("b")));
    assert_eq!(diff, world.takeback(&["diff", "h1", "h2", "--json"]).expect(0).json());
    let pairs = [("h1", "h9", -32012), ("h1", "t1", -32602)];
    for (first, second, code) in pairs {
        let asked = json!({"session": session, "first": first, "second": second});
        assert_eq!(peer.code("versions/diff", asked), code, "{first} {second}");
    }
    peer.end();
}

#[test]
fn a_version_is_put_away_only_if_it_holds_no_turns_of_its_own_or_that_is_agreed() {
    let world = world();
    let (mut peer, session) = with_two_versions(&world);
    let retire = |version: &str| json!({"session": session, "version": version});
    assert_eq!(peer.code("versions/retire", retire("h2")), -32015, "the session stands on it");
    assert_eq!(peer.code("versions/retire", retire("h1")), -32015, "it holds a turn");
    assert_eq!(peer.code("versions/retire", retire("h9")), -32012);
    assert_eq!(listed(&peer.result("versions", json!({"session": session}))), ["h1", "h2"]);
    let agreed = json!({"session": session, "version": "h1", "with_turns": true});
    assert_eq!(listed(&peer.result("versions/retire", agreed)), ["h2"]);
    let back = peer.result("apply", json!({"session": session, "verb": "switch", "version": "h1"}));
    assert_eq!((&back["outcome"], world.read("a").as_deref()), (&json!("done"), Some("1\n")));
    assert_eq!(listed(&peer.result("versions", json!({"session": session}))), ["h1", "h2"]);
    peer.end();
}

#[test]
fn a_fork_is_another_version_that_ends_with_the_turn() {
    let world = world();
    let (mut peer, session) = with_two_versions(&world);
    peer.result("turn/begin", json!({"session": session, "prompt": "last"}));
    peer.end_turn(&session);
    let forked = peer.result("fork", json!({"session": session, "turn": "t2"}));
    assert_eq!((&forked["schema"], &forked["session"]), (&json!("takeback.fork/1"), &json!("s1")));
    assert_eq!(peer.context(&session), ["write b"]);
    assert_eq!(peer.result("context", json!({"session": session}))["head"], forked["head"]);
    assert_eq!(world.read("b").as_deref(), Some("2\n"), "a fork touches no file");
    assert_eq!(peer.code("fork", json!({"session": session, "turn": "t1"})), -32012, "it is not on this version");
    assert_eq!(peer.code("fork", json!({"session": session, "turn": "2"})), -32602);
    peer.end();
}

#[test]
fn a_fork_into_a_new_session_leaves_the_old_one_where_it_is() {
    let world = world();
    let (mut peer, session) = with_two_versions(&world);
    peer.result("turn/begin", json!({"session": session, "prompt": "runs on"}));
    let into = json!({"session": session, "turn": "t2", "into": "two"});
    assert_eq!(peer.result("fork", into.clone())["session"], "s2", "nobody is asked to stop");
    assert_eq!(peer.code("fork", into), -32015, "the name is taken");
    assert_eq!(peer.context(&session), ["write b", "runs on"]);
    let fork = peer.open(&world, "two");
    assert_eq!(peer.context(&fork), ["write b"]);
    let undone = peer.result("apply", json!({"session": fork, "verb": "undo"}));
    assert_eq!((&undone["turns"], world.read("b")), (&json!(["t2"]), None), "inherited turns can be taken back");
    peer.end_turn(&session);
    peer.end();
}

#[test]
fn a_fork_of_the_running_conversation_waits_for_its_turn() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut agent = host.connect();
    let session = agent.open(&world, "one");
    agent.result("turn/begin", json!({"session": session, "prompt": "first"}));
    let mut viewer = host.connect();
    viewer.result("session/attach", json!({"root": world.workspace()}));
    assert_eq!(viewer.code("fork", json!({"session": session, "wait_ms": 0})), -32015);
    assert_eq!(agent.told("stop/request")["reason"], "fork");
    let fork = viewer.begin("fork", json!({"session": session}));
    agent.told("stop/request");
    agent.end_turn(&session);
    let forked = viewer.answer(fork)["result"].take();
    assert_eq!(agent.result("context", json!({"session": session}))["head"], forked["head"]);
    host.end();
}
