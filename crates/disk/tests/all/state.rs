//! Our own files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use disk::durable::failing_at;
use disk::state::{self, StateFile};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn what_is_ours_is_private() {
    let place = tempfile::tempdir().unwrap();
    let home = place.path().join("a/b");
    state::create_dir(&home).unwrap();
    state::create_dir(&home).unwrap();
    state::write_atomic(&home.join("atomic"), b"1").unwrap();
    fs::write(home.join("open"), "kept").unwrap();
    state::create_file(&home.join("open")).unwrap();
    StateFile::open_or_create(&home.join("log")).unwrap();
    assert_eq!((mode(&place.path().join("a")), mode(&home)), (0o700, 0o700));
    assert!(["atomic", "open", "log"].iter().all(|name| mode(&home.join(name)) == 0o600));
    assert_eq!(state::read(&home.join("open")).unwrap().as_deref(), Some(&b"kept"[..]));
}

#[test]
fn a_file_is_replaced_whole_or_not_at_all() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("f");
    state::write_atomic(&path, b"old").unwrap();
    let mut points = 0;
    for number in 1.. {
        let (result, reached) = failing_at(number, 28, || state::write_atomic(&path, b"new"));
        if !reached {
            break;
        }
        points += 1;
        assert!(result.unwrap_err().is_no_space());
        let there = state::read(&path).unwrap().unwrap();
        assert!(there == b"old" || there == b"new");
        assert_eq!(state::list(place.path()).unwrap(), std::slice::from_ref(&path), "litter at point {number}");
    }
    assert_eq!(points, 4);
    assert_eq!(state::read(&path).unwrap().as_deref(), Some(&b"new"[..]));
}

#[test]
fn a_log_grows_at_its_end_and_is_read_anywhere() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("log");
    let mut log = StateFile::open_or_create(&path).unwrap();
    log.append(b"one").unwrap();
    log.append(b"two").unwrap();
    log.sync().unwrap();
    let mut bytes = [0; 4];
    log.read_exact_at(&mut bytes, 2).unwrap();
    assert_eq!(&bytes, b"etwo");
    assert!(log.read_exact_at(&mut bytes, 3).is_err());
    log.truncate(3).unwrap();
    log.append(b"3").unwrap();
    assert_eq!((log.length_bytes().unwrap(), fs::read(&path).unwrap()), (4, b"one3".to_vec()));
    assert_eq!(state::read_from(&path, 1, 2).unwrap().as_deref(), Some(&b"ne"[..]));
}

#[test]
fn what_is_not_there_is_said_and_is_no_error() {
    let place = tempfile::tempdir().unwrap();
    let absent = place.path().join("absent");
    assert_eq!(state::read(&absent).unwrap(), None);
    assert_eq!(state::size(&absent).unwrap(), None);
    assert_eq!(state::list(&absent).unwrap(), Vec::<std::path::PathBuf>::new());
    assert!(!state::remove(&absent).unwrap());
    assert!(StateFile::open(&absent).unwrap_err().is_not_found());
    assert!(state::free_space_bytes(place.path()).unwrap() > 0);
    state::write_new(&absent, b"now").unwrap();
    assert!(state::write_new(&absent, b"again").unwrap_err().is_exists());
    assert_eq!(state::size(&absent).unwrap().unwrap().length_bytes, 3);
    assert!(state::remove(&absent).unwrap());
}
