//! Sessions that are put away: nothing of them is lost, least of all for those that branched off them.

use std::fs;
use std::path::Path;

use model::{Outcome, SessionId, TurnId, TurnStatus};
use takeback::{CheckpointName, PutAwayError, Selection, WhileBusy, Workspace};

use crate::world::{World, apply, order, restore};

const PARENT: SessionId = SessionId(1);

/// A session with two turns, a checkpoint between them, and a fork of it after the second.
fn with_a_fork() -> (World, Workspace, SessionId) {
    let world = World::new();
    let workspace = world.open();
    play_turn(&workspace, "parent", |root| fs::write(root.join("a"), "first\n").unwrap());
    workspace.checkpoint(Some("between")).unwrap();
    play_turn(&workspace, "parent", |root| fs::write(root.join("a"), "second\n").unwrap());
    let fork = workspace.fork(PARENT, None, Some("child")).unwrap().session;
    (world, workspace, fork)
}

fn play_turn(workspace: &Workspace, native: &str, act: impl Fn(&Path)) {
    let session = workspace.begin_session("test", native).unwrap();
    let turn = session.begin_turn("do something").unwrap();
    let step = turn.begin_step("Bash", "change").unwrap();
    act(workspace.root_path());
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
}

fn text(world: &World) -> Option<String> {
    fs::read_to_string(world.root.join("a")).ok()
}

#[test]
fn a_fork_keeps_all_it_inherited_when_the_session_it_came_from_is_put_away() {
    let (world, workspace, fork) = with_a_fork();
    workspace.put_session_away(PARENT).unwrap();
    workspace.clean_up(WhileBusy::Refuse).unwrap();
    drop(workspace);
    let workspace = world.open();
    assert_eq!(workspace.newest_session().unwrap(), Some(fork));
    assert_eq!(workspace.context(fork).unwrap().entries.len(), 2);
    let undone = apply(&workspace, &order(fork, Selection::UndoTurns { count: 1 }));
    assert_eq!((undone.outcome, text(&world).as_deref()), (Outcome::Done, Some("first\n")), "{undone:#?}");
    apply(&workspace, &order(fork, Selection::Redo { count: 1 }));
    assert_eq!(text(&world).as_deref(), Some("second\n"));
    apply(&workspace, &restore(fork, CheckpointName::Name("between".to_owned())));
    assert_eq!(text(&world).as_deref(), Some("first\n"));
    let rewound = apply(&workspace, &order(fork, Selection::Rewind { turn: TurnId(1) }));
    assert_eq!((rewound.outcome, text(&world)), (Outcome::Done, None), "{rewound:#?}");
}

#[test]
fn a_session_that_was_put_away_is_not_listed_until_something_of_it_is_seen() {
    let (_world, workspace, fork) = with_a_fork();
    let listed = || workspace.sessions().unwrap().into_iter().map(|session| session.id).collect::<Vec<_>>();
    workspace.put_session_away(PARENT).unwrap();
    assert_eq!((listed(), workspace.status(None).unwrap().sessions), (vec![fork], 1));
    workspace.put_session_away(fork).unwrap();
    assert_eq!((listed(), workspace.newest_session().unwrap()), (vec![], None));
    assert_eq!(workspace.session_named("parent").unwrap(), Some(PARENT), "it can still be named");
    workspace.bring_session_back(fork).unwrap();
    assert_eq!(listed(), [fork]);
    play_turn(&workspace, "parent", |_| {});
    assert_eq!((listed(), workspace.newest_session().unwrap()), (vec![PARENT, fork], Some(PARENT)));
}

#[test]
fn an_unknown_session_is_not_put_away() {
    let (_world, workspace, _) = with_a_fork();
    assert!(matches!(workspace.put_session_away(SessionId(9)), Err(PutAwayError::Unknown(SessionId(9)))));
    assert_eq!(workspace.sessions().unwrap().len(), 2);
}
