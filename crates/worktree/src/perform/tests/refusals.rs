//! What the hand refuses to do, with the reason, and with nothing changed.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};

use model::{Act, Entry, EntryKind, Mode, Reason, WriteStep};

use super::world::{World, create, file, link, move_from, path, remove, remove_dir, replace, set_mode, sibling, step};

fn refused(world: &World, step: WriteStep) -> Option<Reason> {
    let before = world.see();
    let failure = world.perform(&[step]).unwrap_err();
    assert_eq!(world.see(), before, "{failure}");
    assert_eq!((failure.index(), failure.kept_beside()), (0, None));
    failure.reason()
}

#[test]
fn what_is_there_is_not_what_it_should_be() {
    let mut world = World::new();
    world.file("f", "f", 0o644);
    world.link("l", "t");
    world.dir("d", 0o755);
    world.file("d/in", "i", 0o644);
    world.store.keep(b"new");
    let [before, after] = [file("f", 0o644), file("new", 0o644)];
    let cases = [
        (replace("f", file("g", 0o644), after.clone()), Reason::Drift),
        (replace("f", file("f", 0o600), after.clone()), Reason::Drift),
        (replace("absent", before.clone(), after.clone()), Reason::Drift),
        (replace("l", before.clone(), after.clone()), Reason::TypeChange),
        (replace("d", before.clone(), after.clone()), Reason::TypeChange),
        (replace("l", link("other"), after.clone()), Reason::Drift),
        (create("f", after.clone()), Reason::Drift),
        (create("l", after.clone()), Reason::Drift),
        (create("none/f", after.clone()), Reason::Drift),
        (remove("absent", before.clone()), Reason::Drift),
        (remove("l", before.clone()), Reason::TypeChange),
        (remove_dir("d", 0o755), Reason::Drift),
        (remove_dir("f", 0o755), Reason::TypeChange),
        (remove_dir("l", 0o755), Reason::TypeChange),
        (step("d", Act::MakeDir), Reason::Drift),
        (set_mode("f", 0o600, 0o755), Reason::Drift),
        (set_mode("l", 0o777, 0o755), Reason::TypeChange),
        (move_from("n", "f", file("g", 0o644)), Reason::Drift),
        (move_from("l", "f", before.clone()), Reason::Drift),
        (move_from("n", "absent", before.clone()), Reason::Drift),
    ];
    for (step, reason) in cases {
        world.store.keep(b"g");
        let shown = format!("{step:?}");
        assert_eq!(refused(&world, step), Some(reason), "{shown}");
    }
}

#[test]
fn nothing_is_done_through_a_link_in_the_way() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("f"), "f").unwrap();
    fs::create_dir(outside.path().join("d")).unwrap();
    let mut world = World::new();
    world.link("way", outside.path().to_str().unwrap());
    world.file("f", "f", 0o644);
    world.store.keep(b"new");
    let [before, after] = [file("f", 0o644), file("new", 0o644)];
    let steps = [
        replace("way/f", before.clone(), after.clone()),
        create("way/n", after.clone()),
        create("way/d/n", after),
        create("f/n", before.clone()),
        remove("way/f", before.clone()),
        remove_dir("way/d", 0o755),
        step("way/n", Act::MakeDir),
        set_mode("way/f", 0o644, 0o777),
        move_from("way/n", "f", before.clone()),
        move_from("n", "way/f", before),
    ];
    for step in steps {
        let shown = format!("{step:?}");
        assert_eq!(refused(&world, step), Some(Reason::UnsafePath), "{shown}");
    }
    assert_eq!(fs::read_to_string(outside.path().join("f")).unwrap(), "f");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 2);
}

#[test]
fn nothing_is_displaced_whose_bytes_are_not_kept_and_nothing_written_that_is_missing() {
    let mut world = World::new();
    world.file("f", "f", 0o644);
    let absent = file("never stored", 0o644);
    assert_eq!(refused(&world, replace("f", file("f", 0o644), absent.clone())), Some(Reason::MissingContent));
    assert_eq!(refused(&world, create("n", absent)), Some(Reason::MissingContent));
    world.store.keep(b"new");
    let Entry::File { content, .. } = file("f", 0o644) else { unreachable!() };
    world.store.forgotten.push(content);
    assert_eq!(refused(&world, remove("f", file("f", 0o644))), Some(Reason::MissingContent));
    let step = replace("f", file("f", 0o644), file("new", 0o644));
    assert_eq!(refused(&world, step), Some(Reason::MissingContent));
    let unknown = Entry::Uncovered { kind: EntryKind::File, reason: Reason::TooLarge };
    assert_eq!(refused(&world, remove("f", unknown.clone())), Some(Reason::TooLarge));
    world.perform(&[move_from("moved", "f", unknown)]).unwrap();
    assert_eq!(world.text("moved").as_deref(), Some("f"), "what only moves need not be kept");
}

#[test]
fn a_name_that_should_be_linked_is_only_linked_to_the_same_content() {
    let mut world = World::new();
    world.file("a", "other", 0o644);
    world.file("b", "old", 0o644);
    world.store.keep(b"new");
    let act = Act::Replace {
        before: file("old", 0o644),
        after: file("new", 0o644),
        staged: sibling("b"),
        linked_to: Some(path("a")),
    };
    assert_eq!(refused(&world, step("b", act)), Some(Reason::Drift));
}

#[test]
fn the_root_itself_can_be_lifted_and_closed() {
    let mut world = World::new();
    world.store.keep(b"n");
    let mode =
        fs::metadata(&world.path).map(|told| std::os::unix::fs::PermissionsExt::mode(&told.permissions())).unwrap();
    let own = Mode::new(mode);
    let steps = [
        step("", Act::Lift { before: own, lifted: Mode::new(0o711) }),
        create("n", file("n", 0o644)),
        step("", Act::SetMode { before: Mode::new(0o711), after: own }),
    ];
    world.perform(&steps).unwrap();
    assert_eq!(world.verify(&steps), []);
    assert!(world.compensate(&steps).is_empty());
    assert_eq!(world.root.dir().stat_self().unwrap().mode, own);
    assert!(world.see().is_empty());
}

#[test]
fn a_plain_user_needs_the_lift_and_keeps_what_cannot_be_owned() {
    const NAME: &str = "perform::tests::refusals::a_plain_user_needs_the_lift_and_keeps_what_cannot_be_owned";
    const NOBODY: u32 = 65_534;
    if let Some(place) = std::env::var_os("TAKEBACK_TEST_PLACE") {
        return as_plain_user(World::at(place.into()));
    }
    let mut world = World::new();
    world.file("of_another", "o", 0o666);
    world.dir("mine", 0o755);
    world.file("mine/f", "f", 0o444);
    world.set_mode("", 0o777);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", NAME]).env("TAKEBACK_TEST_PLACE", &world.path).stdout(Stdio::null());
    let is_root = fs::metadata("/proc/self").is_ok_and(|told| std::os::unix::fs::MetadataExt::uid(&told) == 0);
    if is_root {
        for name in ["mine", "mine/f"] {
            std::os::unix::fs::chown(world.path.join(name), Some(NOBODY), Some(NOBODY)).unwrap();
        }
        command.uid(NOBODY).gid(NOBODY).env("TAKEBACK_TEST_STRANGER", "1");
    }
    world.set_mode("mine", 0o555);
    assert!(command.status().unwrap().success());
}

fn as_plain_user(mut world: World) {
    ["f", "F", "o", "O"].iter().for_each(|bytes| world.store.keep(bytes.as_bytes()));
    let edit = replace("mine/f", file("f", 0o444), file("F", 0o444));
    assert_eq!(refused(&world, edit.clone()), Some(Reason::Permission));
    if std::env::var_os("TAKEBACK_TEST_STRANGER").is_some() {
        let owned = replace("of_another", file("o", 0o666), file("O", 0o666));
        assert_eq!(refused(&world, owned), Some(Reason::Permission), "its owner could not be kept");
    }
    let before = world.see();
    let [closed, open] = [0o555, 0o755].map(Mode::new);
    let steps = [step("mine", Act::Lift { before: closed, lifted: open }), edit, set_mode("mine", 0o755, 0o555)];
    world.perform(&steps).unwrap();
    assert_eq!(world.verify(&steps), []);
    assert_eq!(world.text("mine/f").as_deref(), Some("F"));
    assert!(world.compensate(&steps).is_empty());
    assert_eq!(world.see(), before);
    world.perform(&steps).unwrap();
    assert!(world.clean(&steps).is_empty(), "in a folder that is closed again");
    assert_eq!((world.siblings(), world.see()["mine"].mode & 0o7777), (Vec::new(), 0o555));
}
