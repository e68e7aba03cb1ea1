//! Sessions on the command line: made by a fork, put away and brought back.

use testkit::World;

use crate::world;

/// A session in which one turn has written `a`.
fn with_a_turn() -> World {
    let world = world();
    world.agent("first").turn("write", |turn| turn.write("a", "1\n"));
    world
}

fn listed(world: &World) -> Vec<String> {
    let sessions = world.takeback(&["sessions", "--json"]).expect(0).json();
    let rows = sessions["sessions"].as_array().into_iter().flatten();
    rows.map(|session| session["native"].as_str().unwrap_or("none").to_owned()).collect()
}

#[test]
fn a_fork_into_an_id_that_no_session_has_is_a_new_session_however_it_is_spelt() {
    let world = with_a_turn();
    for (arguments, id) in [(["--session", "second"], "s2"), (["--into", "third"], "s3")] {
        let forked = world.takeback(&[&["fork", "t1", "--json"], &arguments[..]].concat()).expect(0).json();
        assert_eq!(forked["session"], id, "{arguments:?}");
        let context = world.takeback(&["context", "--session", id, "--json"]).expect(0).json();
        assert_eq!(context["entries"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(listed(&world), ["first", "second", "third"]);
}

#[test]
fn a_fork_of_a_session_that_is_there_is_another_version_of_it() {
    let world = with_a_turn();
    world.agent("other").turn("write", |turn| turn.write("b", "2\n"));
    for name in ["first", "s1"] {
        let forked = world.takeback(&["fork", "t1", "--session", name, "--json"]).expect(0).json();
        assert_eq!(forked["session"], "s1");
    }
    let into = world.takeback(&["fork", "t1", "--session", "first", "--into", "new", "--json"]).expect(0).json();
    assert_eq!(into["session"], "s3");
    for arguments in [["--session", "s9"], ["--into", "first"]] {
        world.takeback(&[&["fork", "t1"], &arguments[..]].concat()).expect(2);
    }
    world.takeback(&["fork", "t1", "--session", "unknown", "--into", "newer"]).expect(2);
    assert_eq!(listed(&world), ["first", "other", "new"], "what was refused has made nothing");
}

#[test]
fn a_session_is_put_away_and_brought_back() {
    let world = with_a_turn();
    world.takeback(&["fork", "--session", "second"]).expect(0);
    world.takeback(&["sessions", "--remove", "first"]).expect(0);
    assert_eq!(listed(&world), ["second"]);
    world.takeback(&["undo", "--session", "first", "--yes"]).expect(0);
    assert_eq!(world.read("a"), None, "what it did can still be taken back");
    world.takeback(&["sessions", "--bring-back", "s1"]).expect(0);
    assert_eq!(listed(&world), ["first", "second"]);
    world.takeback(&["sessions", "--remove", "nobody"]).expect(2);
}
