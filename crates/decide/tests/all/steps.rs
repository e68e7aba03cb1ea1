//! The acts that carry a plan out, and their order.

use decide::{LinkGroup, Site, note_split_links, write_steps};
use model::{Act, Change, Entry, EntryKind, Evidence, Mode, Plan, Reason, WorkspacePath, WriteStep};

use crate::simple_tree::{SimpleTree, path};
use crate::world::{Who, World};

fn plan(changes: Vec<Change>) -> Plan {
    Plan { changes, ..Plan::empty() }
}

fn change(name: &str, before: Entry, after: Entry) -> Change {
    Change {
        path: path(name),
        before,
        after,
        moved_from: None,
        reverses: Vec::new(),
        evidence: Evidence::Exact,
        note: None,
    }
}

fn text(text: &str) -> Entry {
    World::default().text(text)
}

fn dir(bits: u32) -> Entry {
    Entry::Dir { mode: Mode::new(bits) }
}

fn tree(entries: &[(&str, Entry)]) -> SimpleTree {
    let mut tree = SimpleTree::default();
    entries.iter().for_each(|(name, entry)| tree.set(&path(name), entry.clone()));
    tree
}

fn group(names: &[&str]) -> LinkGroup {
    LinkGroup { names: names.iter().map(|name| path(name)).collect(), has_other_names: false }
}

/// A step as one word and a path.
fn told(steps: &[WriteStep]) -> Vec<String> {
    let word = |act: &Act| match act {
        Act::Lift { .. } => "lift",
        Act::Remove { .. } => "remove",
        Act::RemoveDir { .. } => "rmdir",
        Act::MakeDir => "mkdir",
        Act::MoveFrom { .. } => "move",
        Act::Create { .. } => "create",
        Act::Replace { .. } => "replace",
        Act::SetMode { .. } => "mode",
    };
    steps.iter().map(|step| format!("{} {}", word(&step.act), step.path)).collect()
}

fn steps_at(tree: &SimpleTree, plan: &Plan, folds_case: bool) -> Vec<WriteStep> {
    write_steps(plan, &Site { tree, prefix: ".op-", needs_lift: &|_| None, linked: &[], folds_case })
}

#[test]
fn folders_are_cleared_from_below_made_from_above_and_get_their_modes_last() {
    let mut tree = tree(&[("old", dir(0o755)), ("old/in", dir(0o755)), ("old/in/f", text("f")), ("r", text("1"))]);
    let plan = plan(vec![
        change("new", Entry::Absent, dir(0o750)),
        change("new/in", Entry::Absent, dir(0o500)),
        change("new/in/f", Entry::Absent, text("f")),
        change("old", dir(0o755), Entry::Absent),
        change("old/in", dir(0o755), Entry::Absent),
        change("old/in/f", text("f"), Entry::Absent),
        change("r", text("1"), text("2")),
    ]);
    let steps = tree.carry_out_at(&plan, &[], &|_| None);
    let expected = [
        "remove old/in/f",
        "rmdir old/in",
        "rmdir old",
        "mkdir new",
        "mkdir new/in",
        "create new/in/f",
        "replace r",
        "mode new/in",
        "mode new",
    ];
    assert_eq!(told(&steps), expected);
}

#[test]
fn a_read_only_folder_is_lifted_for_the_time_of_the_work() {
    let mut tree = tree(&[("ro", dir(0o555)), ("ro/f", text("2")), ("go", dir(0o500)), ("go/f", text("1"))]);
    let plan = plan(vec![
        change("go", dir(0o500), Entry::Absent),
        change("go/f", text("1"), Entry::Absent),
        change("ro/f", text("2"), text("1")),
    ]);
    let needs_lift = |folder: &WorkspacePath| tree_mode(folder, &[("ro", 0o555), ("go", 0o500)]);
    let steps = tree.carry_out_at(&plan, &[], &needs_lift);
    assert_eq!(told(&steps), ["lift go", "lift ro", "remove go/f", "rmdir go", "replace ro/f", "mode ro"]);
    assert_eq!(steps[3].act, Act::RemoveDir { mode: Mode::new(0o700) });
    assert_eq!(steps[5].act, Act::SetMode { before: Mode::new(0o755), after: Mode::new(0o555) });
}

fn tree_mode(folder: &WorkspacePath, modes: &[(&str, u32)]) -> Option<Mode> {
    modes.iter().find(|(name, _)| path(name) == *folder).map(|&(_, bits)| Mode::new(bits))
}

#[test]
fn a_folder_that_becomes_read_only_again_gets_its_mode_after_everything_in_it() {
    let mut tree = tree(&[("ro", dir(0o555)), ("ro/f", text("2").with_mode(Mode::new(0o444)))]);
    let plan = plan(vec![
        change("ro", dir(0o555), dir(0o500)),
        change("ro/f", text("2").with_mode(Mode::new(0o444)), text("2")),
        change("ro/g", Entry::Absent, text("g")),
    ]);
    let needs_lift = |folder: &WorkspacePath| tree_mode(folder, &[("ro", 0o555)]);
    let steps = tree.carry_out_at(&plan, &[], &needs_lift);
    assert_eq!(told(&steps), ["lift ro", "create ro/g", "mode ro/f", "mode ro"]);
}

#[test]
fn kinds_that_trade_places_are_cleared_before_they_are_made() {
    let mut tree = tree(&[("conf", dir(0o755)), ("conf/a", text("a")), ("lib", text("flat")), ("link", text("now"))]);
    let plan = plan(vec![
        change("conf", dir(0o755), text("cfg")),
        change("conf/a", text("a"), Entry::Absent),
        change("lib", text("flat"), dir(0o755)),
        change("lib/x", Entry::Absent, text("x")),
        change("link", text("now"), Entry::Link { target: b"conf".to_vec() }),
    ]);
    let steps = tree.carry_out_at(&plan, &[], &|_| None);
    let expected = [
        "remove lib",
        "remove conf/a",
        "rmdir conf",
        "mkdir lib",
        "create conf",
        "create lib/x",
        "replace link",
        "mode lib",
    ];
    assert_eq!(told(&steps), expected);
}

#[test]
fn a_thing_that_moves_into_a_folder_of_its_own_name_waits_beside_it() {
    let big = Entry::Uncovered { kind: EntryKind::File, reason: Reason::TooLarge };
    let mut tree = tree(&[("p", big.clone())]);
    let mut inner = change("p/p", Entry::Absent, big.clone());
    inner.moved_from = Some(path("p"));
    let plan = plan(vec![change("p", big, dir(0o755)), inner]);
    let steps = tree.carry_out_at(&plan, &[], &|_| None);
    assert_eq!(told(&steps), ["move .op-1", "mkdir p", "move p/p", "mode p"]);
}

#[test]
fn names_that_differ_only_in_case_are_one_move_where_case_does_not_count() {
    let tree = tree(&[("hello", text("hi")), ("dir", dir(0o755)), ("dir/f", text("f"))]);
    let mut below = change("Dir/f", Entry::Absent, text("f"));
    below.moved_from = Some(path("dir/f"));
    let plan = plan(vec![
        change("Dir", Entry::Absent, dir(0o755)),
        below,
        change("Hello", Entry::Absent, text("hi")),
        change("dir", dir(0o755), Entry::Absent),
        change("dir/f", text("f"), Entry::Absent),
        change("hello", text("hi"), Entry::Absent),
    ]);
    let expected = ["move Hello", "move .op-1", "rmdir dir", "mkdir Dir", "move Dir/f", "mode Dir"];
    assert_eq!(told(&steps_at(&tree, &plan, true)), expected);
}

#[test]
fn no_act_uses_a_name_that_is_taken_or_used_by_another() {
    let tree = tree(&[(".op-1", text("mine")), ("a", text("1")), ("b", text("1")), ("c", text("1"))]);
    let changes = ["a", "b", "c"].map(|name| change(name, text("1"), text("2")));
    let steps = steps_at(&tree, &plan(changes.to_vec()), false);
    let names: Vec<_> = steps.iter().filter_map(WriteStep::temporary).map(|path| path.to_string()).collect();
    assert_eq!(names, [".op-2", ".op-3", ".op-4"]);
}

#[test]
fn names_of_one_file_that_end_equal_are_one_file_again() {
    let mut tree = tree(&[("a", text("m")), ("b", text("m")), ("c", text("m"))]);
    let mut plan = plan(["a", "b"].map(|name| change(name, text("m"), text("k"))).to_vec());
    note_split_links(&mut plan, &[group(&["a", "b"])]);
    assert!(plan.changes.iter().all(|change| change.note.is_none()));
    tree.carry_out_at(&plan, &[group(&["a", "b"])], &|_| None);
    assert_eq!(tree.nodes[&path("a")].id, tree.nodes[&path("b")].id);
}

#[test]
fn a_file_of_which_some_names_stay_as_they_are_is_split_and_that_is_noted() {
    let outside = LinkGroup { has_other_names: true, ..group(&["a", "b"]) };
    for (names, group) in [(vec!["a", "b"], group(&["a", "b", "c"])), (vec!["a", "b"], outside)] {
        let mode = Mode::new(0o600);
        let changes = names.iter().map(|name| change(name, text("m"), text("m").with_mode(mode)));
        let mut plan = plan(changes.collect());
        note_split_links(&mut plan, std::slice::from_ref(&group));
        assert!(plan.changes.iter().all(|change| change.note == Some(Reason::LinkSplit)));
        let mut tree = tree(&[("a", text("m")), ("b", text("m")), ("c", text("m"))]);
        let steps = tree.carry_out_at(&plan, &[group], &|_| None);
        assert_eq!(told(&steps), ["replace a", "replace b"]);
        assert_eq!(tree.nodes[&path("a")].id, tree.nodes[&path("b")].id);
    }
}

#[test]
fn the_mode_of_a_file_with_several_names_is_set_once() {
    let tree = tree(&[("a", text("m")), ("b", text("m"))]);
    let changes = ["a", "b"].map(|name| change(name, text("m"), text("m").with_mode(Mode::new(0o755))));
    let plan = plan(changes.to_vec());
    let linked = [group(&["a", "b"])];
    let site = Site { tree: &tree, prefix: ".op-", needs_lift: &|_| None, linked: &linked, folds_case: false };
    assert_eq!(told(&write_steps(&plan, &site)), ["mode a"]);
}

#[test]
fn a_plan_that_does_nothing_has_no_steps() {
    let mut world = World::default();
    world.change(Who::User, |hands| hands.write("a", "1\n"));
    assert_eq!(steps_at(&world.tree, &Plan::empty(), false), []);
}
