//! What the design promises, one sentence each.

use std::collections::{BTreeMap, BTreeSet};

use model::{ConflictPolicy, Entry, EntryKind, Evidence, FileResult, Mode, Reason, SpecialKind, Tree};

use crate::simple_tree::path;
use crate::world::{Who, World, changed, left};

const CONFLICT: FileResult = FileResult::Conflict;
const KEPT: FileResult = FileResult::Kept;

fn world(files: &[(&str, &str)]) -> World {
    let mut world = World::default();
    files.iter().for_each(|(name, text)| world.given(name, text));
    world
}

/// Takes turns back and brings them again; both must lead exactly where they came from.
fn round_trip(world: &mut World, turns: &[u64]) {
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
fn an_edit_is_taken_back_where_the_user_has_moved_the_file() {
    let mut world = world(&[("d/rc", "v1\n")]);
    world.change(Who::Turn(1), |hands| {
        hands.write("d/rc", "v2\n");
        hands.write("d/extra", "e\n");
    });
    world.change(Who::User, |hands| {
        hands.shift("d", "d.bak");
        hands.link("d", "../outside");
    });
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["d.bak/extra", "d.bak/rc"]);
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("d.bak/rc").as_deref(), Some("v1\n"));
}

#[test]
fn a_moved_file_moves_back_with_the_edits_that_others_made_at_its_new_place() {
    let mut world = world(&[("a", "1\n"), ("b", "covered\n")]);
    world.change(Who::Turn(1), |hands| hands.shift("a", "b"));
    world.change(Who::User, |hands| hands.write("b", "1\nmine\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["a", "b"]);
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("a").as_deref(), Some("1\nmine\n"));
    assert_eq!(world.read("b").as_deref(), Some("covered\n"));
}

#[test]
fn what_somebody_has_put_where_a_moved_file_was_stays_there() {
    let mut world = world(&[("a", "1\n")]);
    world.change(Who::Turn(1), |hands| hands.shift("a", "b"));
    world.change(Who::User, |hands| hands.remove("b"));
    world.change(Who::User, |hands| hands.mkdir("b"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!((plan.changes.len(), plan.left.len()), (0, 0));
}

#[test]
fn a_file_that_both_sides_moved_is_a_conflict() {
    let mut world = world(&[("a", "1\n")]);
    world.change(Who::Turn(1), |hands| hands.shift("a", "b"));
    world.change(Who::User, |hands| hands.shift("b", "c"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "c"), Some((CONFLICT, Reason::EditedOutside)));
    world.policy = Some(ConflictPolicy::Take);
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("a").as_deref(), Some("1\n"));
}

#[test]
fn a_file_cannot_move_back_to_where_somebody_has_put_another() {
    let mut world = world(&[("a", "1\n")]);
    world.change(Who::Turn(1), |hands| hands.shift("a", "b"));
    world.change(Who::User, |hands| hands.write("a", "mine\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "a"), Some((CONFLICT, Reason::EditedOutside)));
    assert!(plan.changes.is_empty());
    world.policy = Some(ConflictPolicy::Take);
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["a", "b"]);
}

#[test]
fn a_file_written_anew_through_a_second_name_keeps_the_edits_of_others() {
    let mut world = world(&[("f", "1\n2\n3\n4\n")]);
    world.change(Who::Turn(1), |hands| hands.write("f.new", "one\n2\n3\n4\n"));
    world.change(Who::Turn(1), |hands| hands.shift("f.new", "f"));
    world.change(Who::User, |hands| hands.write("f", "one\n2\n3\nfour\n"));
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("f").as_deref(), Some("1\n2\n3\nfour\n"));
}

#[test]
fn a_backup_beside_a_file_does_not_draw_the_undo_away_from_it() {
    let mut world = world(&[("f", "1\n2\n3\n4\n")]);
    world.change(Who::Turn(1), |hands| hands.write("f", "one\n2\n3\n4\n"));
    world.change(Who::User, |hands| {
        hands.shift("f", "f~");
        hands.write("f", "one\n2\n3\nfour\n");
    });
    world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.read("f").as_deref(), Some("1\n2\n3\nfour\n"));
    assert_eq!(world.read("f~").as_deref(), Some("one\n2\n3\n4\n"));
}

#[test]
fn uncovered_things_are_moved_back_as_they_are() {
    let mut world = world(&[]);
    world.change(Who::User, |hands| {
        hands.uncovered("big", EntryKind::File, Reason::TooLarge);
        hands.uncovered("node_modules", EntryKind::Dir, Reason::Derived);
        hands.put("pipe", Entry::Special { kind: SpecialKind::Pipe });
    });
    let start = world.tree.entries();
    world.change(Who::Turn(1), |hands| {
        hands.mkdir("d");
        for name in ["big", "node_modules", "pipe"] {
            hands.shift(name, &format!("d/{name}"));
        }
    });
    round_trip(&mut world, &[1]);
    assert_eq!(world.tree.entries(), start);
}

#[test]
fn uncovered_things_that_trade_places_trade_back() {
    let mut world = world(&[]);
    world.change(Who::User, |hands| {
        hands.uncovered("a", EntryKind::File, Reason::TooLarge);
        hands.uncovered("b", EntryKind::Dir, Reason::Derived);
    });
    let start = world.tree.clone();
    world.change(Who::Turn(1), |hands| hands.shift("a", "t"));
    world.change(Who::Turn(1), |hands| hands.shift("b", "a"));
    world.change(Who::Turn(1), |hands| hands.shift("t", "b"));
    world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.tree.nodes, start.nodes);
}

#[test]
fn what_was_not_covered_is_named_and_left_alone() {
    let mut world = world(&[("grow", "small\n"), ("a", "0\n"), ("p", "0\n")]);
    world.change(Who::Turn(1), |hands| {
        hands.uncovered("grow", EntryKind::File, Reason::TooLarge);
        hands.uncovered("huge", EntryKind::File, Reason::TooLarge);
        hands.put("p", Entry::Special { kind: SpecialKind::Pipe });
        hands.write("a", "1\n");
    });
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["a"]);
    let gaps: Vec<_> = plan.gaps.iter().map(|gap| (gap.path.to_string(), gap.reason)).collect();
    let expected = [("grow", Reason::TooLarge), ("huge", Reason::TooLarge), ("p", Reason::Special)];
    assert_eq!(gaps, expected.map(|(name, reason)| (name.to_owned(), reason)));
}

#[test]
fn files_that_only_come_into_sight_are_not_taken_for_new() {
    let mut world = world(&[("a", "0\n")]);
    world.change(Who::User, |hands| hands.uncovered("node_modules", EntryKind::Dir, Reason::Derived));
    world.change(Who::Turn(1), |hands| {
        hands.mkdir("node_modules");
        hands.write("node_modules/index.js", "x\n");
        hands.write("a", "1\n");
    });
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["a"]);
    assert_eq!(plan.gaps.len(), 2);
}

#[test]
fn a_folder_that_holds_anything_else_stays() {
    let mut world = world(&[]);
    world.change(Who::Turn(1), |hands| {
        hands.mkdir("gen");
        hands.mkdir("gen/a");
        hands.write("gen/a/f", "1\n");
    });
    world.change(Who::User, |hands| hands.write("gen/a/mine", "mine\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(changed(&plan), ["gen/a/f"]);
    assert_eq!(left(&plan, "gen"), Some((KEPT, Reason::EditedOutside)));
    assert_eq!(left(&plan, "gen/a"), Some((KEPT, Reason::EditedOutside)));
    round_trip(&mut world, &[1]);
}

fn traded_places() -> World {
    let mut world = world(&[("conf", "cfg\n"), ("lib/x", "x\n"), ("link", "")]);
    world.change(Who::User, |hands| hands.link("link", "conf"));
    world.change(Who::Turn(1), |hands| {
        hands.remove("conf");
        hands.mkdir("conf");
        hands.write("conf/a", "a\n");
        hands.remove("lib");
        hands.write("lib", "flat\n");
        hands.remove("link");
        hands.write("link", "now\n");
    });
    world
}

#[test]
fn file_folder_and_link_that_traded_places_trade_back() {
    let mut world = traded_places();
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("conf").as_deref(), Some("cfg\n"));
    assert_eq!(world.read("lib/x").as_deref(), Some("x\n"));
    assert_eq!(world.tree.entry(&path("link")), Entry::Link { target: b"conf".to_vec() });
}

#[test]
fn a_folder_that_must_give_way_but_holds_the_users_file_is_a_conflict() {
    let mut world = traded_places();
    world.change(Who::User, |hands| hands.write("conf/mine", "mine\n"));
    let chosen = world.of_turns(&[1]);
    assert_eq!(left(&world.plan(&chosen), "conf"), Some((CONFLICT, Reason::TypeChange)));
    world.policy = Some(ConflictPolicy::Keep);
    world.take_back(&chosen);
    assert_eq!(world.read("conf/mine").as_deref(), Some("mine\n"));
    assert_eq!(world.read("lib/x").as_deref(), Some("x\n"));
}

#[test]
fn what_depends_on_a_folder_that_cannot_come_back_is_in_conflict_too() {
    let mut world = traded_places();
    world.change(Who::User, |hands| hands.write("lib", "mine\n"));
    let plan = world.plan(&world.of_turns(&[1]));
    assert_eq!(left(&plan, "lib"), Some((CONFLICT, Reason::EditedOutside)));
    assert_eq!(left(&plan, "lib/x"), Some((CONFLICT, Reason::UnsafePath)));
}

#[test]
fn nothing_is_written_through_a_link_that_took_the_place_of_a_folder() {
    let mut world = world(&[("d/gone", "g\n")]);
    world.change(Who::Turn(1), |hands| hands.remove("d/gone"));
    world.change(Who::User, |hands| {
        hands.remove("d");
        hands.link("d", "../outside");
    });
    for policy in [ConflictPolicy::Stop, ConflictPolicy::Take, ConflictPolicy::Merge] {
        world.policy = Some(policy);
        let plan = world.plan(&world.of_turns(&[1]));
        assert_eq!(left(&plan, "d/gone"), Some((CONFLICT, Reason::UnsafePath)));
        assert!(plan.changes.is_empty());
    }
}

#[test]
fn a_link_that_took_the_place_of_a_file_is_a_change_of_type() {
    let mut world = world(&[("rc", "v1\n")]);
    world.change(Who::Turn(1), |hands| hands.write("rc", "v2\n"));
    world.change(Who::User, |hands| {
        hands.remove("rc");
        hands.link("rc", "../outside");
    });
    assert_eq!(left(&world.plan(&world.of_turns(&[1])), "rc"), Some((CONFLICT, Reason::TypeChange)));
    world.policy = Some(ConflictPolicy::Take);
    round_trip(&mut world, &[1]);
    assert_eq!(world.read("rc").as_deref(), Some("v1\n"));
}

#[test]
fn missing_parents_come_back_with_their_last_known_mode() {
    let mut world = world(&[("d/e/f", "f\n")]);
    world.change(Who::Turn(1), |hands| hands.remove("d/e/f"));
    world.change(Who::User, |hands| hands.remove("d"));
    let operation = world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.tree.entry(&path("d/e")), Entry::Dir { mode: Mode::new(0o750) });
    assert_eq!(world.read("d/e/f").as_deref(), Some("f\n"));
    world.take_back(&operation);
    assert!(world.tree.entries().is_empty());
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
