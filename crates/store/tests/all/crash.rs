//! A kill at every durable step: making a store, recording, cleaning up, purging. Counted, so that no step is left out.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use model::Keeper as _;
use store::Store;

use crate::child::{child, record_ten};
use crate::world::{World, file, name, noise, packs_in, path, put};

/// Runs an errand again and again, killing it at each of its durable steps in turn; `check` looks at what is left each
/// time. Gives how many steps there were.
fn kill_at_every_step(errand: &str, prepare: impl Fn() -> World, check: impl Fn(&World)) -> u32 {
    for number in 1.. {
        for variable in ["TAKEBACK_CRASH_AT", "TAKEBACK_CRASH_AFTER"] {
            let world = prepare();
            let output = child(errand, &world.folder).env(variable, number.to_string()).output().unwrap();
            if output.status.success() {
                check(&world);
                return number - 1;
            }
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.signal(), Some(9), "{variable}={number}: {told}");
            check(&world);
        }
    }
    unreachable!("the loop ends when the errand does")
}

fn is_sound(store: &Store) {
    assert_eq!(store.verify(&mut |_| {}).unwrap().damages, []);
}

#[test]
fn a_kill_while_a_store_is_made_leaves_nothing_that_confuses_the_next_open() {
    for number in 1.. {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state");
        let output = child("open x", &folder).env("TAKEBACK_CRASH_AT", number.to_string()).output().unwrap();
        let store = Store::open(&folder, b"/workspace").unwrap();
        is_sound(&store);
        assert!(!folder.join("takeback.db.new").exists());
        if output.status.success() {
            assert!(number > 5, "{number} durable steps are too few");
            return;
        }
    }
}

#[test]
fn a_kill_while_a_change_is_recorded_leaves_all_of_it_or_nothing() {
    let prepare = || {
        let world = World::new();
        world.record("before", b"before");
        world
    };
    let steps = kill_at_every_step("record-once x", prepare, |world| {
        let count = world.store.read().unwrap().transitions_since(model::Seq(0)).unwrap().len();
        assert!(count == 1 || count == 11, "{count} transitions");
        is_sound(&world.store);
        record_ten(&world.store, "after", 0);
        assert!(world.store.contents().holds(&name(b"before")));
        is_sound(&world.store);
    });
    assert!(steps >= 5, "{steps} durable steps are too few");
}

/// A store with a pack that is mostly dead, content that is alive in it, and content in an open journal.
fn with_rubbish() -> World {
    let world = World::new();
    let intake = world.store.intake();
    put(&intake, &noise(1, 200_000));
    world.change(|writer| writer.adopt(&intake).unwrap());
    drop(intake);
    world.record("alive", b"alive");
    world.record("secret", b"very secret 4711");
    let intake = world.store.intake();
    put(&intake, b"journalled");
    world.change(|writer| {
        writer.adopt(&intake).unwrap();
        let act = model::Act::Create { after: file(b"journalled"), staged: b"s".to_vec(), linked_to: None };
        let step = model::WriteStep { path: path("journalled"), act };
        writer.put_journal(model::OperationId(1), &[step]).unwrap();
    });
    world
}

fn stored_bytes(folder: &Path) -> u64 {
    packs_in(folder).iter().map(|pack| std::fs::metadata(pack).unwrap().len()).sum()
}

#[test]
fn a_kill_during_a_clean_up_loses_nothing_and_leaves_nothing_that_grows() {
    let steps = kill_at_every_step("compact x", with_rubbish, |world| {
        is_sound(&world.store);
        world.store.compact().unwrap();
        let contents = world.store.contents();
        for text in [&b"alive"[..], b"very secret 4711", b"journalled"] {
            assert!(contents.holds(&name(text)));
        }
        assert!(stored_bytes(&world.folder) < 1_000, "{} bytes", stored_bytes(&world.folder));
        is_sound(&world.store);
        let files = std::fs::read_dir(world.folder.join("packs")).unwrap().count();
        assert!(files <= 6, "{files} files for at most two packs");
    });
    assert!(steps >= 8, "{steps} durable steps are too few");
}

#[test]
fn a_kill_during_a_purge_loses_nothing_else_and_the_next_purge_ends_it() {
    let steps = kill_at_every_step("purge x", with_rubbish, |world| {
        is_sound(&world.store);
        world.store.purge(store::Purge { paths: &[path("secret")], hashes: &[] }).unwrap();
        assert!(!crate::upkeep::holds_bytes(&world.folder, b"very secret 4711"));
        assert!(world.store.contents().holds(&name(b"alive")));
        is_sound(&world.store);
    });
    assert!(steps >= 8, "{steps} durable steps are too few");
}
