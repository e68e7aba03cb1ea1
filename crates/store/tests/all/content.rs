//! Content: taking it in, naming it, reading it.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use disk::{Intake as _, IntakeError, Supply as _, SupplyError};
use model::{ContentHash, Keeper as _};
use store::{AdoptError, Durability};

use crate::world::{World, name, noise, put};

#[test]
fn content_reads_back_as_it_was_put_whatever_its_size() {
    let world = World::new();
    let part = 1 << 20;
    for size in [0, 1, 63, 4096, part - 1, part, part + 1, 3 * part + 7] {
        for bytes in [noise(1, size), vec![b'x'; size]] {
            let hash = world.record("a", &bytes);
            assert_eq!(world.read(&hash).as_deref(), Some(&bytes[..]), "{size} bytes");
            assert!(world.store.contents().holds(&hash));
        }
    }
}

#[test]
fn a_stream_is_stored_only_if_it_is_what_it_was_announced_as() {
    let world = World::new();
    let bytes = noise(5, 2_500_000);
    let intake = world.store.intake();
    let announced = |size: u64, hash: &ContentHash| intake.put_stream(hash, size, &mut &bytes[..]);
    for (size, hash) in [
        (bytes.len() as u64, name(b"something else")),
        (bytes.len() as u64 - 1, name(&bytes)),
        (bytes.len() as u64 + 1, name(&bytes)),
    ] {
        let result = announced(size, &hash);
        assert!(matches!(result, Err(IntakeError::Changed)), "{result:?}");
    }
    assert!(matches!(intake.put_bytes(&name(b"x"), b"y"), Err(IntakeError::Changed)));
    assert_eq!(fs::metadata(&world.packs()[0]).unwrap().len(), 0, "nothing of it stays behind");
    announced(bytes.len() as u64, &name(&bytes)).unwrap();
    world.change(|writer| writer.adopt(&intake).unwrap());
    assert_eq!(world.read(&name(&bytes)), Some(bytes));
}

#[test]
fn a_stream_that_fails_leaves_nothing() {
    struct Failing(u32);
    impl std::io::Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 += 1;
            if self.0 > 200 { Err(std::io::Error::other("gone")) } else { Ok(buffer.len().min(60_000)) }
        }
    }
    let world = World::new();
    let intake = world.store.intake();
    let result = intake.put_stream(&name(b""), 50_000_000, &mut Failing(0));
    assert!(matches!(result, Err(IntakeError::Changed)), "{result:?}");
    assert_eq!(fs::metadata(&world.packs()[0]).unwrap().len(), 0);
}

#[test]
fn content_counts_only_from_the_commit_that_adopts_it() {
    let world = World::new();
    let hash = name(b"text");
    let intake = world.store.intake();
    put(&intake, b"text");
    assert!(intake.holds(&hash), "the change itself can rely on it");
    assert!(!world.store.contents().holds(&hash));
    assert!(matches!(world.store.contents().copy(&hash, &mut Vec::new()), Err(SupplyError::Missing(_))));
    {
        let mut writer = world.store.write("a test", Durability::Normal).unwrap();
        assert_eq!(writer.adopt(&intake).unwrap().added, 1);
        // Dropped without a commit.
    }
    assert!(!world.store.contents().holds(&hash));
    world.change(|writer| writer.adopt(&intake).unwrap());
    assert!(world.store.contents().holds(&hash));
}

#[cfg(debug_assertions)]
#[test]
fn content_that_did_not_reach_the_disk_is_not_named() {
    const INPUT_OUTPUT_ERROR: i32 = 5;
    let world = World::new();
    let intake = world.store.intake();
    put(&intake, b"text");
    let mut writer = world.store.write("a test", Durability::Normal).unwrap();
    let (adopted, has_failed) = disk::durable::failing_at(1, INPUT_OUTPUT_ERROR, || writer.adopt(&intake));
    assert!(has_failed && matches!(adopted, Err(AdoptError::Store(_))), "{adopted:?}");
    writer.commit().unwrap();
    assert!(!world.store.contents().holds(&name(b"text")));
    world.change(|writer| writer.adopt(&intake).unwrap());
    assert!(world.store.contents().holds(&name(b"text")));
}

#[test]
fn the_same_content_is_stored_once() {
    let world = World::new();
    world.record("a", &noise(1, 100_000));
    let size = fs::metadata(&world.packs()[0]).unwrap().len();
    world.record("b", &noise(1, 100_000));
    assert_eq!(fs::metadata(&world.packs()[0]).unwrap().len(), size);
}

#[test]
fn what_another_process_stored_meanwhile_is_not_named_twice() {
    let world = World::new();
    let intake = world.store.intake();
    put(&intake, b"text");
    world.record("a", b"text");
    let adopted = world.change(|writer| writer.adopt(&intake).unwrap());
    assert_eq!((adopted.added, adopted.known), (0, 1));
    assert_eq!(world.read(&name(b"text")).as_deref(), Some(&b"text"[..]));
}

#[test]
fn a_hit_that_was_dropped_before_the_commit_stops_the_change() {
    let world = World::new();
    let hash = name(b"text");
    let intake = world.store.intake();
    put(&intake, b"text");
    world.change(|writer| writer.adopt(&intake).unwrap());
    drop(intake);
    let second = world.store.intake();
    assert!(second.holds(&hash));
    assert_eq!(world.reopened().compact().unwrap().contents_dropped, 1, "nothing names it yet");
    let mut writer = world.store.write("a test", Durability::Normal).unwrap();
    let adopted = writer.adopt(&second);
    assert!(matches!(&adopted, Err(AdoptError::Vanished(gone)) if gone == &[hash]), "{adopted:?}");
}

#[test]
fn a_torn_tail_is_passed_over_and_never_cut() {
    let world = World::new();
    let first = world.record("a", b"first");
    let pack = world.packs()[0].clone();
    let torn = [&noise(2, 100)[..], b"TKBF"].concat();
    OpenOptions::new().append(true).open(&pack).unwrap().write_all(&torn).unwrap();
    let length = fs::metadata(&pack).unwrap().len();
    let second = world.record("b", b"second");
    let bytes = fs::read(&pack).unwrap();
    assert_eq!(bytes[length as usize - torn.len()..length as usize], torn);
    assert!(bytes.len() as u64 > length, "the second went after it, into the same pack");
    assert_eq!(world.read(&first).as_deref(), Some(&b"first"[..]));
    assert_eq!(world.read(&second).as_deref(), Some(&b"second"[..]));
    assert_eq!(world.store.verify(&mut |_| {}).unwrap().damages, []);
}

#[test]
fn several_threads_take_content_in_at_once() {
    let world = World::new();
    let intake = world.store.intake();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let intake = &intake;
            scope.spawn(move || (0..200).for_each(|n| put(intake, &noise(thread * 100 + n, 500))));
        }
    });
    // Numbers overlap on purpose: three hundred and more of the eight hundred are the same.
    let adopted = world.change(|writer| writer.adopt(&intake).unwrap());
    assert_eq!(adopted.added, 500);
    let contents = world.store.contents();
    assert!((0..500).all(|n| contents.holds(&name(&noise(n, 500)))));
}

#[test]
fn two_intakes_at_once_append_to_two_packs_and_a_third_later_to_the_first() {
    let world = World::new();
    let (one, two) = (world.store.intake(), world.store.intake());
    put(&one, b"one");
    put(&two, b"two");
    assert_eq!(world.packs().len(), 2);
    world.change(|writer| (writer.adopt(&one).unwrap(), writer.adopt(&two).unwrap()));
    drop((one, two));
    world.record("a", b"three");
    assert_eq!(world.packs().len(), 2);
    let contents = world.store.contents();
    assert!([&b"one"[..], b"two", b"three"].iter().all(|text| contents.holds(&name(text))));
}

#[test]
fn content_too_large_to_be_merged_is_given_out_as_a_stream_only() {
    let world = World::new();
    let bytes = vec![b'x'; usize::try_from(model::limits::MERGE_SIZE_BYTES_MAX).unwrap() + 1];
    let hash = world.record("a", &bytes);
    assert_eq!(world.read(&hash), None);
    let mut copied = Vec::new();
    world.store.contents().copy(&hash, &mut copied).unwrap();
    assert_eq!(copied, bytes);
}

#[test]
fn a_sink_that_refuses_is_told_from_damage() {
    struct Refusing;
    impl std::io::Write for Refusing {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let world = World::new();
    let hash = world.record("a", b"text");
    let result = world.store.contents().copy(&hash, &mut Refusing);
    assert!(matches!(result, Err(SupplyError::Write(_))), "{result:?}");
}
