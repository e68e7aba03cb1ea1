//! The ledger and who takes what back.

use model::{Cause, CheckpointId, Entry, Evidence, Mode, Move, OperationId, Reason, Seq, StepId, Transition, TurnId};
use proptest::prelude::*;
use store::{NewTransition, Reader, StoreError};

use crate::world::{World, checkpoint, file, path, seqs, transition};

fn step(turn: u64, number: u32) -> StepId {
    StepId { turn: TurnId(turn), number }
}

fn by(cause: Cause, at: &str, checkpoint: CheckpointId) -> NewTransition {
    NewTransition { cause, ..transition(checkpoint, at, Entry::Absent, file(at.as_bytes())) }
}

fn places(numbers: &[u64]) -> Vec<Seq> {
    numbers.iter().copied().map(Seq).collect()
}

#[test]
fn a_transition_reads_back_as_it_was_added() {
    let world = World::new();
    let contested = Cause::Contested { steps: vec![step(1, 1), step(2, 3)], or_outside: true };
    let causes =
        [Cause::Outside, Cause::Step(step(5, 6)), Cause::Operation(OperationId(7)), contested.clone(), contested];
    let entries = [
        Entry::Absent,
        file(b"text"),
        Entry::Link { target: b"../\xff".to_vec() },
        Entry::Dir { mode: Mode::new(0o1755) },
        Entry::Uncovered { kind: model::EntryKind::File, reason: Reason::TooLarge },
    ];
    let moves = [None, Some(Move::From(path("x/y"))), Some(Move::To(path("z"))), None, None];
    let evidence = [Evidence::Exact, Evidence::Window, Evidence::Late, Evidence::Contested, Evidence::Exact];
    world.change(|writer| {
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        for n in 0..5 {
            let new = NewTransition {
                checkpoint: at,
                path: model::WorkspacePath::new(vec![b'a', 0xff, b'0' + n as u8]).unwrap(),
                before: entries[n].clone(),
                after: entries[(n + 1) % 5].clone(),
                moved: moves[n].clone(),
                cause: causes[n].clone(),
                evidence: evidence[n],
            };
            let seq = writer.add_transition(&new).unwrap();
            let NewTransition { checkpoint, path, before, after, moved, cause, evidence } = new;
            let expected = Transition { seq, checkpoint, path, before, after, moved, cause, evidence };
            assert_eq!(writer.transitions_by_seq(&[seq]).unwrap(), [expected]);
        }
    });
}

#[test]
fn transitions_are_found_by_everything_they_belong_to() {
    let world = World::new();
    let contested = |steps: &[StepId]| Cause::Contested { steps: steps.to_vec(), or_outside: false };
    world.change(|writer| {
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        let all = [
            by(Cause::Step(step(1, 1)), "a", at),
            by(Cause::Step(step(1, 2)), "a/b", at),
            by(Cause::Outside, "a.b", at),
            by(contested(&[step(1, 2), step(2, 1)]), "a/c", at),
            by(Cause::Operation(OperationId(9)), "a", at),
            by(Cause::Step(step(2, 1)), "d", at),
            by(Cause::Outside, "a/b/c", at),
        ];
        assert_eq!(writer.add_transitions(&all).unwrap(), places(&[1, 2, 3, 4, 5, 6, 7]));
    });
    let reader = world.store.read().unwrap();
    let found = |found: Result<Vec<Transition>, StoreError>| seqs(&found.unwrap());
    assert_eq!(found(reader.transitions_since(Seq(5))), places(&[6, 7]));
    assert_eq!(found(reader.transitions_of_turn(TurnId(1))), places(&[1, 2, 4]));
    assert_eq!(found(reader.transitions_of_turn(TurnId(2))), places(&[4, 6]));
    assert_eq!(found(reader.transitions_of_step(step(1, 2))), places(&[2, 4]));
    assert_eq!(found(reader.transitions_of_path_since(&path("a"), Seq(0))), places(&[1, 5]));
    assert_eq!(found(reader.transitions_of_path_since(&path("a"), Seq(1))), places(&[5]));
    assert_eq!(found(reader.transitions_of_path_since(&path("never"), Seq(0))), places(&[]));
    assert_eq!(found(reader.transitions_below_since(&path("a"), Seq(0))), places(&[1, 2, 4, 5, 7]));
    assert_eq!(found(reader.transitions_below_since(&path(""), Seq(3))), places(&[4, 5, 6, 7]));
    assert_eq!(found(reader.transitions_of_operation(OperationId(9))), places(&[5]));
    assert_eq!(found(reader.outside_between(Seq(2), Seq(7))), places(&[3, 7]));
    assert_eq!(found(reader.outside_between(Seq(3), Seq(6))), places(&[]));
    assert_eq!(found(reader.transitions_by_seq(&places(&[6, 2, 99, 2]))), places(&[2, 6]));
    assert_eq!(reader.last_seq().unwrap(), Seq(7));
}

#[test]
fn what_lies_below_a_folder_is_found_the_same_way_in_a_long_ledger() {
    let world = World::new();
    let names = ["a", "a/b", "a.b", "a/b/c", "a0", "ab/c", "b"];
    world.change(|writer| {
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        let all: Vec<_> = (0..6_000).map(|n| by(Cause::Outside, names[n % names.len()], at)).collect();
        writer.add_transitions(&all).unwrap();
    });
    let reader = world.store.read().unwrap();
    let found = seqs(&reader.transitions_below_since(&path("a"), Seq(10)).unwrap());
    let expected: Vec<_> = (10..6_000).filter(|n| [0, 1, 3].contains(&(n % 7))).map(|n| Seq(n + 1)).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_checkpoint_ends_with_the_last_transition_that_was_added_to_it() {
    let world = World::new();
    world.change(|writer| {
        let one = writer.add_checkpoint(&checkpoint()).unwrap();
        let two = writer.add_checkpoint(&checkpoint()).unwrap();
        assert_eq!(writer.checkpoint(one).unwrap().unwrap().last_seq, Seq(0));
        let add = [by(Cause::Outside, "a", one), by(Cause::Outside, "b", one), by(Cause::Outside, "c", two)];
        writer.add_transitions(&add).unwrap();
        writer.add_transition(&by(Cause::Outside, "d", two)).unwrap();
        assert_eq!(writer.checkpoint(one).unwrap().unwrap().last_seq, Seq(2));
        assert_eq!(writer.checkpoint(two).unwrap().unwrap().last_seq, Seq(4));
        let three = writer.add_checkpoint(&checkpoint()).unwrap();
        assert_eq!(writer.checkpoint(three).unwrap().unwrap().last_seq, Seq(4));
    });
}

#[test]
fn the_newest_change_of_a_session_is_found_among_those_of_others() {
    let world = World::new();
    world.change(|writer| {
        let session = |native: &str| store::NewSession {
            agent: "generic".to_owned(),
            native: native.to_owned(),
            parent: None,
            forked_at: None,
            cwd: Vec::new(),
            started_ns: 1,
        };
        let [one, two] = ["one", "two"].map(|native| writer.add_session(&session(native)).unwrap());
        let [first, second] = [1, 2].map(|_| writer.add_checkpoint(&checkpoint()).unwrap());
        let turn = |session| store::NewTurn { session, prompt_id: None, prompt: None, started_ns: 1, opened_at: first };
        let [of_one, of_two] = [one, two].map(|session| writer.add_turn(&turn(session)).unwrap());
        assert_eq!(writer.newest_change_of(one).unwrap(), None);
        writer.add_transition(&by(Cause::Step(StepId { turn: of_one, number: 1 }), "a", first)).unwrap();
        writer.add_transition(&by(Cause::Step(StepId { turn: of_two, number: 1 }), "a", second)).unwrap();
        writer.add_transition(&by(Cause::Outside, "a", second)).unwrap();
        assert_eq!(writer.newest_change_of(one).unwrap(), Some(first));
        assert_eq!(writer.newest_change_of(two).unwrap(), Some(second));
    });
}

#[test]
fn reversals_are_followed_upward_to_the_end() {
    let world = World::new();
    world.change(|writer| {
        for (by, taken) in [(5, 1), (5, 2), (8, 5), (9, 8), (7, 3), (5, 1)] {
            writer.add_reversal(Seq(by), Seq(taken)).unwrap();
        }
    });
    let reader = world.store.read().unwrap();
    let upon = |places: &[u64]| {
        let places: Vec<_> = places.iter().copied().map(Seq).collect();
        reader.reversals_upon(&places).unwrap().iter().map(|(by, taken)| (by.0, taken.0)).collect::<Vec<_>>()
    };
    assert_eq!(upon(&[1]), [(5, 1), (8, 5), (9, 8)]);
    assert_eq!(upon(&[1, 2, 3]), [(5, 1), (5, 2), (7, 3), (8, 5), (9, 8)]);
    assert_eq!(upon(&[4, 9]), []);
    assert_eq!(reader.taken_back_by(Seq(5)).unwrap(), places(&[1, 2]));
    assert_eq!(reader.reversed_by(Seq(1)).unwrap(), places(&[5]));
}

/// What the queries must answer, by looking through everything.
fn by_looking(all: &[Transition], wanted: impl Fn(&Transition) -> bool) -> Vec<Seq> {
    all.iter().filter(|transition| wanted(transition)).map(|transition| transition.seq).collect()
}

fn any_cause() -> impl Strategy<Value = Cause> {
    let any_step = || (1_u64..4, 1_u32..4).prop_map(|(turn, number)| step(turn, number));
    prop_oneof![
        Just(Cause::Outside),
        any_step().prop_map(Cause::Step),
        (1_u64..3).prop_map(|id| Cause::Operation(OperationId(id))),
        (proptest::collection::btree_set(any_step(), 1..4), any::<bool>())
            .prop_map(|(steps, or_outside)| Cause::Contested { steps: steps.into_iter().collect(), or_outside }),
    ]
}

fn agrees(reader: &Reader<'_>, all: &[Transition]) {
    let of = |wanted: &StepId, transition: &Transition| transition.cause.candidate_steps().contains(wanted);
    for turn in 1..4 {
        for number in 1..4 {
            let wanted = step(turn, number);
            let found = reader.transitions_of_step(wanted).unwrap();
            assert_eq!(seqs(&found), by_looking(all, |transition| of(&wanted, transition)));
        }
        let found = reader.transitions_of_turn(TurnId(turn)).unwrap();
        let in_turn = |t: &Transition| t.cause.candidate_steps().iter().any(|step| step.turn == TurnId(turn));
        assert_eq!(seqs(&found), by_looking(all, in_turn));
    }
    for folder in ["", "a", "a/a", "b"].map(path) {
        let found = reader.transitions_below_since(&folder, Seq(3)).unwrap();
        let below = |t: &Transition| t.seq > Seq(3) && t.path.is_at_or_below(&folder);
        assert_eq!(seqs(&found), by_looking(all, below));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]
    #[test]
    fn every_question_gets_the_answer_that_looking_through_everything_gives(
        added in proptest::collection::vec((any_cause(), "[ab](/[ab]){0,2}"), 1..40),
    ) {
        let world = World::new();
        world.change(|writer| {
            let at = writer.add_checkpoint(&checkpoint()).unwrap();
            let new: Vec<_> = added.iter().map(|(cause, place)| by(cause.clone(), place, at)).collect();
            writer.add_transitions(&new).unwrap();
        });
        let reader = world.store.read().unwrap();
        let all = reader.transitions_since(Seq(0)).unwrap();
        prop_assert_eq!(all.len(), added.len());
        agrees(&reader, &all);
    }
}
