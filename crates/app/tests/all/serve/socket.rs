//! Several clients at one socket, and the socket itself.

use std::fs;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};

use serde_json::json;

use super::peer::{Host, command};
use super::socket;
use crate::world;

#[test]
fn clients_work_side_by_side_and_see_only_their_own_conversation() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    std::thread::scope(|scope| {
        for name in ["one", "two", "three"] {
            let (host, world) = (&host, &world);
            scope.spawn(move || {
                let mut peer = host.connect();
                let session = peer.open(world, name);
                for number in 0..3 {
                    peer.result("turn/begin", json!({"session": session, "prompt": format!("{name} {number}")}));
                    peer.end_turn(&session);
                }
                peer.result("apply", json!({"session": session, "verb": "undo"}));
                assert_eq!(peer.context(&session), [format!("{name} 0"), format!("{name} 1")]);
            });
        }
    });
    let sessions = host.connect().result("sessions", json!({"root": world.workspace()}));
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(3));
    host.end();
}

#[test]
fn another_client_can_take_a_turn_back_and_its_host_is_asked_first() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut agent = host.connect();
    let session = agent.open(&world, "one");
    agent.write_in_turn(&world, &session, ("a", "1"));
    let mut viewer = host.connect();
    let attached = viewer.result("session/attach", json!({"root": world.workspace()}));
    assert_eq!(attached["session"], json!(session));
    let order = viewer.begin("apply", json!({"session": session, "verb": "undo"}));
    assert_eq!(agent.told("stop/request")["reason"], "undo");
    agent.end_turn(&session);
    assert_eq!(viewer.answer(order)["result"]["outcome"], "done");
    assert_eq!((world.read("a"), agent.context(&session).len()), (None, 0));
    host.end();
}

#[test]
fn a_session_that_is_open_is_joined_and_not_begun_again() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut first = host.connect();
    let session = first.open(&world, "one");
    first.result("turn/begin", json!({"session": session, "prompt": "go"}));
    let mut second = host.connect();
    let joined = second.result("session/open", json!({"agent": "test", "id": "one", "root": world.workspace()}));
    assert_eq!((&joined["joined"], &joined["session"]), (&json!(true), &json!(session)));
    let ended = second.result("turn/end", json!({"session": session, "status": "completed"}));
    assert_eq!(ended["turn"], "t1", "the turn was still open");
    host.end();
}

#[test]
fn subscribers_hear_of_changes_of_other_clients_and_other_processes() {
    let world = world();
    let host = Host::start(&world, &socket(&world));
    let mut agent = host.connect();
    let session = agent.open(&world, "one");
    agent.write_in_turn(&world, &session, ("a", "1"));
    agent.end_turn(&session);
    let mut viewer = host.connect();
    viewer.result("session/attach", json!({"root": world.workspace(), "id": "one"}));
    let before = viewer.result("subscribe", json!({"session": session}));
    agent.result("apply", json!({"session": session, "verb": "undo"}));
    let mut changed = viewer.told("changed");
    while changed["head"] == before["head"] {
        changed = viewer.told("changed");
    }
    assert_eq!(changed["session"], json!(session));
    let newest = world.takeback(&["--json", "checkpoint"]).json();
    while changed["checkpoint"] != newest["id"] {
        changed = viewer.told("changed");
    }
    viewer.result("unsubscribe", json!({"session": session}));
    host.end();
}

#[test]
fn the_socket_is_private_and_goes_with_its_server() {
    let world = world();
    let path = socket(&world);
    let host = Host::start(&world, &path);
    let found = fs::symlink_metadata(&path).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let second = command(&world, &["serve", "--socket", path.to_str().unwrap()]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&second.stderr).contains("is listening"), "{second:?}");
    let idle = host.connect();
    host.end();
    assert!(fs::symlink_metadata(&path).is_err());
    idle.end();
}

#[test]
fn the_socket_of_a_server_that_died_is_replaced() {
    let world = world();
    let path = socket(&world);
    let dead = Host::start(&world, &path);
    dead.kill();
    assert!(fs::symlink_metadata(&path).is_ok());
    let host = Host::start(&world, &path);
    host.connect().open(&world, "one");
    host.end();
}

#[test]
fn a_file_at_the_place_of_the_socket_is_left_alone() {
    let world = world();
    let path = socket(&world);
    fs::create_dir(path.parent().unwrap()).unwrap();
    fs::set_permissions(path.parent().unwrap(), fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(&path, "mine").unwrap();
    let ended = command(&world, &["serve", "--socket", path.to_str().unwrap()]).output().unwrap();
    assert_eq!((ended.status.code(), fs::read(&path).unwrap()), (Some(1), b"mine".to_vec()));
}
