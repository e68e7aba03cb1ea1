//! What the model is told instead of a cut: never by an order for the files alone unless that asks for it, and again when
//! it comes again, also beside a cut that is lifted.

use std::fs;
use std::path::Path;

use model::{Memory, Outcome, Scope, SessionId, TurnId, TurnStatus};
use takeback::{HostSession, Order, RevertTarget, Selection, Workspace};

use crate::world::{World, apply, order};

const SESSION: SessionId = SessionId(1);
const UNDO: Selection = Selection::UndoTurns { count: 1 };

fn told(workspace: &Workspace) -> Vec<String> {
    let entries = workspace.context(SESSION).unwrap().entries;
    entries.into_iter().map(|entry| String::from_utf8(entry.payload).unwrap()).collect()
}

fn does(workspace: &Workspace, order: &Order) {
    let report = apply(workspace, order);
    assert_eq!(report.outcome, Outcome::Done, "{report:#?}");
}

fn both(selection: Selection) -> Order {
    Order { scope: Scope::Both, ..order(SESSION, selection) }
}

fn revert(turn: u64) -> Selection {
    Selection::Revert { targets: vec![RevertTarget::Turn(TurnId(turn))] }
}

fn play_turn(session: &HostSession<'_>, root: &Path, name: &str) {
    let turn = session.begin_turn(name).unwrap();
    let step = turn.begin_step("Bash", "change").unwrap();
    fs::write(root.join(name), name).unwrap();
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
}

#[test]
fn the_setting_to_inform_says_nothing_of_an_order_for_the_files_alone() {
    let world = World::new();
    fs::write(world.root.join("takeback.toml"), "memory = \"inform\"\n").unwrap();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    ["a", "b", "c"].into_iter().for_each(|name| play_turn(&session, &world.root, name));
    does(&workspace, &order(SESSION, UNDO));
    assert_eq!(told(&workspace), ["a", "b", "c"]);

    does(&workspace, &Order { memory: Some(Memory::Inform), ..order(SESSION, UNDO) });
    assert_eq!(told(&workspace)[3..], ["The user took back earlier changes to these files:\n- b"]);
    does(&workspace, &both(UNDO));
    assert_eq!(told(&workspace)[4..], ["The user took back earlier changes to these files:\n- a"]);
}

#[test]
fn a_redo_that_lifts_a_cut_says_also_that_what_was_only_told_is_back() {
    let world = World::new();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    ["a", "b", "c"].into_iter().for_each(|name| play_turn(&session, &world.root, name));
    does(&workspace, &both(revert(1)));
    does(&workspace, &both(UNDO));
    assert_eq!(told(&workspace), ["a", "b"], "the note came after the turn that was cut");

    does(&workspace, &both(Selection::Redo { count: 2 }));
    let went = "The user took back earlier changes to these files:\n- a";
    let came = "The user brought again earlier changes to these files:\n- a";
    assert_eq!(told(&workspace), ["a", "b", "c", went, came]);
}

#[test]
fn what_was_told_on_a_version_that_is_left_is_not_told_again() {
    let world = World::new();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    ["a", "b", "c"].into_iter().for_each(|name| play_turn(&session, &world.root, name));
    does(&workspace, &both(UNDO));
    does(&workspace, &both(revert(1)));
    assert_eq!(told(&workspace), ["a", "b", "The user took back earlier changes to these files:\n- a"]);

    does(&workspace, &both(Selection::Redo { count: 2 }));
    assert_eq!(told(&workspace), ["a", "b", "c"]);
    assert!(["a", "b", "c"].iter().all(|name| world.root.join(name).exists()));
}
