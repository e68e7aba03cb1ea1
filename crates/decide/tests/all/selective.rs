//! Taking back less than a whole change, and more than was asked for: single stretches of a text, and the later changes
//! that need what goes.

use std::collections::{BTreeMap, BTreeSet};

use decide::{ControlFiles, Dependent, Part, PartError, Reversal, count_hunks, dependents, reverse_parts};
use model::{ConflictPolicy, Entry, Plan, Seq, Tree};
use proptest::prelude::*;

use crate::simple_tree::path;
use crate::world::{Who, World, changed};

/// A text of so many lines, some of them replaced.
fn text(replaced: &[(usize, &str)]) -> String {
    let line = |number: usize| {
        let new = replaced.iter().find(|(at, _)| *at == number).map(|(_, line)| (*line).to_owned());
        new.unwrap_or_else(|| number.to_string()) + "\n"
    };
    (1..=30).map(line).collect()
}

fn with_request<T>(world: &World, chosen: &BTreeSet<Seq>, act: impl FnOnce(&Reversal<'_>) -> T) -> T {
    act(&Reversal {
        ledger: &world.ledger,
        chosen,
        named: &BTreeMap::new(),
        policy: world.policy.unwrap_or(ConflictPolicy::Stop),
        control: ControlFiles::Ask,
        is_control: &|_| false,
        folder_mode: &|_| None,
    })
}

fn plan_part(world: &World, part: &Part) -> Result<Plan, PartError> {
    with_request(world, &BTreeSet::new(), |request| {
        reverse_parts(request, std::slice::from_ref(part), &world.tree, &world.shelf)
    })
}

/// Some stretches of the change that one transition made.
fn part_of(world: &World, seq: Seq, hunks: &[usize]) -> Part {
    let change = world.ledger.iter().find(|transition| transition.seq == seq).expect("a transition");
    let hunks = hunks.iter().copied().collect();
    Part { last: seq, before: change.before.clone(), after: change.after.clone(), hunks }
}

fn only(seqs: &BTreeSet<Seq>) -> Seq {
    *seqs.first().expect("a change was recorded")
}

#[test]
fn one_hunk_goes_and_the_rest_of_the_change_and_later_edits_stay() {
    let mut world = World::default();
    world.given("a", &text(&[]));
    let seq = only(&world.change(Who::Turn(1), |hands| hands.write("a", &text(&[(2, "two"), (20, "twenty")]))));
    world.change(Who::User, |hands| hands.write("a", &text(&[(2, "two"), (10, "ten"), (20, "twenty")])));

    let plan = plan_part(&world, &part_of(&world, seq, &[2])).expect("it can be cut");
    assert!(plan.changes.iter().all(|change| change.reverses.is_empty()), "the change as a whole still stands");
    let operation = world.carry_out(&plan);
    assert_eq!(world.read("a"), Some(text(&[(2, "two"), (10, "ten")])));

    world.take_back(&operation);
    assert_eq!(world.read("a"), Some(text(&[(2, "two"), (10, "ten"), (20, "twenty")])));
}

#[test]
fn a_turn_is_taken_back_cleanly_after_one_of_its_hunks_was() {
    let mut world = World::default();
    world.given("a", &text(&[]));
    let seq = only(&world.change(Who::Turn(1), |hands| hands.write("a", &text(&[(2, "two"), (20, "twenty")]))));
    world.carry_out(&plan_part(&world, &part_of(&world, seq, &[1])).expect("it can be cut"));
    assert_eq!(plan_part(&world, &part_of(&world, seq, &[1])).expect("it can be cut").changes, []);
    world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.read("a"), Some(text(&[])));
}

#[test]
fn the_only_hunk_of_a_new_file_is_the_file() {
    let mut world = World::default();
    let seq = only(&world.change(Who::Turn(1), |hands| hands.write("new", "1\n2\n")));
    world.carry_out(&plan_part(&world, &part_of(&world, seq, &[1])).expect("it can be cut"));
    assert!(world.tree.entry(&path("new")).is_absent());
}

#[test]
fn a_hunk_that_somebody_edited_later_is_a_conflict() {
    let mut world = World::default();
    world.given("a", &text(&[]));
    let seq = only(&world.change(Who::Turn(1), |hands| hands.write("a", &text(&[(2, "two"), (20, "twenty")]))));
    world.change(Who::User, |hands| hands.write("a", &text(&[(2, "two!"), (20, "twenty")])));
    let plan = plan_part(&world, &part_of(&world, seq, &[1])).expect("it can be cut");
    assert!(plan.has_conflicts() && plan.changes.is_empty());
    assert_eq!(changed(&plan_part(&world, &part_of(&world, seq, &[2])).expect("it can be cut")), ["a"]);
}

#[test]
fn a_hunk_that_is_not_there_and_bytes_that_are_no_text_are_errors() {
    let mut world = World::default();
    world.given("a", "1\n");
    world.given("b", "\0");
    let text = only(&world.change(Who::Turn(1), |hands| hands.write("a", "2\n")));
    let bytes = only(&world.change(Who::Turn(1), |hands| hands.write("b", "\x001")));
    assert_eq!(plan_part(&world, &part_of(&world, text, &[2])), Err(PartError::NoSuchHunk { count: 1, asked: 2 }));
    assert_eq!(plan_part(&world, &part_of(&world, text, &[0])), Err(PartError::NoSuchHunk { count: 1, asked: 0 }));
    assert_eq!(plan_part(&world, &part_of(&world, bytes, &[1])), Err(PartError::NotText));
    assert_eq!(count_hunks(&Entry::Absent, &world.tree.entry(&path("a")), &world.shelf), Ok(1));
}

fn dependents_of(world: &World, chosen: &BTreeSet<Seq>) -> Vec<Dependent> {
    with_request(world, chosen, |request| dependents(request, &world.tree, &world.shelf))
}

#[test]
fn later_changes_of_the_same_lines_need_the_earlier_ones_and_others_do_not() {
    let mut world = World::default();
    world.given("a", &text(&[]));
    let first = world.change(Who::Turn(1), |hands| hands.write("a", &text(&[(2, "two")])));
    world.change(Who::Turn(2), |hands| hands.write("a", &text(&[(2, "two"), (20, "twenty")])));
    let needy = world.change(Who::Turn(3), |hands| hands.write("a", &text(&[(2, "two!"), (20, "twenty")])));
    let needs_the_needy = world.change(Who::Turn(4), |hands| hands.write("a", &text(&[(2, "2!"), (20, "twenty")])));
    let seqs: Vec<Seq> = needy.into_iter().chain(needs_the_needy).collect();
    assert_eq!(dependents_of(&world, &first), [Dependent { path: path("a"), seqs: seqs.clone() }]);
    let all: BTreeSet<Seq> = first.into_iter().chain(seqs).collect();
    assert_eq!(dependents_of(&world, &all), []);
    world.take_back(&all);
    assert_eq!(world.read("a"), Some(text(&[(20, "twenty")])));
}

#[test]
fn an_edit_of_a_file_needs_the_change_that_made_it() {
    let mut world = World::default();
    let made = world.change(Who::Turn(1), |hands| hands.write("new", "1\n"));
    let edited = world.change(Who::Turn(2), |hands| hands.write("new", "1\n2\n"));
    let seqs = edited.into_iter().collect();
    assert_eq!(dependents_of(&world, &made), [Dependent { path: path("new"), seqs }]);
}

#[test]
fn a_rename_of_what_was_renamed_needs_the_first_one() {
    let mut world = World::default();
    world.given("a", "1\n");
    let first = world.change(Who::Turn(1), |hands| hands.shift("a", "b"));
    let second = world.change(Who::Turn(2), |hands| hands.shift("b", "c"));
    assert!(world.plan(&first).has_conflicts());
    let seqs = second.into_iter().collect();
    assert_eq!(dependents_of(&world, &first), [Dependent { path: path("c"), seqs }]);
}

#[test]
fn something_new_in_the_place_needs_nothing() {
    let mut world = World::default();
    let made = world.change(Who::Turn(1), |hands| hands.write("a", "1\n"));
    world.change(Who::Turn(2), |hands| hands.remove("a"));
    world.change(Who::User, |hands| hands.write("a", "mine\n"));
    assert_eq!(dependents_of(&world, &made), []);
}

/// Which turn writes which line of which file.
fn edits() -> impl Strategy<Value = Vec<(u64, usize, usize, u8)>> {
    prop::collection::vec((1..6_u64, 0..2_usize, 0..9_usize, any::<u8>()), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whoever_takes_the_dependents_along_meets_no_conflict(edits in edits(), first in 1..6_u64) {
        let mut world = World::default();
        world.given("a", &text(&[]));
        world.given("b", &text(&[]));
        for (turn, file, line, byte) in &edits {
            world.change(Who::Turn(*turn), |hands| hands.edit_line(["a", "b"][*file], *line, &byte.to_string()));
        }
        let chosen = world.of_turns(&[first]);
        let needy: BTreeSet<Seq> =
            dependents_of(&world, &chosen).into_iter().flat_map(|dependent| dependent.seqs).collect();
        let plan = world.plan(&chosen);
        prop_assert!(!plan.has_conflicts() || !needy.is_empty(), "a conflict with nobody: {:#?}", plan.left);
        prop_assert!(needy.is_disjoint(&chosen));
        let all: BTreeSet<Seq> = chosen.union(&needy).copied().collect();
        let plan = world.plan(&all);
        prop_assert!(!plan.has_conflicts(), "{:#?}", plan.left);
    }

    #[test]
    fn disjoint_reverts_commute(edits in edits()) {
        let mut world = World::default();
        world.given("a", &text(&[]));
        world.given("b", &text(&[]));
        for (turn, file, line, byte) in &edits {
            // The lines of each turn are its own and far from those of others.
            let line = (*turn as usize * 5) + line % 2;
            world.change(Who::Turn(*turn), |hands| hands.edit_line(["a", "b"][*file], line, &byte.to_string()));
        }
        let revert = |world: &World, turns: &[u64]| {
            let mut world = world.clone();
            turns.iter().for_each(|turn| drop(world.take_back(&world.of_turns(&[*turn]))));
            world.tree.entries()
        };
        let together = { let mut all = world.clone(); all.take_back(&all.of_turns(&[2, 4])); all.tree.entries() };
        prop_assert_eq!(revert(&world, &[2, 4]), together.clone());
        prop_assert_eq!(revert(&world, &[4, 2]), together);
    }
}
