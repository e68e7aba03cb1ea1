//! One list of steps that has every act in it, forward and back.

use std::fs;

use model::{Act, Mode, WriteStep};

use super::world::{World, create, file, link, move_from, path, remove, remove_dir, replace, set_mode, sibling, step};
use crate::perform::Progress;

/// What the workspace holds before the story.
pub(super) fn set_up(world: &mut World) {
    world.file("edit.txt", "old text\n", 0o644);
    world.file("tool", "#!/bin/old\n", 0o4755);
    world.file("gone.txt", "going\n", 0o600);
    world.link("link", "there");
    world.file("to_link", "a file still\n", 0o644);
    world.link("to_file", "a link still");
    world.file("mode.txt", "same\n", 0o644);
    world.dir("empty", 0o755);
    world.dir("full", 0o750);
    world.file("full/inner", "x\n", 0o640);
    world.file("was_file", "f\n", 0o755);
    world.dir("was_dir", 0o700);
    world.file("was_dir/q", "q\n", 0o644);
    world.file("here.bin", "moving\n", 0o644);
    world.dir("locked", 0o755);
    world.file("locked/l", "l\n", 0o444);
    world.set_mode("locked", 0o555);
    world.file("pair_a", "p\n", 0o644);
    fs::hard_link(world.path.join("pair_a"), world.path.join("pair_b")).unwrap();
    keep_what_is_written(world);
}

/// What the store has been given by the time the story is performed.
pub(super) fn keep_what_is_written(world: &mut World) {
    for bytes in
        ["new text, and more of it\n", "#!/bin/new\n", "a file now\n", "z\n", "d\n", "L\n", "P\n", "n\n", "y\n"]
    {
        world.store.keep(bytes.as_bytes());
    }
    for bytes in ["old text\n", "#!/bin/old\n", "going\n", "a file still\n", "x\n", "f\n", "q\n", "l\n", "p\n"] {
        world.store.keep(bytes.as_bytes());
    }
}

/// Every act, in the order in which a plan puts them.
pub(super) fn steps() -> Vec<WriteStep> {
    let linked = Act::Replace {
        before: file("p\n", 0o644),
        after: file("P\n", 0o644),
        staged: sibling("pair_b"),
        linked_to: Some(path("pair_a")),
    };
    vec![
        step("locked", Act::Lift { before: Mode::new(0o555), lifted: Mode::new(0o755) }),
        remove("gone.txt", file("going\n", 0o600)),
        remove_dir("empty", 0o755),
        remove("full/inner", file("x\n", 0o640)),
        remove_dir("full", 0o750),
        remove("was_file", file("f\n", 0o755)),
        remove("was_dir/q", file("q\n", 0o644)),
        remove_dir("was_dir", 0o700),
        step("was_file", Act::MakeDir),
        step("new", Act::MakeDir),
        step("new/deep", Act::MakeDir),
        move_from("moved.bin", "here.bin", file("moving\n", 0o644)),
        create("was_file/z", file("z\n", 0o600)),
        create("was_dir", file("d\n", 0o644)),
        create("new.txt", file("n\n", 0o644)),
        create("new/link", link("nowhere")),
        create("new/deep/y", file("y\n", 0o644)),
        replace("edit.txt", file("old text\n", 0o644), file("new text, and more of it\n", 0o644)),
        replace("tool", file("#!/bin/old\n", 0o4755), file("#!/bin/new\n", 0o4755)),
        replace("link", link("there"), link("elsewhere")),
        replace("to_link", file("a file still\n", 0o644), link("a link now")),
        replace("to_file", link("a link still"), file("a file now\n", 0o644)),
        replace("locked/l", file("l\n", 0o444), file("L\n", 0o444)),
        replace("pair_a", file("p\n", 0o644), file("P\n", 0o644)),
        step("pair_b", linked),
        set_mode("mode.txt", 0o644, 0o755),
        set_mode("was_file", 0o700, 0o755),
        set_mode("new/deep", 0o700, 0o555),
        set_mode("new", 0o700, 0o750),
        set_mode("locked", 0o755, 0o555),
    ]
}

#[test]
fn every_act_is_done_exactly_and_verified() {
    let mut world = World::new();
    set_up(&mut world);
    let before = world.see();
    let mut done = Vec::new();
    let doors = crate::perform::Doors { supply: &world.store, keeper: &world.store };
    crate::perform::perform(&world.root, &steps(), &doors, &mut |count| done.push(count)).unwrap();
    assert!(done.into_iter().eq(1..=steps().len()));
    assert_eq!(world.verify(&steps()), []);
    assert_eq!(world.progress(&steps()), Progress::All);
    assert!(world.clean(&steps()).is_empty() && world.clean(&steps()).is_empty());
    let after = world.see();
    let lines: Vec<String> = after
        .iter()
        .map(|(path, seen)| {
            format!("{path} {:o} {}", seen.mode & 0o7777, String::from_utf8_lossy(&seen.bytes).trim_end())
        })
        .collect();
    assert_eq!(
        lines,
        [
            "edit.txt 644 new text, and more of it",
            "link 777 elsewhere",
            "locked 555 (folder)",
            "locked/l 444 L",
            "mode.txt 755 same",
            "moved.bin 644 moving",
            "new 750 (folder)",
            "new.txt 644 n",
            "new/deep 555 (folder)",
            "new/deep/y 644 y",
            "new/link 777 nowhere",
            "pair_a 644 P",
            "pair_b 644 P",
            "to_file 644 a file now",
            "to_link 777 a link now",
            "tool 4755 #!/bin/new",
            "was_dir 644 d",
            "was_file 755 (folder)",
            "was_file/z 600 z",
        ]
    );
    assert_eq!(after["pair_a"], after["pair_b"], "linked again");
    assert_eq!(after["moved.bin"], before["here.bin"], "moved, not copied");
    assert_eq!(world.verify(&steps()), [], "what was cleaned away is not missed");
}

#[test]
fn the_way_back_leads_to_the_very_things_that_were_there() {
    let mut world = World::new();
    set_up(&mut world);
    let before = world.see();
    assert_eq!(world.progress(&steps()), Progress::None);
    world.perform(&steps()).unwrap();
    for _ in 0..2 {
        let stuck = world.compensate(&steps());
        assert!(stuck.is_empty(), "{stuck:?}");
        assert_eq!(world.see(), before);
        assert_eq!(world.progress(&steps()), Progress::None);
    }
}

#[test]
fn the_way_back_of_nothing_touches_nothing() {
    let mut world = World::new();
    set_up(&mut world);
    let changed = |world: &World| {
        use std::os::unix::fs::MetadataExt as _;
        ["locked", "edit.txt", "full", "mode.txt"].map(|name| {
            let told = fs::symlink_metadata(world.path.join(name)).unwrap();
            (told.ctime(), told.ctime_nsec(), told.ino())
        })
    };
    let before = changed(&world);
    assert!(world.compensate(&steps()).is_empty());
    assert_eq!(changed(&world), before);
}

#[test]
fn owner_group_and_attributes_stay_with_the_path() {
    use std::process::Command;
    let mut world = World::new();
    world.file("f", "1", 0o640);
    world.store.keep(b"22");
    let at = world.path.join("f");
    let is_root = fs::metadata("/proc/self").is_ok_and(|told| std::os::unix::fs::MetadataExt::uid(&told) == 0);
    if is_root {
        std::os::unix::fs::chown(&at, Some(1234), Some(4321)).unwrap();
    }
    let is_marked = Command::new("setfattr").args(["-n", "user.mark", "-v", "kept"]).arg(&at).status();
    world.perform(&[replace("f", file("1", 0o640), file("22", 0o640))]).unwrap();
    let told = fs::metadata(&at).unwrap();
    assert_eq!(world.text("f").as_deref(), Some("22"));
    use std::os::unix::fs::MetadataExt as _;
    assert!(!is_root || (told.uid(), told.gid()) == (1234, 4321));
    if is_marked.is_ok_and(|status| status.success()) {
        let shown = Command::new("getfattr").args(["-n", "user.mark", "--only-values"]).arg(&at).output().unwrap();
        assert_eq!(shown.stdout, b"kept");
    }
}

#[test]
fn things_that_change_places_do_so_by_way_of_a_third_name() {
    let mut world = World::new();
    world.file("a", "A", 0o644);
    world.file("b", "B", 0o644);
    let before = world.see();
    let steps = [
        move_from("c", "a", file("A", 0o644)),
        move_from("a", "b", file("B", 0o644)),
        move_from("b", "c", file("A", 0o644)),
    ];
    world.perform(&steps).unwrap();
    assert_eq!((world.text("a").as_deref(), world.text("b").as_deref()), (Some("B"), Some("A")));
    assert_eq!(world.verify(&steps), []);
    assert!(world.compensate(&steps).is_empty());
    assert_eq!(world.see(), before);
}

#[test]
fn a_thousand_files_cost_few_durable_steps_each_and_one_sync() {
    let mut world = World::new();
    world.dir("d", 0o755);
    world.store.keep(b"new");
    let names: Vec<String> = (0..1000).map(|number| format!("d/{number}")).collect();
    names.iter().for_each(|name| world.file(name, "old", 0o644));
    let steps: Vec<_> = names.iter().map(|name| replace(name, file("old", 0o644), file("new", 0o644))).collect();
    let each = match disk::Calls::of_this_process() {
        // Made, mode set, exchanged; without the system's exchange that alone takes five.
        disk::Calls::Native => 3,
        disk::Calls::Portable => 7,
    };
    // Other tests count in this process too, so the cost is told by the last step that can be made to fail.
    let (result, is_reached) = disk::durable::failing_at(1000 * each + 1, 5, || world.perform(&steps));
    assert!(is_reached && result.unwrap_err().index() == 1000, "the sync is the step after those of the files");
    assert_eq!(world.verify(&steps), []);
}
