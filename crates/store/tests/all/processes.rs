//! Many processes at once, some of them killed.

use std::time::{Duration, Instant};

use disk::Supply as _;
use model::Seq;
use store::{Durability, Store, WriteError};

use crate::child::{child, record_ten};
use crate::world::World;

/// What must hold whoever was killed when: the store is sound, and every change is there whole.
fn is_sound(world: &World, changes_min: usize) {
    let store = world.reopened();
    assert_eq!(store.verify(&mut |_| {}).unwrap().damages, []);
    let reader = store.read().unwrap();
    let transitions = reader.transitions_since(Seq(0)).unwrap();
    let mut changes = 0;
    for change in transitions.chunk_by(|a, b| a.checkpoint == b.checkpoint) {
        assert_eq!(change.len(), 10, "a change is whole");
        changes += 1;
    }
    assert_eq!(reader.checkpoints(u64::MAX).unwrap().len(), changes);
    assert!(changes >= changes_min, "{changes} changes");
    for transition in &transitions {
        let hash = transition.after.content().unwrap();
        store.contents().copy(hash, &mut std::io::sink()).unwrap();
    }
}

#[test]
fn four_processes_that_write_at_the_same_time_lose_nothing() {
    let world = World::new();
    let children: Vec<_> = (0..4).map(|n| child(&format!("record {n}"), &world.folder).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    is_sound(&world, 80);
    // Packs are gone on with, not made anew for every change; one more may come of all four looking at once.
    assert!(world.packs().len() <= 8, "{} packs for 80 changes", world.packs().len());
}

#[test]
fn a_storm_of_kills_leaves_whole_changes_and_no_lock() {
    let world = World::new();
    for round in 0..12 {
        let mut writers: Vec<_> = (0..3)
            .map(|n| child(&format!("record-until-killed {round}-{n}"), &world.folder).spawn().unwrap())
            .collect();
        let mut cleaner = child(&format!("compact {round}"), &world.folder).spawn().unwrap();
        await_changes(&world.store, round + 1);
        for child in writers.iter_mut().chain([&mut cleaner]) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
    let before = Instant::now();
    record_ten(&world.store, "survivor", 0);
    assert!(before.elapsed() < Duration::from_secs(4), "somebody waited for a dead holder");
    is_sound(&world, 13);
    world.store.compact().unwrap();
    is_sound(&world, 13);
}

/// Waits until at least this many changes are there, so that every round has done something when it is killed.
fn await_changes(store: &Store, changes_min: u64) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.read().unwrap().last_seq().unwrap() < Seq(changes_min * 10) {
        assert!(Instant::now() < deadline, "nobody writes");
        std::thread::yield_now();
    }
}

#[test]
fn who_waits_in_vain_is_told_for_whom_and_changes_nothing() {
    let world = World::new();
    let mut holder = child("hold-lock x", &world.folder).spawn().unwrap();
    while !world.folder.join("held").exists() {
        std::thread::yield_now();
    }
    let wait = Duration::from_millis(30);
    let refused = world.store.write_within(wait, "in vain", Durability::Normal).map(drop);
    let Err(WriteError::Busy { holder: Some(told) }) = refused else { panic!("the lock is held: {refused:?}") };
    assert_eq!((told.pid, told.what.as_str()), (holder.id(), "holding on"));
    assert!(world.store.read().is_ok(), "reading waits for nobody");
    holder.kill().unwrap();
    holder.wait().unwrap();
    drop(world.store.write("at last", Durability::Normal).unwrap());
}
