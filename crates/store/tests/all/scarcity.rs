//! A full disk and a disk that may not be written: what fails says so, what was there stays, and nothing is half made.
//! These need a small file system of their own, which only root may mount; where that is not possible they say so.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use disk::{Intake as _, IntakeError};
use model::Keeper as _;
use store::{Durability, OpenError, Store, StoreError, WriteError};
use tempfile::TempDir;

use crate::world::{checkpoint, name, noise, packs_in, put, record};

/// A small file system that goes away with this value.
struct SmallDisk {
    home: TempDir,
}

impl SmallDisk {
    /// None, with a word on stderr, where it cannot be mounted.
    fn mount() -> Option<Self> {
        let home = tempfile::tempdir().unwrap();
        let is_mounted = run("mount", &["-t", "tmpfs", "-o", "size=8m,mode=700", "none"], home.path());
        if is_mounted { Some(Self { home }) } else { skipped() }
    }

    fn state(&self) -> PathBuf {
        self.home.path().join("state")
    }

    fn remount(&self, option: &str) {
        assert!(run("mount", &["-o", &format!("remount,{option}")], self.home.path()));
    }

    /// Writes until nothing more fits.
    fn fill(&self) {
        let mut filler = fs::File::create(self.home.path().join("filler")).unwrap();
        for size in [1 << 20, 4096] {
            while filler.write_all(&vec![1; size]).map_err(|error| error.kind()) != Err(ErrorKind::StorageFull) {}
        }
    }

    /// Removes what was filled in. The room is there when the last process that may still hold the file open lets go of
    /// it: a child of another test holds every file for the moment before it becomes another program.
    fn make_room(&self) {
        fs::remove_file(self.home.path().join("filler")).unwrap();
        while disk::state::free_space_bytes(self.home.path()).unwrap() < 4 << 20 {
            std::thread::yield_now();
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        run("umount", &["-l"], self.home.path());
    }
}

fn run(program: &str, arguments: &[&str], last: &Path) -> bool {
    Command::new(program).args(arguments).arg(last).output().is_ok_and(|output| output.status.success())
}

#[expect(clippy::print_stderr, reason = "a test that shows nothing must say so")]
fn skipped<T>() -> Option<T> {
    eprintln!("skipped: no file system can be mounted here");
    None
}

#[test]
fn content_that_does_not_fit_is_refused_whole_and_the_database_still_works() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = Store::open(&disk.state(), b"/workspace").unwrap();
    let kept = record(&store, "kept", b"kept");
    let length = fs::metadata(&packs_in(&disk.state())[0]).unwrap().len();
    let big = noise(1, 20_000_000);
    let intake = store.intake();
    for result in [intake.put_stream(&name(&big), big.len() as u64, &mut &big[..]), intake.put_bytes(&name(&big), &big)]
    {
        assert!(matches!(result, Err(IntakeError::NoSpace)), "{result:?}");
    }
    assert_eq!(fs::metadata(&packs_in(&disk.state())[0]).unwrap().len(), length, "it was cut back");
    put(&intake, b"small");
    let mut writer = store.write("a test", Durability::Full).unwrap();
    writer.adopt(&intake).unwrap();
    for _ in 0..200 {
        writer.add_checkpoint(&checkpoint()).unwrap();
    }
    writer.commit().unwrap();
    let contents = store.contents();
    assert!(contents.holds(&kept) && contents.holds(&name(b"small")) && !contents.holds(&name(&big)));
}

#[test]
fn on_a_disk_without_a_free_byte_what_is_stored_stays_readable_and_writing_says_why_not() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = Store::open(&disk.state(), b"/workspace").unwrap();
    let kept = record(&store, "kept", &noise(1, 10_000));
    disk.fill();
    let intake = store.intake();
    let refused = intake.put_bytes(&name(b"new"), b"new");
    assert!(matches!(refused, Err(IntakeError::NoSpace)), "{refused:?}");
    let written = write_much(&store);
    assert!(matches!(written, Err(WriteError::Store(StoreError::NoSpace))), "{written:?}");
    let fresh = Store::open(&disk.state(), b"/workspace");
    assert!(matches!(fresh, Ok(_) | Err(OpenError::Store(StoreError::NoSpace))), "{fresh:?}");
    assert!(store.contents().holds(&kept));
    disk.make_room();
    drop((fresh, intake));
    write_much(&store).unwrap();
    assert_eq!(store.verify(&mut |_| {}).unwrap().damages, []);
    assert_eq!(store.read().unwrap().checkpoints(u64::MAX).unwrap().len(), 2_001, "nothing of the refused change");
}

fn write_much(store: &Store) -> Result<(), WriteError> {
    let mut writer = store.write("a test", Durability::Full)?;
    for _ in 0..2_000 {
        writer.add_checkpoint(&checkpoint())?;
    }
    Ok(writer.commit()?)
}

#[test]
fn a_store_that_does_not_fit_is_not_made_and_is_made_when_there_is_room() {
    let Some(disk) = SmallDisk::mount() else { return };
    disk.fill();
    let result = Store::open(&disk.state(), b"/workspace");
    assert!(matches!(result, Err(OpenError::Store(StoreError::NoSpace))), "{result:?}");
    assert!(!disk.state().join("takeback.db").exists());
    disk.make_room();
    record(&Store::open(&disk.state(), b"/workspace").unwrap(), "a", b"text");
}

#[test]
fn on_a_disk_that_may_only_be_read_one_can_look_and_writing_is_a_typed_error() {
    let Some(disk) = SmallDisk::mount() else { return };
    let kept = record(&Store::open(&disk.state(), b"/workspace").unwrap(), "kept", b"kept");
    disk.remount("ro");
    let store = Store::open(&disk.state(), b"/workspace").unwrap();
    assert!(store.contents().holds(&kept), "looking is possible");
    let written = write_much(&store);
    assert!(matches!(written, Err(WriteError::Store(StoreError::NotPermitted { .. }))), "{written:?}");
    let taken = store.intake().put_bytes(&name(b"new"), b"new");
    assert!(matches!(&taken, Err(IntakeError::Disk(error)) if error.is_permission()), "{taken:?}");
    let made = Store::open(&disk.home.path().join("other"), b"/workspace");
    assert!(matches!(made, Err(OpenError::Store(StoreError::NotPermitted { .. }))), "{made:?}");
    drop(store);
    disk.remount("rw");
    assert!(Store::open(&disk.state(), b"/workspace").unwrap().contents().holds(&kept));
}

#[test]
fn a_clean_up_that_finds_no_room_loses_nothing() {
    let Some(disk) = SmallDisk::mount() else { return };
    let store = Store::open(&disk.state(), b"/workspace").unwrap();
    let intake = store.intake();
    put(&intake, &noise(2, 1_000_000));
    put(&intake, &noise(3, 1_000_000));
    let mut writer = store.write("a test", Durability::Normal).unwrap();
    writer.adopt(&intake).unwrap();
    writer.commit().unwrap();
    drop(intake);
    let kept = record(&store, "kept", &noise(1, 900_000));
    disk.fill();
    let refused = store.compact();
    assert!(refused.is_err(), "{refused:?}");
    assert!(store.contents().holds(&kept));
    disk.make_room();
    assert!(store.compact().unwrap().packs_removed >= 1);
    assert!(store.contents().holds(&kept));
    assert_eq!(packs_in(&disk.state()).len(), 1);
}
