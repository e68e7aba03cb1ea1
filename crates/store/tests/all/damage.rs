//! Damage to packs: exactly the paths that need the damaged bytes are lost, all others are not, and it is named.

use std::fs;

use disk::{Intake as _, Supply as _, SupplyError};
use model::Keeper as _;
use store::{Damage, DamageKind};

use crate::world::{World, name, noise, path, put};

/// Five files in one pack and one in a second; the third and fifth path share one content.
fn world() -> World {
    let world = World::new();
    let held = {
        let intake = world.store.intake();
        put(&intake, b"");
        for n in 0..4 {
            record_in(&world, &intake, n);
        }
        world.record("elsewhere", &noise(77, 4_000));
        intake
    };
    drop(held);
    world.record("twin", &noise(2, 4_000));
    world
}

fn record_in(world: &World, intake: &store::StoreIntake, n: u64) {
    put(intake, &noise(n, 4_000));
    world.change(|writer| {
        writer.adopt(intake).unwrap();
        let at = writer.add_checkpoint(&crate::world::checkpoint()).unwrap();
        let after = crate::world::file(&noise(n, 4_000));
        writer.add_transition(&crate::world::transition(at, &format!("f{n}"), model::Entry::Absent, after)).unwrap();
    });
}

fn damages(world: &World) -> Vec<Damage> {
    world.store.verify(&mut |_| {}).unwrap().damages
}

fn lost_paths(world: &World) -> Vec<String> {
    let mut paths: Vec<_> =
        damages(world).iter().flat_map(|damage| damage.paths.iter().map(ToString::to_string)).collect();
    paths.sort();
    paths
}

fn is_held(world: &World, n: u64) -> bool {
    world.store.contents().holds(&name(&noise(n, 4_000)))
}

#[test]
fn a_sound_store_has_no_damage_and_all_of_it_is_read() {
    let world = world();
    let mut steps = Vec::new();
    let report = world.store.verify(&mut |step| steps.push((step.contents, step.of))).unwrap();
    assert_eq!((report.contents, report.bytes, report.damages.len()), (6, 20_000, 0));
    assert_eq!(steps, (1..=6).map(|n| (n, 6)).collect::<Vec<_>>());
}

#[test]
fn one_changed_byte_costs_the_paths_that_need_it_and_no_other() {
    let world = world();
    let pack = &world.packs()[0];
    let sound = fs::read(pack).unwrap();
    let at = sound.windows(50).position(|window| window == &noise(2, 4_000)[1_000..1_050]).unwrap();
    let mut bytes = sound;
    bytes[at] ^= 1;
    fs::write(pack, bytes).unwrap();
    let hash = name(&noise(2, 4_000));
    let expected = Damage {
        what: DamageKind::NotItsBytes,
        hash: Some(hash),
        pack: Some(1),
        paths: vec![path("f2"), path("twin")],
    };
    assert_eq!(damages(&world), [expected]);
    let result = world.store.contents().copy(&hash, &mut Vec::new());
    assert!(matches!(result, Err(SupplyError::Damaged(_))), "damaged is not missing: {result:?}");
    assert_eq!(world.read(&hash), None);
    assert_eq!([0, 1, 2, 3].map(|n| is_held(&world, n)), [true, true, false, true]);
}

#[test]
fn damage_is_healed_when_the_content_is_seen_again() {
    let world = world();
    let pack = &world.packs()[0];
    let mut bytes = fs::read(pack).unwrap();
    bytes.iter_mut().for_each(|byte| *byte ^= 0x40);
    fs::write(pack, bytes).unwrap();
    assert!(!is_held(&world, 2));
    let intake = world.store.intake();
    assert!(!intake.holds(&name(&noise(2, 4_000))), "a damaged hit is no hit");
    put(&intake, &noise(2, 4_000));
    world.change(|writer| writer.adopt(&intake).unwrap());
    assert!(is_held(&world, 2));
    assert_eq!(lost_paths(&world), ["f0", "f1", "f3"]);
}

#[test]
fn a_truncated_pack_costs_only_what_lay_behind_the_cut() {
    let world = world();
    let pack = fs::OpenOptions::new().write(true).open(&world.packs()[0]).unwrap();
    pack.set_len(64 + 2 * 4_064 + 100).unwrap();
    assert_eq!(lost_paths(&world), ["f2", "f3", "twin"]);
    assert_eq!([0, 1, 2, 3].map(|n| is_held(&world, n)), [true, true, false, false]);
}

#[test]
fn a_deleted_pack_costs_only_what_was_in_it() {
    let world = world();
    fs::remove_file(&world.packs()[0]).unwrap();
    assert_eq!(lost_paths(&world), ["f0", "f1", "f2", "f3", "twin"]);
    assert!(damages(&world).iter().all(|damage| damage.what == DamageKind::PackGone));
    assert!(world.store.contents().holds(&name(&noise(77, 4_000))));
    let result = world.store.contents().copy(&name(&noise(1, 4_000)), &mut Vec::new());
    assert!(matches!(result, Err(SupplyError::Damaged(_))), "{result:?}");
}

#[test]
fn a_pack_in_the_place_of_another_is_noticed() {
    let world = world();
    let packs = world.packs();
    fs::copy(&packs[1], &packs[0]).unwrap();
    assert_eq!(lost_paths(&world), ["f0", "f1", "f2", "f3", "twin"]);
    assert!(!is_held(&world, 0));
}

#[test]
fn a_name_without_content_is_named() {
    let world = World::new();
    world.change(|writer| {
        let at = writer.add_checkpoint(&crate::world::checkpoint()).unwrap();
        let after = crate::world::file(b"never stored");
        writer.add_transition(&crate::world::transition(at, "a", model::Entry::Absent, after)).unwrap();
    });
    let expected =
        Damage { what: DamageKind::Unplaced, hash: Some(name(b"never stored")), pack: None, paths: vec![path("a")] };
    assert_eq!(damages(&world), [expected]);
}

#[test]
fn a_store_whose_packs_are_all_gone_takes_new_content() {
    let world = world();
    fs::remove_dir_all(world.folder.join("packs")).unwrap();
    world.record("f0", &noise(0, 4_000));
    assert!(is_held(&world, 0) && !is_held(&world, 1));
    assert_eq!(lost_paths(&world), ["elsewhere", "f1", "f2", "f3", "twin"]);
}
