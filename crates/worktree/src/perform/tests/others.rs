//! Somebody else writes while we work: nothing of theirs is lost, whatever the moment.

use std::fs;
use std::io::Write as _;

use std::sync::Arc;

use model::{Entry, Reason};

use crate::perform::PerformFailure;
use crate::perform::reach::Place;
use crate::perform::replace::{Replacement, give_back};

use super::world::{World, create, file, path, remove, replace, set_mode, sibling};

fn one_edit() -> (World, [model::WriteStep; 1]) {
    let mut world = World::new();
    world.file("f", "old", 0o644);
    world.store.keep(b"new");
    (world, [replace("f", file("old", 0o644), file("new", 0o644))])
}

fn sibling_name(of: &str) -> String {
    String::from_utf8(sibling(of)).unwrap()
}

#[test]
fn a_file_that_somebody_writes_to_is_unsettled_and_untouched() {
    let (world, steps) = one_edit();
    let writer = fs::OpenOptions::new().append(true).open(world.path.join("f")).unwrap();
    let before = world.see();
    assert_eq!(world.perform(&steps).unwrap_err().reason(), Some(Reason::Unsettled));
    assert_eq!(world.perform(&[remove("f", file("old", 0o644))]).unwrap_err().reason(), Some(Reason::Unsettled));
    assert_eq!(world.see(), before);
    drop(writer);
    world.perform(&steps).unwrap();
}

#[test]
fn a_save_between_look_and_exchange_stays_in_its_place() {
    for is_rename in [false, true] {
        let (mut world, steps) = one_edit();
        let at = world.path.join("f");
        world.store.when_copied = Some(Box::new(move || {
            if is_rename {
                fs::write(at.with_extension("tmp"), "me").unwrap();
                fs::rename(at.with_extension("tmp"), &at).unwrap();
            } else {
                fs::write(&at, "me!").unwrap();
            }
        }));
        let failure = world.perform(&steps).unwrap_err();
        assert_eq!((failure.reason(), failure.kept_beside()), (Some(Reason::Drift), None));
        assert!(world.text("f").is_some_and(|text| text.starts_with("me")));
        assert_eq!(world.see().len(), 1);
    }
}

#[test]
fn what_came_out_unexpected_goes_back_and_ours_goes_away() {
    let world = World::new();
    let failure = exchange_brought_out_theirs(&world, |_| {});
    assert_eq!((world.text("f").as_deref(), world.see().len()), (Some("theirs"), 1));
    assert_eq!(failure.kept_beside(), None);
}

#[test]
fn saved_twice_around_the_exchange_both_versions_stay_and_are_named() {
    let save_in_place: fn(&World) = |world| fs::write(world.path.join("f"), "theirs again").unwrap();
    let save_by_rename: fn(&World) = |world| {
        fs::write(world.path.join("new"), "theirs again").unwrap();
        fs::rename(world.path.join("new"), world.path.join("f")).unwrap();
    };
    for save in [save_in_place, save_by_rename] {
        let world = World::new();
        let failure = exchange_brought_out_theirs(&world, save);
        assert_eq!(world.text("f").as_deref(), Some("theirs again"), "the newest stays in its place");
        assert_eq!(world.text(&sibling_name("f")).as_deref(), Some("theirs"));
        assert_eq!(failure.kept_beside(), Some(&path(&sibling_name("f"))));
    }
}

/// The moment after an exchange that brought out "theirs" instead of "old"; `then` happens before it is taken back.
fn exchange_brought_out_theirs(world: &World, then: impl Fn(&World)) -> PerformFailure {
    let staged = sibling("f");
    fs::write(world.path.join("f"), "new").unwrap();
    world.set_mode("f", 0o644);
    fs::write(world.path.join(sibling_name("f")), "theirs").unwrap();
    let dir = Arc::new(world.root.dir().try_clone().unwrap());
    let ours = dir.stat(b"f").unwrap().unwrap();
    then(world);
    let [before, after] = [file("old", 0o644), file("new", 0o644)];
    let replacement = Replacement { before: &before, after: &after, staged: &staged, linked_to: None };
    let halt = give_back(&Place { dir, name: b"f" }, &replacement, &ours, Reason::Drift.into());
    halt.of_step(0, &path("f"), Some(path(&sibling_name("f"))))
}

#[test]
fn what_appears_or_vanishes_before_the_rename_is_drift() {
    let mut world = World::new();
    world.store.keep(b"mine");
    let at = world.path.join("f");
    world.store.when_copied = Some(Box::new(move || fs::write(&at, "theirs").unwrap()));
    assert_eq!(world.perform(&[create("f", file("mine", 0o644))]).unwrap_err().reason(), Some(Reason::Drift));
    assert_eq!((world.text("f").as_deref(), world.see().len()), (Some("theirs"), 1));

    let (mut world, steps) = one_edit();
    let at = world.path.join("f");
    world.store.when_copied = Some(Box::new(move || fs::remove_file(&at).unwrap()));
    assert_eq!(world.perform(&steps).unwrap_err().reason(), Some(Reason::Drift));
    assert!(world.see().is_empty());
}

#[test]
fn a_removed_file_that_is_not_what_it_should_be_comes_back() {
    let mut world = World::new();
    world.file("f", "abc", 0o644);
    world.store.keep(b"xyz");
    let before = world.see();
    assert_eq!(world.perform(&[remove("f", file("xyz", 0o644))]).unwrap_err().reason(), Some(Reason::Drift));
    assert_eq!(world.see(), before);
}

#[test]
fn late_writing_into_what_was_displaced_is_noticed_and_kept() {
    let (world, steps) = one_edit();
    world.perform(&steps).unwrap();
    let displaced = world.path.join(sibling_name("f"));
    let mut late = fs::OpenOptions::new().append(true).open(&displaced).unwrap();
    assert_eq!(world.clean(&steps)[0].reason, Some(Reason::Unsettled), "while it is held open");
    late.write_all(b" and more").unwrap();
    drop(late);
    let mismatches = world.verify(&steps);
    assert_eq!((&mismatches[0].path, mismatches[0].reason), (&path("f"), Reason::Unsettled));
    let stuck = world.clean(&steps);
    assert_eq!(
        (stuck[0].reason, stuck[0].kept_beside.clone()),
        (Some(Reason::Unsettled), Some(path(&sibling_name("f"))))
    );
    assert_eq!(fs::read_to_string(&displaced).unwrap(), "old and more");
    let stuck = world.compensate(&steps);
    assert_eq!(stuck[0].reason, Some(Reason::Drift));
    assert_eq!((world.text("f").as_deref(), world.siblings().len()), (Some("old and more"), 0));
}

#[test]
fn what_was_displaced_may_get_another_mode_under_another_name_of_it() {
    let mut world = World::new();
    world.file("f", "text", 0o644);
    fs::hard_link(world.path.join("f"), world.path.join("other")).unwrap();
    let before = world.see();
    let steps = [remove("f", file("text", 0o644)), set_mode("other", 0o644, 0o600)];
    world.perform(&steps).unwrap();
    assert_eq!(world.verify(&steps), []);
    assert!(world.compensate(&steps).is_empty());
    assert_eq!(world.see(), before);
    world.perform(&steps).unwrap();
    assert!(world.clean(&steps).is_empty());
    assert_eq!(world.see().into_keys().collect::<Vec<_>>(), ["other"]);
}

#[test]
fn on_the_way_back_a_later_save_stays_and_the_old_version_beside_it() {
    let (world, steps) = one_edit();
    world.perform(&steps).unwrap();
    fs::write(world.path.join("f"), "newer").unwrap();
    for _ in 0..2 {
        let stuck = world.compensate(&steps);
        assert_eq!(stuck[0].reason, Some(Reason::Drift));
        assert_eq!(stuck[0].kept_beside, Some(path(&sibling_name("f"))));
        assert_eq!(world.text("f").as_deref(), Some("newer"));
        assert_eq!(world.text(&sibling_name("f")).as_deref(), Some("old"));
    }
    assert!(world.clean(&steps).is_empty());
    assert_eq!(world.see().len(), 1);
}

#[test]
fn on_the_way_back_what_others_made_removed_or_changed_is_left_and_named() {
    let mut world = World::new();
    world.file("removed", "r", 0o644);
    world.file("mode", "m", 0o644);
    world.store.keep(b"c");
    let steps = [
        remove("removed", file("r", 0o644)),
        create("created", file("c", 0o644)),
        create("deleted", file("c", 0o644)),
        set_mode("mode", 0o644, 0o755),
    ];
    world.perform(&steps).unwrap();
    fs::write(world.path.join("removed"), "new one").unwrap();
    fs::write(world.path.join("created"), "edited").unwrap();
    fs::remove_file(world.path.join("deleted")).unwrap();
    world.set_mode("mode", 0o700);
    let mut named: Vec<_> = world.compensate(&steps).into_iter().map(|stuck| stuck.path.to_string()).collect();
    named.sort();
    assert_eq!(named, ["created", "mode", "removed"]);
    assert_eq!(world.text("removed").as_deref(), Some("new one"));
    assert_eq!(world.text(&sibling_name("removed")).as_deref(), Some("r"));
    assert_eq!(world.text("created").as_deref(), Some("edited"));
}

#[test]
fn what_was_displaced_and_is_gone_comes_back_from_the_store() {
    let (world, steps) = one_edit();
    world.perform(&steps).unwrap();
    fs::remove_file(world.path.join(sibling_name("f"))).unwrap();
    assert_eq!(world.verify(&steps), []);
    assert!(world.compensate(&steps).is_empty());
    assert_eq!((world.text("f").as_deref(), world.see().len()), (Some("old"), 1));
}

#[test]
fn nothing_is_cleaned_away_that_is_not_kept() {
    let (mut world, steps) = one_edit();
    world.perform(&steps).unwrap();
    let Entry::File { content, .. } = file("old", 0o644) else { unreachable!() };
    world.store.forgotten.push(content);
    assert_eq!(world.verify(&steps)[0].reason, Reason::MissingContent);
    assert_eq!(world.clean(&steps)[0].reason, Some(Reason::MissingContent));
    assert_eq!(world.text(&sibling_name("f")).as_deref(), Some("old"));
}

#[test]
fn a_changed_target_is_found_when_it_is_read_again() {
    let (world, steps) = one_edit();
    world.perform(&steps).unwrap();
    world.set_mode("f", 0o600);
    assert_eq!(world.verify(&steps)[0].reason, Reason::Drift);
    world.set_mode("f", 0o644);
    fs::write(world.path.join("f"), "neu").unwrap();
    assert_eq!(world.verify(&steps)[0].reason, Reason::Drift);
}
