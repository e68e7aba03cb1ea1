//! Cleaning up and purging.

use std::fs;
use std::path::Path;

use disk::Intake as _;
use model::{CheckpointId, Entry, Index, Keeper as _, Known, Seq, Stamp, WorkspacePath};
use store::{Event, Purge};

use crate::world::{World, checkpoint, file, name, noise, path, put, record, transition};

/// Whether any file below a folder holds these bytes as they are.
pub(crate) fn holds_bytes(folder: &Path, wanted: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).any(|path| {
        if path.is_dir() {
            return holds_bytes(&path, wanted);
        }
        fs::read(&path).unwrap().windows(wanted.len()).any(|window| window == wanted)
    })
}

fn allocated(world: &World) -> u64 {
    world.packs().iter().map(|pack| fs::metadata(pack).unwrap().len()).sum()
}

fn store_unnamed(world: &World, bytes: &[u8]) {
    let intake = world.store.intake();
    put(&intake, bytes);
    world.change(|writer| writer.adopt(&intake).unwrap());
}

#[test]
fn only_what_nothing_names_is_dropped() {
    let world = World::new();
    world.record("in the ledger", b"ledger");
    for bytes in [&b"index"[..], b"pinned", b"rubbish"] {
        store_unnamed(&world, bytes);
    }
    let mut index = Index::default();
    index.set(&path("in the index"), Some(Known { entry: file(b"index"), stamp: Stamp::UNKNOWN }));
    world.change(|writer| {
        writer
            .put_folder(&WorkspacePath::root(), index.folder(&WorkspacePath::root()).unwrap(), CheckpointId(1))
            .unwrap();
        writer.pin_content(&name(b"pinned"), "op1").unwrap();
    });
    assert_eq!(world.store.compact().unwrap().contents_dropped, 1);
    let holds = |bytes: &[u8]| world.store.contents().holds(&name(bytes));
    assert!(holds(b"ledger") && holds(b"index") && holds(b"pinned") && !holds(b"rubbish"));
    world.change(|writer| writer.unpin_content("op1").unwrap());
    assert_eq!(world.store.compact().unwrap().contents_dropped, 1);
    assert!(!holds(b"pinned"));
}

#[test]
fn a_mostly_dead_pack_is_rewritten_and_a_mostly_alive_one_is_left() {
    let world = World::new();
    world.record("alive", &noise(1, 50_000));
    store_unnamed(&world, &noise(2, 40_000));
    assert_eq!(world.store.compact().unwrap().packs_removed, 0);
    store_unnamed(&world, &noise(3, 60_000));
    let before = allocated(&world);
    let compacted = world.store.compact().unwrap();
    assert_eq!(compacted.packs_removed, 1);
    assert_eq!(before - allocated(&world), compacted.freed_bytes);
    assert!(allocated(&world) < 51_000);
    assert_eq!(world.read(&name(&noise(1, 50_000))), Some(noise(1, 50_000)));
    assert_eq!(world.store.compact().unwrap(), store::Compacted::default(), "the second time there is nothing to do");
}

#[test]
fn a_pack_that_nobody_named_is_removed_and_its_number_is_not_used_again() {
    let world = World::new();
    drop({
        let intake = world.store.intake();
        put(&intake, b"given up");
        intake
    });
    assert_eq!(world.store.compact().unwrap().packs_removed, 1);
    world.record("a", b"text");
    let names: Vec<_> = world.packs().iter().map(|pack| pack.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["00000002.pack"]);
    let files: Vec<_> = fs::read_dir(world.folder.join("packs")).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert!(files.iter().all(|file| file.to_str().unwrap().starts_with("00000002")), "{files:?}");
}

#[test]
fn empty_packs_that_killed_processes_left_are_removed_but_for_the_last() {
    let world = World::new();
    world.record("a", b"text");
    (2..7).for_each(|n| fs::write(world.folder.join(format!("packs/0000000{n}.pack")), b"").unwrap());
    assert_eq!(world.store.compact().unwrap().packs_removed, 4);
    let names: Vec<_> = world.packs().iter().map(|pack| pack.file_name().unwrap().to_owned()).collect();
    assert_eq!(names, ["00000001.pack", "00000006.pack"]);
}

#[test]
fn a_pack_that_a_change_under_way_appends_to_is_left() {
    let world = World::new();
    let intake = world.store.intake();
    put(&intake, b"under way");
    assert_eq!(world.reopened().compact().unwrap().packs_left, 1);
    world.change(|writer| writer.adopt(&intake).unwrap());
    assert!(world.store.contents().holds(&name(b"under way")));
}

#[test]
fn a_pack_that_cannot_be_read_is_left_as_it_is() {
    let world = World::new();
    store_unnamed(&world, &noise(2, 90_000));
    world.record("alive", &noise(1, 10_000));
    let pack = fs::OpenOptions::new().write(true).open(&world.packs()[0]).unwrap();
    pack.set_len(95_000).unwrap();
    let compacted = world.store.compact().unwrap();
    assert_eq!((compacted.packs_left, compacted.packs_removed), (1, 0));
    assert_eq!(fs::metadata(&world.packs()[0]).unwrap().len(), 95_000);
}

#[test]
fn purged_content_is_in_no_file_of_the_store_any_more() {
    let world = World::new();
    let secret = noise(9, 300).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let text = format!(r#"{{"file_path":"/w/.env","content":"{secret}","tool":"Write"}}"#);
    world.record(".env", secret.as_bytes());
    world.record("kept", b"kept");
    let event = Event { at_ns: 1, session: None, name: "PreToolUse".to_owned(), text };
    world.change(|writer| writer.add_event(&event).unwrap());
    assert!(holds_bytes(&world.folder, secret.as_bytes()), "the event holds it as it is");
    let purged = world.store.purge(Purge { paths: &[path(".env")], hashes: &[] }).unwrap();
    assert_eq!((&purged.hashes[..], purged.events, purged.packs), (&[name(secret.as_bytes())][..], 1, 1));
    assert!(!holds_bytes(&world.folder, secret.as_bytes()));
    assert!(!holds_bytes(&world.folder, &secret.as_bytes()[100..130]));
    assert_eq!(world.read(&name(b"kept")).as_deref(), Some(&b"kept"[..]));
    let reader = world.store.read().unwrap();
    assert!(reader.events(9).unwrap()[0].text.contains("/w/.env"));
    let known = reader.transitions_of_path_since(&path(".env"), Seq(0)).unwrap();
    assert_eq!(known[0].after.content(), Some(&name(secret.as_bytes())), "the ledger still says that it was there");
    assert!(!world.store.contents().holds(&name(secret.as_bytes())));
    assert_eq!(world.store.verify(&mut |_| {}).unwrap().damages, [], "what was purged is not damaged");
}

#[test]
fn copies_that_no_row_names_are_purged_too() {
    let world = World::new();
    let secret = noise(4, 3_000);
    let given_up = world.store.intake();
    put(&given_up, &secret);
    record(&world.reopened(), "secret", &secret);
    drop(given_up);
    fs::write(world.folder.join("packs/00000009.pack"), &secret[..2_000]).unwrap();
    world.change(|writer| {
        writer.put_setting("draft", Some(&secret.repeat(10))).unwrap();
        writer.put_setting("draft", None).unwrap();
    });
    assert!(holds_bytes(&world.folder, &secret[..100]), "in packs, and in pages of the database that nobody uses");
    world.store.purge(Purge { paths: &[path("secret")], hashes: &[] }).unwrap();
    assert!(!holds_bytes(&world.folder, &secret[..100]));
}

#[test]
fn a_purge_names_every_other_path_that_held_the_same_content() {
    let world = World::new();
    for at in ["dir/a", "dir/b", "copy", "other"] {
        world.record(at, if at == "other" { b"other" } else { b"same" });
    }
    world.change(|writer| {
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        writer.add_transition(&transition(at, "copy of old", file(b"same"), Entry::Absent)).unwrap();
    });
    let purged = world.store.purge(Purge { paths: &[path("dir")], hashes: &[] }).unwrap();
    assert_eq!(purged.also_at, [path("copy"), path("copy of old")]);
    assert!(world.store.contents().holds(&name(b"other")));
    let purged = world.store.purge(Purge { paths: &[], hashes: &[name(b"other")] }).unwrap();
    assert_eq!(purged.also_at, [path("other")]);
    assert!(!world.store.contents().holds(&name(b"other")));
}

#[test]
fn events_about_a_copy_of_purged_content_are_cleared_and_all_others_kept() {
    let world = World::new();
    world.record("secret", b"secret");
    world.record("copy", b"secret");
    let event = |text: &str| Event { at_ns: 1, session: None, name: "PreToolUse".to_owned(), text: text.to_owned() };
    let kept = r#"{"file_path":"/w/other","content":"other"}"#;
    let events = [r#"{"file_path":"/w/copy","content":"secret"}"#, kept, r#"{"file_path":"/w/x","content":"cut o"#];
    world.change(|writer| events.iter().for_each(|text| writer.add_event(&event(text)).unwrap()));
    let purged = world.store.purge(Purge { paths: &[path("secret")], hashes: &[] }).unwrap();
    assert_eq!(purged.events, 2);
    let texts: Vec<_> = world.store.read().unwrap().events(9).unwrap().into_iter().map(|event| event.text).collect();
    assert_eq!(texts, ["", kept, r#"{"content":null,"file_path":"/w/copy"}"#]);
}

#[test]
fn a_purge_says_when_a_reader_keeps_it_from_being_complete() {
    let world = World::new();
    world.record("secret", b"secret");
    let reader = world.reopened();
    let reader = reader.read().unwrap();
    let result = world.store.purge(Purge { paths: &[path("secret")], hashes: &[] });
    assert!(matches!(result, Err(store::PurgeError::StillRead)), "{result:?}");
    assert!(!world.store.contents().holds(&name(b"secret")));
    drop(reader);
    world.store.purge(Purge { paths: &[path("secret")], hashes: &[] }).unwrap();
}

#[test]
fn purges_clean_ups_and_changes_at_the_same_time_lose_nothing_else() {
    let world = World::new();
    let done = std::sync::atomic::AtomicBool::new(false);
    (0..40).for_each(|n| _ = world.record(&format!("kept {n}"), &noise(n, 2_000)));
    std::thread::scope(|scope| {
        let store = &world.store;
        scope.spawn(|| {
            for n in 0..12 {
                let secret = path(&format!("secret {n}"));
                record(store, &format!("secret {n}"), &noise(1_000 + n, 2_000));
                // Traces that the other threads read meanwhile are none of this test's business.
                match store.purge(Purge { paths: &[secret], hashes: &[] }) {
                    Ok(_) | Err(store::PurgeError::StillRead) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
        });
        while !done.load(std::sync::atomic::Ordering::Relaxed) {
            store.compact().unwrap();
        }
    });
    assert_eq!(world.store.verify(&mut |_| {}).unwrap().damages, []);
    let contents = world.store.contents();
    assert!((0..40).all(|n| contents.holds(&name(&noise(n, 2_000)))));
    assert!((0..12).all(|n| !contents.holds(&name(&noise(1_000 + n, 2_000)))));
}

#[test]
fn content_that_comes_back_after_a_purge_is_stored_again() {
    let world = World::new();
    world.record("a", b"text");
    world.store.purge(Purge { paths: &[path("a")], hashes: &[] }).unwrap();
    assert!(!world.store.intake().holds(&name(b"text")));
    world.record("a", b"text");
    assert!(world.store.contents().holds(&name(b"text")));
}
