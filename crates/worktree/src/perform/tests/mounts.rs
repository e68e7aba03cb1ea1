//! A file that is mounted over its name, which no rename can replace. Shown only where this process may mount and the
//! system tells of mounts.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use model::{Reason, WriteStep};

use super::world::{World, file, remove, replace};
use crate::perform::Progress;

/// A mount that ends with the test.
struct Mount(PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let ended = Command::new("umount").arg(&self.0).status();
        assert!(ended.is_ok_and(|status| status.success()));
    }
}

/// A workspace whose file `f` is another file, mounted there; none if it cannot be shown.
fn mounted() -> Option<(World, tempfile::TempDir, Mount)> {
    let elsewhere = tempfile::tempdir().unwrap();
    let mut world = World::new();
    world.file("f", "hidden", 0o644);
    fs::write(elsewhere.path().join("f"), "old").unwrap();
    ["old", "new content"].iter().for_each(|bytes| world.store.keep(bytes.as_bytes()));
    let target = world.path.join("f");
    let mut mount = Command::new("mount");
    mount.arg("--bind").arg(elsewhere.path().join("f")).arg(&target).stderr(Stdio::null());
    let is_mounted = mount.status().is_ok_and(|status| status.success());
    world.set_mode("f", 0o644);
    if !is_mounted {
        return None;
    }
    let mount = Mount(target);
    let (dir, file) = (world.root.dir().stat_self().unwrap(), world.root.dir().stat(b"f").unwrap().unwrap());
    (dir.mount != file.mount).then_some((world, elsewhere, mount))
}

fn steps() -> [WriteStep; 1] {
    [replace("f", file("old", 0o644), file("new content", 0o600))]
}

#[test]
fn a_mounted_file_is_written_in_place_and_back() {
    let Some((world, elsewhere, _mount)) = mounted() else { return };
    world.perform(&steps()).unwrap();
    assert_eq!(fs::read_to_string(elsewhere.path().join("f")).unwrap(), "new content");
    assert_eq!((world.verify(&steps()), world.progress(&steps())), (vec![], Progress::All));
    assert!(world.compensate(&steps()).is_empty());
    assert_eq!((world.text("f").as_deref(), world.progress(&steps())), (Some("old"), Progress::None));
    world.perform(&steps()).unwrap();
    assert!(world.clean(&steps()).is_empty());
    assert_eq!((world.text("f").as_deref(), world.siblings()), (Some("new content"), vec![]));
    let removal = [remove("f", file("new content", 0o600))];
    assert_eq!(world.perform(&removal).unwrap_err().reason(), Some(Reason::Permission));
}

#[test]
fn a_write_in_place_that_was_cut_short_is_taken_back() {
    let Some((world, _elsewhere, _mount)) = mounted() else { return };
    for cut in ["", "new", "new content"] {
        world.perform(&steps()).unwrap();
        fs::write(world.path.join("f"), cut).unwrap();
        let stuck = world.compensate(&steps());
        assert!(stuck.is_empty(), "{cut}: {stuck:?}");
        assert_eq!((world.text("f").as_deref(), world.siblings()), (Some("old"), vec![]));
    }
    world.perform(&steps()).unwrap();
    fs::write(world.path.join("f"), "somebody's").unwrap();
    assert_eq!(world.compensate(&steps())[0].reason, Some(Reason::Drift));
    assert_eq!(world.text("f").as_deref(), Some("somebody's"));
}

#[test]
fn a_write_in_place_that_fails_leaves_the_old_bytes() {
    const OPEN_TO_OVERWRITE: u64 = 4;
    const NO_SPACE: i32 = 28;
    for number in OPEN_TO_OVERWRITE..OPEN_TO_OVERWRITE + 3 {
        let Some((world, _elsewhere, _mount)) = mounted() else { return };
        let (result, is_reached) = disk::durable::failing_at(number, NO_SPACE, || world.perform(&steps()));
        assert!(is_reached && result.is_err());
        assert_eq!((world.text("f").as_deref(), world.progress(&steps())), (Some("old"), Progress::None), "{number}");
    }
}
