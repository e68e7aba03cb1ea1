//! Things that move, folders, kinds that trade places, and what is not covered: one sentence each.

use model::{ConflictPolicy, Entry, EntryKind, FileResult, Mode, Move, Reason, SpecialKind, Tree};

use crate::sentences::{round_trip, world};
use crate::simple_tree::path;
use crate::world::{Who, World, changed, left};

const CONFLICT: FileResult = FileResult::Conflict;
const KEPT: FileResult = FileResult::Kept;

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
    let backup = world.ledger.iter_mut().find(|transition| transition.path == path("f~")).expect("it was recorded");
    backup.moved = Some(Move::From(path("f")));
    world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.read("f").as_deref(), Some("1\n2\n3\nfour\n"));
    assert_eq!(world.read("f~").as_deref(), Some("one\n2\n3\n4\n"));
}

#[test]
fn a_moved_file_is_written_anew_where_an_equal_one_must_stay_in_its_place() {
    let mut world = world(&[("p", "equal\n"), ("r", "equal\n")]);
    let start = world.tree.entries();
    world.change(Who::Turn(1), |hands| hands.remove("p"));
    world.change(Who::Turn(1), |hands| hands.shift("r", "p"));
    assert_eq!(changed(&world.plan(&world.of_turns(&[1]))), ["r"]);
    world.take_back(&world.of_turns(&[1]));
    assert_eq!(world.tree.entries(), start);
}

#[test]
fn a_disputed_folder_comes_back_for_what_comes_back_below_it() {
    let mut world = world(&[("f", "f0\n")]);
    world.change(Who::User, |hands| {
        hands.mkdir("d");
        hands.write("d/a", "a0\n");
    });
    world.change(Who::Turn(1), |hands| hands.remove("d"));
    world.change(Who::Turn(1), |hands| hands.mkdir("d"));
    world.change(Who::Turn(1), |hands| hands.chmod("d", 0o700));
    world.change(Who::User, |hands| hands.remove("d"));
    for policy in [ConflictPolicy::Keep, ConflictPolicy::Merge, ConflictPolicy::Take] {
        let mut world = world.clone();
        world.policy = Some(policy);
        let plan = world.plan(&world.of_turns(&[1]));
        world.carry_out(&plan);
        assert_eq!(world.read("d/a").as_deref(), Some("a0\n"), "{policy:?}");
    }
}

#[test]
fn what_left_coverage_on_its_way_and_came_back_is_brought_back() {
    let mut world = world(&[("log", "short\n"), ("kept", "k0\n")]);
    let start = world.tree.entries();
    world.change(Who::Turn(1), |hands| {
        hands.remove("log");
        hands.uncovered("log", EntryKind::File, Reason::TooLarge);
        hands.remove("kept");
        hands.put("kept", Entry::Special { kind: SpecialKind::Pipe });
    });
    world.change(Who::Turn(1), |hands| {
        hands.remove("log");
        hands.remove("kept");
        hands.write("kept", "k1\n");
    });
    round_trip(&mut world, &[1]);
    assert_eq!(world.tree.entries(), start);
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
