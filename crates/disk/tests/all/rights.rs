//! What a plain user may not do; played by a process without the rights of the one that runs the tests.

use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use disk::{Calls, Dir};
use model::Mode;

use crate::{player, role};

const NOBODY: u32 = 65_534;

#[test]
fn what_a_plain_user_may_not_do_is_a_permission_error() {
    if let Some((_, place)) = role() {
        return [Calls::Native, Calls::Portable].into_iter().for_each(|calls| play(&place, calls));
    }
    let place = tempfile::tempdir().unwrap();
    set_mode(place.path(), 0o755);
    std::fs::create_dir(place.path().join("locked")).unwrap();
    std::fs::write(place.path().join("locked/f"), "x").unwrap();
    let mut player = player("rights::what_a_plain_user_may_not_do_is_a_permission_error", "nobody", place.path());
    if is_root() {
        player.uid(NOBODY).gid(NOBODY);
    } else {
        set_mode(&place.path().join("locked"), 0o555);
    }
    assert!(player.status().unwrap().success());
}

fn play(place: &Path, calls: Calls) {
    let locked = Dir::open_with(&place.join("locked"), calls).unwrap();
    assert!(!locked.is_writable().unwrap());
    assert!(locked.create_file(b"new", Mode::new(0o644)).unwrap_err().is_permission());
    assert!(locked.unlink(b"f").unwrap_err().is_permission());
    assert!(locked.rename_no_replace(b"f", &locked, b"g").unwrap_err().is_permission());
    assert!(locked.open_file(b"f").is_ok());
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|told| std::os::unix::fs::MetadataExt::uid(&told) == 0)
}
