//! What the design promises, one sentence each.

use std::collections::{BTreeMap, BTreeSet};

use model::{ConflictPolicy, Entry, Evidence, FileResult, Mode, Reason, Tree};

use crate::simple_tree::path;
use crate::world::{Who, World, changed, left};

const CONFLICT: FileResult = FileResult::Conflict;
const KEPT: FileResult = FileResult::Kept;

pub(crate) fn world(files: &[(&str, &str)]) -> World {
    let mut world = World::default();
    files.iter().for_each(|(name, text)| world.given(name, text));
    world
}

/// Takes turns back and brings them again; both must lead exactly where they came from.
pub(crate) fn round_trip(world: &mut World, turns: &[u64]) {
    let before = world.tree.entries();
    let operation = world.take_back(&world.of_turns(turns));
    let undone = world.tree.entries();
    let redo = world.take_back(&operation);
    assert_eq!(world.tree.entries(), before);
    assert!(!redo.is_empty());
    world.take_back(&world.of_turns(turns));
    assert_eq!(world.tree.entries(), undone);
}

#[test]
fn untouched_files_come_back_byte_for_byte() {
    let mut world = world(&[("a", "a0\n"), ("d/b", "b0\n"), ("void", "")]);
    let start = world.tree.entries();
    world.change(Who::Turn(1), |hands| {
        hands.write("a", "a1\n");
        hands.remove("d");
        hands.write("void", "no longer\n");
        hands.mkdir("new");
        hands.write("new/empty", "");
        hands.link("l", "a");
        hands.chmod("a", 0o755);
    });
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["a", "d", "d/b", "l", "new", "new/empty", "void"]);
    round_trip(&mut world, &[1]);
    assert_eq!(world.tree.entries(), start);
}

#[test]
fn later_edits_of_others_survive() {
    let mut world = world(&[("notes", "1\n2\n3\n4\n5\n")]);
    world.change(Who::Turn(1), |hands| hands.write("notes", "1\ntwo\n3\n4\n5\n"));
    world.change(Who::User, |hands| hands.write("notes", "1\ntwo\n3\n4\nfive\n"));
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("notes").as_deref(), Some("1\n2\n3\n4\nfive\n"));
}

#[test]
fn what_moved_away_and_was_replaced_goes_back_and_forth() {
    let mut world = world(&[("b", "old\n")]);
    world.change(Who::Turn(1), |hands| hands.shift("b", "a"));
    world.change(Who::Turn(1), |hands| hands.write("b", "new\n"));
    round_trip(&mut world, &[1]);
    assert_eq!((world.read("a"), world.read("b").as_deref()), (None, Some("old\n")));
}

#[test]
fn a_middle_turn_can_be_taken_out_alone() {
    let mut world = world(&[("f", "1\n2\n3\n4\n5\n")]);
    world.change(Who::Turn(1), |hands| hands.write("f", "one\n2\n3\n4\n5\n"));
    world.change(Who::Turn(2), |hands| hands.write("f", "one\n2\nthree\n4\n5\n"));
    world.change(Who::Turn(3), |hands| hands.write("f", "one\n2\nthree\n4\nfive\n"));
    world.take_back(&world.of_turns(&[2]));
    assert_eq!(world.read("f").as_deref(), Some("one\n2\n3\n4\nfive\n"));
    world.take_back(&world.of_turns(&[1, 2, 3]));
    assert_eq!(world.read("f").as_deref(), Some("1\n2\n3\n4\n5\n"));
}

#[test]
fn order_does_not_matter_when_footprints_are_disjoint() {
    let mut one = world(&[("a", "a0\n"), ("b", "b0\n")]);
    one.change(Who::Turn(1), |hands| hands.shift("a", "moved"));
    one.change(Who::Turn(2), |hands| hands.write("b", "b1\n"));
    let mut other = one.clone();
    for (world, order) in [(&mut one, [1, 2]), (&mut other, [2, 1])] {
        order.iter().for_each(|&turn| drop(world.take_back(&world.of_turns(&[turn]))));
    }
    assert_eq!(one.tree.entries(), other.tree.entries());
}

#[test]
fn net_zero_work_never_conflicts() {
    let mut world = world(&[("bin", "\0zero"), ("gone", "g\n")]);
    world.change(Who::Turn(1), |hands| hands.write("bin", "\0one"));
    world.change(Who::User, |hands| hands.write("bin", "\0two"));
    world.change(Who::User, |hands| hands.write("bin", "\0one"));
    world.change(Who::Turn(2), |hands| hands.remove("gone"));
    world.change(Who::Turn(2), |hands| hands.write("gone", "g\n"));
    world.change(Who::User, |hands| hands.write("gone", "mine\n"));
    let plan = world.plan(&world.of_turns(&[1, 2]));
    assert_eq!((changed(&plan), plan.left.len()), (vec!["bin".to_owned()], 0));
    assert_eq!(plan.changes[0].after, world.bytes(b"\0zero"));
}

#[test]
fn an_edit_over_the_same_lines_is_a_conflict_and_nothing_changes_there() {
    let mut world = world(&[("f", "red\n"), ("g", "g0\n")]);
    world.change(Who::Turn(1), |hands| {
        hands.write("f", "red\nblue\n");
        hands.write("g", "g1\n");
    });
    world.change(Who::User, |hands| hands.write("f", "green\nblue\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "f"), Some((CONFLICT, Reason::EditedOutside)));
    assert_eq!(plan.left[0].evidence, Evidence::Window);
    assert_eq!(changed(&plan), ["g"]);
}

#[test]
fn each_policy_decides_over_a_conflict_in_its_way() {
    let mut world = world(&[("f", "red\n"), ("bin", "\0a")]);
    world.change(Who::Turn(1), |hands| hands.write("f", "red\nblue\n"));
    world.change(Who::Turn(1), |hands| hands.write("bin", "\0b"));
    world.change(Who::User, |hands| hands.write("f", "green\nblue\n"));
    world.change(Who::User, |hands| hands.write("bin", "\0c"));
    let chosen = world.of_turns(&[1]);

    world.policy = Some(ConflictPolicy::Keep);
    let plan = world.plan(&chosen);
    assert_eq!(left(&plan, "f"), Some((KEPT, Reason::EditedOutside)));
    assert!(plan.changes.is_empty());

    world.policy = Some(ConflictPolicy::Merge);
    let plan = world.plan(&chosen);
    assert_eq!(left(&plan, "bin"), Some((CONFLICT, Reason::EditedOutside)));
    assert_eq!(left(&plan, "f"), None);
    let merged = plan.merged.values().next().expect("one merged text");
    let expected = "<<<<<<< mine: now\ngreen\nblue\n=======\nred\n>>>>>>> theirs: before\n";
    assert_eq!(String::from_utf8_lossy(merged), expected);

    world.policy = Some(ConflictPolicy::Take);
    let mixed = world.tree.entries();
    let operation = world.take_back(&chosen);
    assert_eq!((world.read("f").as_deref(), world.read("bin").as_deref()), (Some("red\n"), Some("\0a")));
    world.take_back(&operation);
    assert_eq!(world.tree.entries(), mixed);
}

#[test]
fn undo_keeps_and_names_a_file_it_made_that_somebody_edited_later() {
    let mut world = world(&[("a", "a\n")]);
    world.change(Who::Turn(1), |hands| {
        hands.mkdir("d");
        hands.write("d/made", "agent\n");
        hands.write("a", "b\n");
    });
    world.change(Who::User, |hands| hands.write("d/made", "agent and me\n"));
    let chosen = world.of_turns(&[1]);
    let plan = world.plan(&chosen);
    assert_eq!(left(&plan, "d/made"), Some((KEPT, Reason::MadeBySessionEditedLater)));
    assert_eq!(left(&plan, "d"), Some((KEPT, Reason::MadeBySessionEditedLater)));
    assert_eq!(changed(&plan), ["a"]);
    world.policy = Some(ConflictPolicy::Take);
    assert_eq!(changed(&world.plan(&chosen)), ["a", "d", "d/made"]);
}

#[test]
fn work_of_others_that_made_a_path_anew_supersedes_what_is_older() {
    let mut world = world(&[("f", "v0\n")]);
    world.change(Who::Turn(1), |hands| hands.write("f", "v1\n"));
    world.change(Who::User, |hands| hands.remove("f"));
    world.change(Who::Turn(2), |hands| hands.write("f", "v2\n"));
    let plan = world.plan(&world.of_turns(&[1, 2]));
    assert_eq!(plan.changes[0].after, Entry::Absent);
    assert_eq!(plan.changes[0].reverses, world.of_turns(&[2]).into_iter().collect::<Vec<_>>());
    round_trip(&mut world, &[1, 2]);
}

#[test]
fn what_the_user_deleted_himself_is_nothing_to_do_for_a_file_the_session_made() {
    let mut world = world(&[]);
    world.change(Who::Turn(1), |hands| hands.write("made", "m\n"));
    world.change(Who::User, |hands| hands.remove("made"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!((plan.changes.len(), plan.left.len()), (0, 0));
}

#[test]
fn a_contested_change_in_the_way_is_called_so() {
    let mut world = world(&[("bin", "\0a")]);
    world.change(Who::Turn(1), |hands| hands.write("bin", "\0b"));
    world.change(Who::Unclear(1), |hands| hands.write("bin", "\0c"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "bin"), Some((CONFLICT, Reason::Contested)));
}

#[test]
fn kept_changes_are_named_while_their_effect_shows() {
    let mut world = world(&[("a", "0\n2\n3\n"), ("b", "0\n"), ("c", "0\n")]);
    world.change(Who::Turn(1), |hands| hands.write("a", "1\n2\n3\n"));
    let outside = world.change(Who::User, |hands| {
        hands.write("a", "1\n2\n3\nmine\n");
        hands.write("b", "mine\n");
        hands.write("c", "mine\n");
    });
    let back = world.change(Who::User, |hands| hands.write("c", "0\n"));
    let named: BTreeMap<_, _> = outside.iter().chain(&back).map(|&seq| (seq, Reason::EditedOutside)).collect();
    let plan = world.plan_naming(&world.of_turns(&[1]), &named);
    assert_eq!(changed(&plan), ["a"]);
    assert_eq!(left(&plan, "b"), Some((KEPT, Reason::EditedOutside)));
    assert_eq!(plan.left.len(), 1);
}

#[test]
fn content_and_mode_are_taken_back_apart() {
    let mut world = world(&[("run", "1\n"), ("key", "k\n")]);
    world.change(Who::Turn(1), |hands| {
        hands.write("run", "2\n");
        hands.chmod("key", 0o600);
    });
    world.change(Who::User, |hands| {
        hands.chmod("run", 0o755);
        hands.write("key", "mine\n");
    });
    world.take_back(&world.of_turns(&[1]));
    let run = world.text("1\n").with_mode(Mode::new(0o755));
    assert_eq!(world.tree.entry(&path("run")), run);
    assert_eq!(world.tree.entry(&path("key")), world.text("mine\n"));
}

#[test]
fn a_control_file_goes_back_only_where_the_session_alone_made_it_what_it_is() {
    let mut world = world(&[("own", "0\n"), ("shared", "1\n2\n3\n4\n")]);
    world.control = vec![path("own"), path("shared")];
    world.change(Who::Turn(1), |hands| {
        hands.write("own", "1\n");
        hands.write("shared", "one\n2\n3\n4\n");
    });
    world.change(Who::User, |hands| hands.write("shared", "one\n2\n3\nfour\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["own"]);
    assert_eq!(left(&plan, "shared"), Some((KEPT, Reason::ControlFile)));
}

#[test]
fn content_that_a_merge_needs_and_nobody_has_is_missing() {
    let mut world = world(&[("f", "1\n2\n3\n4\n")]);
    let base = world.text("one\n2\n3\n4\n");
    world.change(Who::Turn(1), |hands| hands.write("f", "one\n2\n3\n4\n"));
    world.change(Who::User, |hands| hands.write("f", "one\n2\n3\nfour\n"));
    world.shelf.0.remove(base.content().expect("a file"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "f"), Some((CONFLICT, Reason::MissingContent)));
}

#[test]
fn a_change_that_nobody_recorded_is_treated_as_somebody_elses() {
    let mut world = world(&[("bin", "\0a")]);
    let chosen = world.change(Who::Turn(1), |hands| hands.write("bin", "\0b"));
    let unseen = world.bytes(b"\0c");
    world.tree.set(&path("bin"), unseen);
    assert_eq!(left(&world.plan(&chosen), "bin"), Some((CONFLICT, Reason::EditedOutside)));
}

#[test]
fn redo_after_a_forced_undo_brings_the_mixed_state_again() {
    let mut world = world(&[("a", "v0\n")]);
    world.change(Who::Turn(1), |hands| hands.write("a", "v1\n"));
    world.change(Who::User, |hands| hands.write("a", "v1u\n"));
    world.policy = Some(ConflictPolicy::Take);
    let operation = world.take_back(&world.of_turns(&[1]));
    world.policy = None;
    world.take_back(&operation);
    assert_eq!(world.read("a").as_deref(), Some("v1u\n"));
}

#[test]
fn an_empty_choice_gives_an_empty_plan() {
    let mut world = world(&[("a", "0\n")]);
    world.change(Who::User, |hands| hands.write("a", "1\n"));
    assert_eq!(world.plan(&BTreeSet::new()), model::Plan::empty());
}

#[test]
fn markers_leave_in_what_others_did_between_the_changes_that_go() {
    let mut world = world(&[("notes", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")]);
    world.change(Who::Turn(1), |hands| hands.edit_line("notes", 0, "one"));
    world.change(Who::User, |hands| hands.edit_line("notes", 4, "mine"));
    world.change(Who::Turn(1), |hands| hands.edit_line("notes", 8, "nine"));
    world.change(Who::User, |hands| hands.edit_line("notes", 8, "mine too"));
    let chosen = world.of_turns(&[1]);
    assert!(world.plan(&chosen).has_conflicts());
    world.policy = Some(ConflictPolicy::Merge);
    world.take_back(&chosen);
    let text = world.read("notes").expect("a text");
    assert_eq!(text, "1\n2\n3\n4\nmine\n6\n7\n8\n<<<<<<< mine: now\nmine too\n=======\n9\n>>>>>>> theirs: before\n");
}
