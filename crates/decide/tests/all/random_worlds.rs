//! Random worlds with folders, moves, links, modes and things that are not covered, in which several parties work.

use std::collections::{BTreeMap, BTreeSet};

use decide::drift;
use model::{ConflictPolicy, Entry, EntryKind, Plan, Reason, Seq, SpecialKind, Tree};
use proptest::prelude::*;

use crate::simple_tree::path;
use crate::world::{Hands, Who, World};

const NAMES: [&str; 9] = ["a", "b", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/a"];

const POLICIES: [ConflictPolicy; 4] =
    [ConflictPolicy::Stop, ConflictPolicy::Keep, ConflictPolicy::Take, ConflictPolicy::Merge];

/// One thing that somebody may try; what is not possible does nothing.
#[derive(Debug, Clone)]
enum Deed {
    Write(usize, u8),
    /// Writes one line of a text of several.
    Edit(usize, usize, u8),
    Link(usize, u8),
    MakeFolder(usize),
    Remove(usize),
    Shift(usize, usize),
    Chmod(usize, u32),
    Uncover(usize),
    MakePipe(usize),
}

#[derive(Debug, Clone)]
struct Act {
    who: usize,
    deeds: Vec<Deed>,
}

/// Whether files hold text that can be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Text,
    Binary,
}

fn deeds(content: Content) -> impl Strategy<Value = Deed> {
    let name = 0..NAMES.len();
    let edit_weight = if content == Content::Text { 6 } else { 0 };
    prop_oneof![
        4 => (name.clone(), any::<u8>()).prop_map(|(at, byte)| Deed::Write(at, byte % 5)),
        edit_weight => (name.clone(), 0..9_usize, any::<u8>()).prop_map(|(at, line, byte)| Deed::Edit(at, line, byte % 5)),
        1 => (name.clone(), any::<u8>()).prop_map(|(at, byte)| Deed::Link(at, byte % 3)),
        3 => name.clone().prop_map(Deed::MakeFolder),
        2 => name.clone().prop_map(Deed::Remove),
        4 => (name.clone(), name.clone()).prop_map(|(from, to)| Deed::Shift(from, to)),
        1 => (name.clone(), 0..4_u32).prop_map(|(at, bits)| Deed::Chmod(at, 0o700 | bits)),
        1 => name.clone().prop_map(Deed::Uncover),
        1 => name.prop_map(Deed::MakePipe),
    ]
}

fn histories(content: Content) -> impl Strategy<Value = Vec<Act>> {
    let act = (0..=REDO, prop::collection::vec(deeds(content), 1..5)).prop_map(|(who, deeds)| Act { who, deeds });
    prop::collection::vec(act, 1..12)
}

/// Some files and folders that were there before anybody came.
fn start(content: Content) -> World {
    let mut world = World::default();
    for (number, name) in (10..).zip(["a", "d/a", "d/e/a"]) {
        world.given(name, &lines(&mark(number, content)));
    }
    world
}

fn play(history: &[Act], content: Content) -> World {
    let mut world = start(content);
    let parties = [Who::Turn(1), Who::Turn(2), Who::User, Who::Unclear(1)];
    let mut operation = BTreeSet::new();
    for act in history {
        match parties.get(act.who) {
            Some(&who) => {
                drop(world.change(who, |hands| act.deeds.iter().for_each(|deed| perform(hands, deed, content))))
            }
            None if act.who == UNDO => {
                operation = take_back(&mut world, |world| world.of_turns(&[1 + act.deeds.len() as u64 % 2]))
            }
            None => operation = take_back(&mut world, |world| world.standing(&operation)),
        }
    }
    world
}

/// The places behind the parties: an operation takes back a turn, or the operation before it.
const UNDO: usize = 4;
const REDO: usize = 5;

fn take_back(world: &mut World, chosen: impl Fn(&World) -> BTreeSet<Seq>) -> BTreeSet<Seq> {
    world.policy = Some(ConflictPolicy::Keep);
    let plan = world.plan(&chosen(world));
    assert_sound(world, &plan);
    world.carry_out(&plan)
}

fn perform(hands: &mut Hands<'_>, deed: &Deed, content: Content) {
    match *deed {
        Deed::Write(at, byte) if hands.can_fill(NAMES[at]) => hands.write(NAMES[at], &lines(&mark(byte, content))),
        Deed::Edit(at, line, byte) if hands.can_fill(NAMES[at]) => hands.edit_line(NAMES[at], line, &byte.to_string()),
        Deed::Link(at, byte) if hands.can_fill(NAMES[at]) => {
            hands.put_instead(NAMES[at], Entry::Link { target: vec![b'a' + byte] });
        }
        Deed::MakeFolder(at) if hands.is_free(NAMES[at]) && hands.has_folder(NAMES[at]) => hands.mkdir(NAMES[at]),
        Deed::Remove(at) => hands.remove(NAMES[at]),
        Deed::Shift(from, to) => hands.try_shift(NAMES[from], NAMES[to]),
        Deed::Chmod(at, bits) if !hands.is_free(NAMES[at]) => hands.chmod(NAMES[at], bits),
        Deed::Uncover(at) if hands.is_free(NAMES[at]) && hands.has_folder(NAMES[at]) => {
            hands.uncovered(NAMES[at], EntryKind::File, Reason::TooLarge);
        }
        Deed::MakePipe(at) if hands.is_free(NAMES[at]) && hands.has_folder(NAMES[at]) => {
            hands.put(NAMES[at], Entry::Special { kind: SpecialKind::Pipe });
        }
        _ => {}
    }
}

fn mark(byte: u8, content: Content) -> String {
    if content == Content::Text { byte.to_string() } else { format!("\0{byte}") }
}

fn lines(mark: &str) -> String {
    (0..9).map(|line| format!("{mark} {line}\n")).collect()
}

/// What a plan must be, whatever it was made for.
fn assert_sound(world: &World, plan: &Plan) {
    let sorted = |paths: Vec<_>| paths.windows(2).all(|pair| pair[0] < pair[1]);
    let changed: Vec<_> = plan.changes.iter().map(|change| &change.path).collect();
    let left: Vec<_> = plan.left.iter().map(|left| &left.path).collect();
    assert!(sorted(changed.clone()) && sorted(left.clone()), "{plan:#?}");
    assert!(left.iter().all(|path| !changed.contains(path)), "{plan:#?}");
    for change in &plan.changes {
        assert_eq!(world.tree.entry(&change.path), change.before);
        assert!(change.before != change.after || change.moved_from.is_some(), "{change:?}");
        let is_uncovered = |entry: &Entry| !entry.is_covered();
        assert!(!is_uncovered(&change.after) || change.moved_from.is_some(), "{change:?}");
        let goes_on = plan.changes.iter().any(|other| other.moved_from.as_ref() == Some(&change.path));
        assert!(!is_uncovered(&change.before) || goes_on, "{change:?} would be lost");
    }
}

/// All bytes on disk that no chosen change brought there, with how often they are there.
fn bytes_of_others(world: &World, chosen: &BTreeSet<Seq>, tree: &impl Fn() -> Vec<Entry>) -> BTreeMap<Vec<u8>, usize> {
    let brought: BTreeSet<_> = world
        .ledger
        .iter()
        .filter(|transition| chosen.contains(&transition.seq))
        .filter_map(|transition| transition.after.content().copied())
        .collect();
    let mut counts = BTreeMap::new();
    for hash in tree().iter().filter_map(Entry::content).filter(|hash| !brought.contains(hash)) {
        *counts.entry(world.shelf.0[hash].clone()).or_default() += 1;
    }
    counts
}

fn chosen_turns(mask: u8) -> Vec<u64> {
    [1, 2].into_iter().filter(|turn| mask & (1 << turn) != 0).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn undo_then_redo_is_identity(history in histories(Content::Text), mask in 2..8_u8, policy in 0..4_usize) {
        let mut world = play(&history, Content::Text);
        world.policy = Some(POLICIES[policy]);
        let chosen = world.of_turns(&chosen_turns(mask));
        let plan = world.plan(&chosen);
        assert_sound(&world, &plan);
        prop_assert_eq!(&plan, &world.plan(&chosen));
        prop_assert!(drift(&plan, &world.plan(&chosen)).is_empty());
        if !plan.has_conflicts() {
            let before = world.tree.entries();
            let operation = world.carry_out(&plan);
            let undone = world.tree.entries();
            world.policy = None;
            let redo = world.take_back(&operation);
            prop_assert_eq!(world.tree.entries(), before);
            world.take_back(&redo);
            prop_assert_eq!(world.tree.entries(), undone);
        }
    }

    #[test]
    fn nothing_of_others_is_lost(history in histories(Content::Binary), mask in 2..8_u8, keep in any::<bool>()) {
        let mut world = play(&history, Content::Binary);
        world.policy = Some(if keep { ConflictPolicy::Keep } else { ConflictPolicy::Stop });
        let chosen = world.of_turns(&chosen_turns(mask));
        let plan = world.plan(&chosen);
        assert_sound(&world, &plan);
        if plan.has_conflicts() {
            return Ok(());
        }
        let entries = |world: &World| -> Vec<Entry> { world.tree.entries().into_values().collect() };
        let uncovered = |world: &World| -> BTreeSet<u64> {
            world.tree.nodes.values().filter(|node| !node.entry.is_covered()).map(|node| node.id).collect()
        };
        let (before, hidden) = (bytes_of_others(&world, &chosen, &|| entries(&world)), uncovered(&world));
        world.carry_out(&plan);
        let after = bytes_of_others(&world, &chosen, &|| entries(&world));
        for (bytes, count) in before {
            prop_assert!(after.get(&bytes).copied().unwrap_or(0) >= count, "{:?} is lost: {:#?}", bytes, plan);
        }
        prop_assert_eq!(uncovered(&world), hidden);
    }

    #[test]
    fn everything_alone_goes_back_to_the_start(history in histories(Content::Text)) {
        let alone: Vec<_> = history.into_iter().map(|act| Act { who: act.who % 2, ..act }).collect();
        let mut world = play(&alone, Content::Text);
        let plan = world.plan(&world.of_turns(&[1, 2]));
        if plan.gaps.is_empty() {
            prop_assert!(plan.left.is_empty(), "{:#?}", plan);
            world.carry_out(&plan);
            prop_assert_eq!(world.tree.entries(), start(Content::Text).tree.entries());
        }
    }

    #[test]
    fn no_ledger_makes_the_plan_fall_over(history in histories(Content::Text), keep in any::<u64>(), policy in 0..4_usize) {
        let mut world = play(&history, Content::Text);
        world.policy = Some(POLICIES[policy]);
        let chosen = world.of_turns(&[1, 2]);
        let mut at = 0;
        world.ledger.retain(|_| { at += 1; keep & (1 << (at % 64)) != 0 });
        world.tree.set(&path("d"), Entry::Link { target: b"elsewhere".to_vec() });
        let plan = world.plan(&chosen);
        prop_assert_eq!(&plan, &world.plan(&chosen));
        assert_sound(&world, &plan);
    }
}

#[test]
fn a_file_that_became_a_folder_and_moved_leads_back_to_the_folder_that_was_there_before_it() {
    let act = |deeds: Vec<Deed>| Act { who: 0, deeds };
    let history = [
        act(vec![Deed::Remove(2), Deed::Edit(2, 0, 0)]),
        act(vec![Deed::Write(0, 0)]),
        act(vec![Deed::Shift(2, 1)]),
        act(vec![Deed::Remove(1), Deed::MakeFolder(1)]),
    ];
    let mut world = play(&history, Content::Text);
    let plan = world.plan(&world.of_turns(&[1, 2]));
    assert!(plan.left.is_empty(), "{plan:#?}");
    world.carry_out(&plan);
    assert_eq!(world.tree.entries(), start(Content::Text).tree.entries());
}
