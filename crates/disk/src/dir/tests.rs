//! Tests of the folder handle, each with the calls of this system and with the portable ones.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;

use model::{EntryKind, Mode, SpecialKind, WorkspacePath};

use crate::durable::failing_at;
use crate::{Calls, Dir};

/// Runs a test in a fresh folder once with each set of calls.
fn with_each_set_of_calls(test: impl Fn(&Dir, &Path)) {
    for calls in [Calls::Native, Calls::Portable] {
        let folder = tempfile::tempdir().unwrap();
        test(&Dir::open_with(folder.path(), calls).unwrap(), folder.path());
    }
}

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).unwrap()
}

fn create(dir: &Dir, name: &[u8], bytes: &[u8], mode: u32) {
    let mut file = dir.create_file(name, Mode::new(mode)).unwrap();
    file.write_all(bytes).unwrap();
    file.finish().unwrap();
}

fn text(path: &Path, name: &str) -> Option<String> {
    fs::read_to_string(path.join(name)).ok()
}

fn inode(dir: &Dir, name: &[u8]) -> u64 {
    dir.stat(name).unwrap().unwrap().stamp.inode
}

#[test]
fn a_look_tells_kinds_apart_and_absent_from_empty() {
    with_each_set_of_calls(|dir, at| {
        fs::write(at.join("file"), "four").unwrap();
        fs::write(at.join("empty"), "").unwrap();
        fs::create_dir(at.join("dir")).unwrap();
        symlink("nowhere", at.join("link")).unwrap();
        rustix::fs::mknodat(&dir.fd, "pipe", rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        let kind = |name: &str| dir.stat(name.as_bytes()).unwrap().map(|stat| (stat.kind, stat.special));
        assert_eq!(kind("file"), Some((EntryKind::File, None)));
        assert_eq!(kind("dir"), Some((EntryKind::Dir, None)));
        assert_eq!(kind("link"), Some((EntryKind::Link, None)));
        assert_eq!(kind("pipe"), Some((EntryKind::Special, Some(SpecialKind::Pipe))));
        assert_eq!(kind("absent"), None);
        assert_eq!(dir.stat(b"empty").unwrap().map(|stat| stat.stamp.size_bytes), Some(0));
    });
}

#[test]
fn both_ways_of_looking_tell_the_same() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), "x").unwrap();
    let [native, portable] = [Calls::Native, Calls::Portable].map(|calls| {
        let stat = Dir::open_with(folder.path(), calls).unwrap().stat(b"f").unwrap().unwrap();
        (stat.stamp.device, stat.stamp.inode, stat.stamp.modified_ns, stat.stamp.changed_ns, stat.mode, stat.uid)
    });
    assert_eq!(native, portable);
}

#[test]
fn no_call_follows_a_link() {
    with_each_set_of_calls(|dir, at| {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        symlink(outside.path(), at.join("way")).unwrap();
        symlink(outside.path().join("secret"), at.join("file")).unwrap();
        assert!(dir.open_child(b"way").unwrap_err().leads_astray());
        assert!(dir.open_beneath(&path("way")).unwrap_err().leads_astray());
        assert!(dir.open_beneath(&path("way/deeper")).unwrap_err().leads_astray());
        assert!(dir.open_file(b"file").unwrap_err().leads_astray());
        assert!(dir.overwrite_file(b"file", Mode::new(0o600)).unwrap_err().leads_astray());
        assert!(dir.set_mode(b"file", Mode::new(0o777)).unwrap_err().leads_astray());
        assert!(dir.create_file(b"file", Mode::new(0o600)).unwrap_err().is_exists());
        assert_eq!(text(outside.path(), "secret").as_deref(), Some("s"));
        let mode = fs::metadata(outside.path().join("secret")).unwrap().permissions().mode();
        assert_ne!(mode & 0o7777, 0o777);
    });
}

#[test]
fn a_name_is_one_name() {
    with_each_set_of_calls(|dir, at| {
        fs::create_dir(at.join("a")).unwrap();
        fs::write(at.join("a/b"), "").unwrap();
        for name in [&b""[..], b".", b"..", b"a/b", b"../x"] {
            assert!(dir.stat(name).is_err(), "{name:?}");
            assert!(dir.open_child(name).is_err(), "{name:?}");
            assert!(dir.unlink(name).is_err(), "{name:?}");
            assert!(dir.rename_no_replace(name, dir, b"z").is_err(), "{name:?}");
        }
        assert!(dir.stat(b"nul\0").is_err());
    });
}

#[test]
fn a_pipe_or_device_is_refused_without_being_opened() {
    with_each_set_of_calls(|dir, _| {
        rustix::fs::mknodat(&dir.fd, "pipe", rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0).unwrap();
        assert!(dir.open_file(b"pipe").is_err());
        assert!(dir.holds_open_for_writing(b"pipe").is_err());
    });
}

#[test]
fn a_folder_is_reached_beneath_however_deep() {
    with_each_set_of_calls(|dir, at| {
        fs::create_dir_all(at.join("a/b/c")).unwrap();
        fs::write(at.join("a/b/c/f"), "deep").unwrap();
        let below = dir.open_beneath(&path("a/b/c")).unwrap();
        let mut read = String::new();
        below.open_file(b"f").unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, "deep");
        assert_eq!(below.path_shown(), at.join("a/b/c").to_str().unwrap());
        assert!(dir.open_beneath(&path("a/absent/c")).unwrap_err().is_not_found());
        assert!(dir.open_beneath(&path("a/b/c/f/g")).unwrap_err().leads_astray());
    });
}

#[test]
fn a_path_longer_than_the_kernel_takes_at_once_is_walked() {
    with_each_set_of_calls(|dir, _| {
        let name = [b'n'; 200];
        let mut deepest = dir.try_clone().unwrap();
        let mut bytes = Vec::new();
        for _ in 0..25 {
            deepest.make_dir(&name, Mode::new(0o755)).unwrap();
            deepest = deepest.open_child(&name).unwrap();
            bytes.extend_from_slice(&name);
            bytes.push(b'/');
        }
        let reached = dir.open_beneath(&WorkspacePath::new(bytes).unwrap()).unwrap();
        assert_eq!(reached.stat_self().unwrap().stamp.inode, deepest.stat_self().unwrap().stamp.inode);
    });
}

#[test]
fn a_listing_is_whole_and_can_be_repeated() {
    with_each_set_of_calls(|dir, at| {
        let mut names: Vec<Vec<u8>> = (0..3000).map(|n| format!("a rather long name {n:05}").into_bytes()).collect();
        names.push(b"not utf-8 \xff".to_vec());
        for name in &names {
            fs::write(at.join(std::ffi::OsStr::from_bytes(name)), "").unwrap();
        }
        names.sort();
        for _ in 0..2 {
            let mut listed = dir.list().unwrap();
            listed.sort_by(|a, b| a.name.cmp(&b.name));
            assert!(listed.iter().map(|entry| &*entry.name).eq(names.iter().map(|name| &name[..])));
            assert!(listed.iter().all(|entry| entry.kind == Some(EntryKind::File)));
        }
    });
}

#[test]
fn a_new_file_has_exactly_its_mode_and_a_special_bit_survives() {
    with_each_set_of_calls(|dir, _| {
        for mode in [0o644, 0o666, 0o400, 0o000, 0o4755, 0o2755] {
            let name = format!("{mode:o}").into_bytes();
            create(dir, &name, b"x", mode);
            assert_eq!(dir.stat(&name).unwrap().unwrap().mode, Mode::new(mode));
            dir.set_mode(&name, Mode::new(0o600)).unwrap();
            dir.set_mode(&name, Mode::new(mode)).unwrap();
            assert_eq!(dir.stat(&name).unwrap().unwrap().mode, Mode::new(mode));
        }
        dir.make_dir(b"pool", Mode::new(0o1777)).unwrap();
        assert_eq!(dir.stat(b"pool").unwrap().unwrap().mode, Mode::new(0o1777));
    });
}

#[test]
fn runs_of_zeros_become_holes_and_the_bytes_are_the_same() {
    with_each_set_of_calls(|dir, at| {
        let mut bytes = vec![0; 3_000_000];
        bytes[1_000_000..1_000_100].fill(7);
        bytes[2_000_000] = 1;
        create(dir, b"sparse", &bytes, 0o644);
        assert!(fs::read(at.join("sparse")).unwrap() == bytes);
        let allocated = fs::metadata(at.join("sparse")).unwrap().blocks() * 512;
        assert!(allocated < 100_000, "{allocated}");
        create(dir, b"only zeros", &[0; 5000], 0o644);
        assert_eq!(fs::read(at.join("only zeros")).unwrap(), [0; 5000]);
    });
}

#[test]
fn an_exchange_keeps_both_things_whatever_they_are() {
    with_each_set_of_calls(|dir, at| {
        create(dir, b"a", b"A", 0o600);
        create(dir, b"b", b"B", 0o644);
        let (a, b) = (inode(dir, b"a"), inode(dir, b"b"));
        dir.exchange(b"a", b"b").unwrap();
        assert_eq!((inode(dir, b"a"), inode(dir, b"b")), (b, a));
        dir.create_link(b"link", b"target \xff").unwrap();
        dir.exchange(b"link", b"b").unwrap();
        assert_eq!(dir.read_link(b"b").unwrap(), b"target \xff");
        assert_eq!(text(at, "link").as_deref(), Some("A"));
        assert_eq!(fs::read_dir(at).unwrap().count(), 3);
        assert!(dir.exchange(b"a", b"absent").unwrap_err().is_not_found());
        assert!(dir.exchange(b"absent", b"a").unwrap_err().is_not_found());
        assert_eq!(text(at, "a").as_deref(), Some("B"));
    });
}

#[test]
fn an_exchange_that_stops_anywhere_is_mended() {
    let mut points = 0;
    for number in 1.. {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open_with(folder.path(), Calls::Portable).unwrap();
        create(&dir, b"staged", b"new", 0o644);
        create(&dir, b"target", b"old", 0o644);
        let (result, reached) = failing_at(number, 5, || dir.exchange(b"staged", b"target"));
        if !reached {
            break;
        }
        points += 1;
        assert!(result.is_err());
        dir.mend_exchange(b"staged", b"target").unwrap();
        let both = ["staged", "target"].map(|name| text(folder.path(), name).unwrap_or_default());
        let is_whole = both == ["new", "old"] || both == ["old", "new"];

        assert!(is_whole, "point {number}: {both:?}");
    }
    assert_eq!(points, 5);
}

#[test]
fn nothing_is_ever_renamed_or_linked_over() {
    with_each_set_of_calls(|dir, at| {
        create(dir, b"from", b"new", 0o644);
        create(dir, b"file", b"old", 0o644);
        dir.create_link(b"link", b"nowhere").unwrap();
        dir.make_dir(b"folder", Mode::FOLDER).unwrap();
        for there in [&b"file"[..], b"link", b"folder"] {
            assert!(dir.rename_no_replace(b"from", dir, there).unwrap_err().is_exists());
            assert!(dir.link_no_replace(b"from", dir, there).unwrap_err().is_exists());
            assert!(dir.rename_no_replace(b"folder", dir, there).is_err());
        }
        assert_eq!(text(at, "from").as_deref(), Some("new"));
        let folder = dir.open_child(b"folder").unwrap();
        dir.link_no_replace(b"from", &folder, b"second").unwrap();
        assert_eq!(dir.stat(b"from").unwrap().unwrap().stamp.links, 2);
        dir.rename_no_replace(b"from", &folder, b"moved").unwrap();
        assert_eq!((text(at, "from"), text(at, "folder/moved").as_deref()), (None, Some("new")));
        dir.rename_no_replace(b"folder", dir, b"renamed").unwrap();
        assert_eq!(text(at, "renamed/second").as_deref(), Some("new"));
    });
}

#[test]
fn a_folder_with_anything_in_it_is_not_removed() {
    with_each_set_of_calls(|dir, at| {
        fs::create_dir_all(at.join("full/inner")).unwrap();
        assert!(dir.remove_dir(b"full").unwrap_err().is_not_empty());
        assert!(dir.unlink(b"full").is_err());
        dir.open_child(b"full").unwrap().remove_dir(b"inner").unwrap();
        dir.remove_dir(b"full").unwrap();
        assert_eq!(dir.stat(b"full").unwrap(), None);
    });
}

#[test]
fn attributes_are_handed_on_and_no_others_stay() {
    use rustix::fs::{XattrFlags, lgetxattr, lsetxattr};
    with_each_set_of_calls(|dir, at| {
        create(dir, b"old", b"o", 0o640);
        lsetxattr(at.join("old"), "user.kept", b"value", XattrFlags::empty()).unwrap();
        lsetxattr(at.join("old"), "user.empty", b"", XattrFlags::empty()).unwrap();
        let is_root = rustix::process::geteuid().is_root();
        if is_root {
            std::os::unix::fs::chown(at.join("old"), Some(1234), Some(4321)).unwrap();
        }
        let file = dir.create_file(b"new", Mode::new(0o4755)).unwrap();
        lsetxattr(at.join("new"), "user.stray", b"x", XattrFlags::empty()).unwrap();
        dir.copy_attributes(b"old", &file).unwrap();
        file.finish().unwrap();
        let value = |name: &str| {
            let mut buffer = [0; 64];
            lgetxattr(at.join("new"), name, &mut buffer).map(|length| buffer[..length].to_vec())
        };
        assert_eq!(value("user.kept").unwrap(), b"value");
        assert_eq!(value("user.empty").unwrap(), b"");
        assert!(value("user.stray").is_err());
        let (old, new) = (dir.stat(b"old").unwrap().unwrap(), dir.stat(b"new").unwrap().unwrap());
        assert_eq!((new.uid, new.gid, new.mode.bits()), (old.uid, old.gid, 0o4755));
        assert!(!is_root || new.uid == 1234);
    });
}

#[test]
fn a_writer_is_noticed_and_a_reader_is_none() {
    with_each_set_of_calls(|dir, at| {
        create(dir, b"f", b"x", 0o644);
        let reader = fs::File::open(at.join("f")).unwrap();
        assert!(!dir.holds_open_for_writing(b"f").unwrap());
        let writer = fs::OpenOptions::new().append(true).open(at.join("f")).unwrap();
        assert!(dir.holds_open_for_writing(b"f").unwrap());
        drop(writer);
        assert!(!dir.holds_open_for_writing(b"f").unwrap());
        drop(reader);
    });
}

#[test]
fn an_error_names_the_path_and_shows_odd_bytes_escaped() {
    with_each_set_of_calls(|dir, at| {
        let error = dir.open_file(b"x\xff").unwrap_err();
        assert_eq!(error.to_string(), format!("Could not read `{}/x\\xff`", at.display()));
        assert!(error.is_not_found() && !error.is_permission());
    });
}

#[test]
fn a_failed_durable_step_does_nothing_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let dir = Dir::open(folder.path()).unwrap();
    let before = crate::durable_steps();
    let (result, reached) = failing_at(1, 28, || dir.make_dir(b"d", Mode::FOLDER));
    assert!(reached && result.unwrap_err().is_no_space());
    assert_eq!(dir.stat(b"d").unwrap(), None);
    dir.sync_file_system().unwrap();
    assert!(crate::durable_steps() >= before + 2);
}

#[test]
fn a_folder_that_must_have_an_absolute_path_refuses_a_relative_one() {
    assert!(Dir::open(Path::new(".")).is_err());
}
