//! A long conversation costs no more than a short one where nothing but its end matters. What is counted is what the
//! store reads from its files and how many steps its database makes, not time.
#![cfg(target_os = "linux")]

use std::fs;

use model::{MessageKind, Outcome, Scope, SessionId, TurnStatus};
use takeback::{NewEntry, Order, Selection, Workspace};

use crate::world::{World, apply, order};

const SESSION: SessionId = SessionId(1);
const SHORT: usize = 100;
const LONG: usize = 20_000;
const TURN: usize = 100;

/// A tree of rows is one or two pages higher where there are many, and a search goes down it a few times.
const HIGHER_TREES_BYTES: u64 = 64 << 10;

#[test]
fn what_is_read_to_stage_a_cut_does_not_grow_with_the_conversation() {
    let [short, long] = [SHORT, LONG].map(|length| {
        let world = World::new();
        let workspace = world.open();
        play_turn(&workspace, "long", length, TurnStatus::Completed);
        play_turn(&workspace, "short", 3, TurnStatus::Completed);
        drop(workspace);
        let workspace = world.open();
        let undo = Order { scope: Scope::Conversation, ..order(SESSION, Selection::UndoTurns { count: 1 }) };
        let read = bytes_read(|| assert_eq!(apply(&workspace, &undo).outcome, Outcome::Done));
        assert_eq!(workspace.context(SESSION).unwrap().entries.len(), length + 1);
        read
    });
    assert!(long <= short + HIGHER_TREES_BYTES, "{short} bytes in a short conversation, {long} in a long one");
}

#[test]
fn what_is_read_to_add_an_entry_does_not_grow_with_its_turn() {
    let [short, long] = [SHORT, LONG].map(|length| {
        let world = World::new();
        let workspace = world.open();
        play_turn(&workspace, "withdrawn", 3, TurnStatus::Completed);
        apply(&workspace, &Order { scope: Scope::Both, ..order(SESSION, Selection::UndoTurns { count: 1 }) });
        play_turn(&workspace, "long", length, TurnStatus::Open);
        drop(workspace);
        let workspace = world.open();
        let read = bytes_read(|| workspace.append_entries(SESSION, &[entry("one more")]).unwrap());
        assert_eq!(workspace.context(SESSION).unwrap().entries.len(), length + 2);
        read
    });
    assert!(long <= short + HIGHER_TREES_BYTES, "{short} bytes in a short turn, {long} in a long one");
}

#[test]
fn the_database_makes_the_same_steps_to_stage_a_cut_after_one_turn_as_after_a_hundred() {
    let counts = [1, 100].map(|turns| {
        let world = World::new();
        let workspace = world.open();
        (0..turns).for_each(|turn| play_turn(&workspace, &turn.to_string(), TURN, TurnStatus::Completed));
        let undo = Order { scope: Scope::Conversation, ..order(SESSION, Selection::UndoTurns { count: 1 }) };
        let steps = steps_made(|| assert_eq!(apply(&workspace, &undo).outcome, Outcome::Done));
        assert_eq!(workspace.context(SESSION).unwrap().entries.len(), (turns - 1) * (TURN + 1));
        steps
    });
    assert_eq!(counts[0], counts[1], "after one turn, and after a hundred");
}

/// Whether redo has ended is looked up in the newest turns, so with fewer than those it costs less.
#[test]
fn the_database_makes_the_same_steps_to_lift_a_cut_after_sixty_turns_as_after_twice_as_many() {
    let counts = [60, 120].map(|turns| {
        let world = World::new();
        let workspace = world.open();
        (0..turns).for_each(|turn| play_turn(&workspace, &turn.to_string(), 1, TurnStatus::Completed));
        let both = |selection| Order { scope: Scope::Both, ..order(SESSION, selection) };
        assert_eq!(apply(&workspace, &both(Selection::UndoTurns { count: 1 })).outcome, Outcome::Done);
        let redo = both(Selection::Redo { count: 1 });
        let steps = steps_made(|| assert_eq!(apply(&workspace, &redo).outcome, Outcome::Done));
        assert_eq!(workspace.context(SESSION).unwrap().entries.len(), turns * 2);
        steps
    });
    assert_eq!(counts[0], counts[1], "after sixty turns, and after twice as many");
}

/// A turn in which so many entries are said. One that is to stay open stays open.
fn play_turn(workspace: &Workspace, name: &str, length: usize, status: TurnStatus) {
    let session = workspace.begin_session("test", "one").unwrap();
    let turn = session.begin_turn(name).unwrap();
    let ids: Vec<String> = (0..length).map(|number| format!("{name}-{number}")).collect();
    let entries: Vec<NewEntry<'_>> = ids.iter().map(|id| entry(id)).collect();
    workspace.append_entries(SESSION, &entries).unwrap();
    if status != TurnStatus::Open {
        turn.end(status).unwrap();
    }
}

fn entry(id: &str) -> NewEntry<'_> {
    let content = b"something that was said, as long as a short line of text usually is";
    NewEntry { id, parent: None, turn: None, role: "assistant", kind: MessageKind::Assistant, content }
}

/// How many steps the database makes meanwhile for this thread.
fn steps_made(act: impl FnOnce()) -> u64 {
    let before = store::database_steps();
    act();
    store::database_steps() - before
}

/// How much this thread reads from files meanwhile.
fn bytes_read(act: impl FnOnce()) -> u64 {
    let before = read_so_far();
    act();
    read_so_far() - before
}

fn read_so_far() -> u64 {
    let counters = fs::read_to_string("/proc/thread-self/io").unwrap();
    counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}
