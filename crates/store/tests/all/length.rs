//! What is asked at every event takes the same steps however much came before. Steps of the database are counted, not
//! time.

use model::{SessionId, TurnId, TurnStatus};
use store::{Event, HEAD_MOVED, NewSession, NewTurn, Reader, Writer, database_steps};

use crate::world::{World, checkpoint};

const SESSION: SessionId = SessionId(1);
const SHORT: u64 = 10;
const LONG: u64 = 3_000;

#[test]
fn whether_a_turn_is_open_is_found_at_once_among_many_that_are_closed() {
    same_steps(|reader| assert_eq!(reader.open_turn(SESSION).unwrap(), None));
}

#[test]
fn the_newest_turns_are_found_without_walking_over_older_ones() {
    same_steps(|reader| assert_eq!(reader.newest_turns(SESSION, None, 5).unwrap().len(), 5));
    let world = world_of(SHORT);
    let newest = world.store.read().unwrap().newest_turns(SESSION, Some(TurnId(4)), 3).unwrap();
    assert_eq!(newest, [TurnId(4), TurnId(3), TurnId(2)]);
}

#[test]
fn what_completed_last_is_found_without_walking_over_what_completed_before() {
    same_steps(|reader| assert_eq!(reader.completed_turns(SESSION, 2).unwrap().len(), 2));
    let world = world_of(SHORT);
    world.change(|writer| [TurnId(3), TurnId(9)].iter().for_each(|turn| writer.reopen_turn(*turn).unwrap()));
    let found = world.store.read().unwrap().completed_turns(SESSION, 2).unwrap();
    let turns: Vec<TurnId> = found.iter().map(|turn| turn.id).collect();
    assert_eq!(turns, [TurnId(10), TurnId(8), TurnId(9), TurnId(3)], "the last two, and those that were opened again");
}

#[test]
fn moved_heads_are_found_without_walking_over_other_events() {
    same_steps(|reader| assert_eq!(reader.heads_moved_since(2).unwrap().len(), 1));
    let world = world_of(SHORT);
    let reader = world.store.read().unwrap();
    let texts: Vec<String> = reader.heads_moved_since(1).unwrap().into_iter().map(|event| event.text).collect();
    assert_eq!(texts, ["at 1", "at 2"]);
}

/// Asks a short history and a long one.
#[track_caller]
fn same_steps(ask: impl Fn(&Reader<'_>)) {
    let [short, long] = [SHORT, LONG].map(|turns| {
        let world = world_of(turns);
        let reader = world.store.read().unwrap();
        let before = database_steps();
        ask(&reader);
        database_steps() - before
    });
    assert!(short > 0, "nothing was counted");
    assert_eq!(short, long, "steps after {SHORT} and after {LONG} turns");
}

/// A session of closed turns, each with an event, and two moved heads before all that.
fn world_of(turns: u64) -> World {
    let world = World::new();
    world.change(|writer| {
        let native = "one".to_owned();
        let new = NewSession {
            agent: "generic".to_owned(),
            native,
            parent: None,
            forked_at: None,
            cwd: Vec::new(),
            started_ns: 0,
        };
        assert_eq!(writer.add_session(&new).unwrap(), SESSION);
        (1..=2).for_each(|at_ns| add_event(writer, HEAD_MOVED, at_ns));
        (0..turns).for_each(|turn| add_turn(writer, turn));
    });
    world
}

fn add_turn(writer: &mut Writer<'_>, number: u64) {
    let at = writer.add_checkpoint(&checkpoint()).unwrap();
    let prompt = Some(format!("prompt {number}"));
    let new = NewTurn { session: SESSION, prompt_id: prompt.clone(), prompt, started_ns: 3, opened_at: at };
    let turn = writer.add_turn(&new).unwrap();
    add_event(writer, "Stop", 3);
    writer.close_turn(turn, TurnStatus::Completed, 4, at).unwrap();
}

fn add_event(writer: &mut Writer<'_>, name: &str, at_ns: i64) {
    let new = Event { at_ns, session: None, name: name.to_owned(), text: format!("at {at_ns}") };
    writer.add_event(&new).unwrap();
}
