//! Opening and making a store.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use rusqlite::Connection;
use store::{Durability, OpenError, Store, StoreError};

use crate::child::child;
use crate::world::World;

/// A format that no version of this program has yet.
const NEWER: u32 = 99;

/// Every file below a folder with its bytes.
fn snapshot(folder: &Path) -> BTreeMap<std::path::PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            found.extend(snapshot(&entry.path()));
        } else {
            found.insert(entry.path(), fs::read(entry.path()).unwrap());
        }
    }
    found
}

#[test]
fn a_store_remembers_the_workspace_it_was_made_for() {
    let world = World::new();
    assert_eq!(world.store.root(), b"/workspace");
    let again = Store::open(&world.folder, b"/elsewhere").unwrap();
    assert_eq!(again.root(), b"/workspace");
}

#[test]
fn a_folder_without_a_store_is_left_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    assert!(Store::open_existing(&home.path().join("nothing")).unwrap().is_none());
    assert!(Store::open_existing(home.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn everything_of_a_store_is_private_to_its_owner() {
    let world = World::new();
    world.record("a", b"text");
    let _reader = world.store.read().unwrap();
    let mut files = 0;
    let mut open = vec![world.folder.clone()];
    while let Some(path) = open.pop() {
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{}", path.display());
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            files += 1;
        }
    }
    assert!(files >= 5, "database, log, shared memory, lock and pack are there");
}

#[test]
fn the_log_of_many_short_uses_stays_short() {
    const LOG_BYTES_MAX: u64 = 1 << 20;
    const ONE_USE_BYTES_MAX: u64 = 64 << 10;
    let world = World::new();
    drop(world.store);
    let (mut longest, mut emptied, mut before) = (0, 0, 0);
    for number in 0..400_u32 {
        let store = Store::open(&world.folder, b"/workspace").unwrap();
        let mut writer = store.write("test", Durability::Normal).unwrap();
        writer.put_setting(&format!("key-{number}"), Some(&[7; 9_000])).unwrap();
        writer.commit().unwrap();
        let length = fs::metadata(world.folder.join("takeback.db-wal")).unwrap().len();
        longest = longest.max(length);
        emptied += u32::from(length < before);
        before = length;
    }
    assert!(longest < LOG_BYTES_MAX + ONE_USE_BYTES_MAX, "{longest} bytes");
    assert!((1..100).contains(&emptied), "emptied {emptied} times in 400 uses");
}

#[test]
fn a_newer_store_is_refused_and_not_touched_by_a_byte() {
    let world = World::new();
    world.record("a", b"text");
    let folder = world.folder.clone();
    {
        let database = Connection::open(folder.join("takeback.db")).unwrap();
        database.pragma_update(None, "user_version", NEWER).unwrap();
        database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    }
    let home = tempfile::tempdir().unwrap();
    fs::copy(folder.join("takeback.db"), home.path().join("takeback.db")).unwrap();
    let before = snapshot(home.path());
    for result in [Store::open(home.path(), b"/workspace").map(Some), Store::open_existing(home.path())] {
        assert!(matches!(result, Err(OpenError::Newer { found: NEWER, .. })), "{result:?}");
    }
    assert_eq!(snapshot(home.path()), before, "nothing changed and nothing new lies beside it");
}

#[test]
fn a_newer_store_is_refused_although_its_file_does_not_say_so_yet() {
    let world = World::new();
    {
        let database = Connection::open(world.folder.join("takeback.db")).unwrap();
        database.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        database.pragma_update(None, "user_version", NEWER).unwrap();
    }
    let result = Store::open_existing(&world.folder);
    assert!(matches!(result, Err(OpenError::Newer { found: NEWER, .. })), "{result:?}");
}

#[test]
fn a_file_that_is_no_database_is_named_as_damaged_and_kept() {
    for bytes in [&b""[..], b"hello", &[0; 4096]] {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("takeback.db"), bytes).unwrap();
        let result = Store::open(home.path(), b"/workspace");
        assert!(matches!(result, Err(OpenError::Store(StoreError::Damaged { .. }))), "{result:?}");
        assert_eq!(fs::read(home.path().join("takeback.db")).unwrap(), bytes);
    }
}

#[test]
fn somebody_elses_database_is_refused() {
    let home = tempfile::tempdir().unwrap();
    Connection::open(home.path().join("takeback.db")).unwrap().execute_batch("CREATE TABLE t(x)").unwrap();
    let result = Store::open(home.path(), b"/workspace");
    assert!(matches!(result, Err(OpenError::Store(StoreError::Damaged { .. }))), "{result:?}");
}

#[test]
fn a_damaged_database_is_a_typed_error_and_never_a_panic() {
    let world = World::new();
    (0..50).for_each(|n| _ = world.record(&format!("file {n}"), &[n; 300]));
    let database = world.folder.join("takeback.db");
    Connection::open(&database).unwrap().query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    let sound = fs::read(&database).unwrap();
    let mut refused = 0;
    for page in 0..sound.len() / 4096 {
        let mut damaged = sound.clone();
        damaged[page * 4096 + 100..page * 4096 + 3000].fill(0xa5);
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("takeback.db"), damaged).unwrap();
        refused += u32::from(uses_everything(home.path()).is_err());
    }
    assert!(refused > 5, "{refused} of {} damaged pages were noticed", sound.len() / 4096);
}

fn uses_everything(folder: &Path) -> Result<(), String> {
    let store = Store::open(folder, b"/workspace").map_err(|error| error.to_string())?;
    let everything = || {
        let reader = store.read()?;
        reader.index()?;
        reader.transitions_since(model::Seq(0))?;
        reader.checkpoints(1000)?;
        reader.sessions()?;
        Ok::<_, StoreError>(())
    };
    everything().map_err(|error| error.to_string())?;
    let report = store.verify(&mut |_| {}).map_err(|error| error.to_string())?;
    // The packs are not there, so content is missing; what counts here is the database.
    let is_of_database = |damage: &store::Damage| matches!(damage.what, store::DamageKind::Database(_));
    if report.damages.iter().any(is_of_database) { Err("damaged".to_owned()) } else { Ok(()) }
}

#[test]
fn ten_processes_that_make_the_same_store_make_one() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("state");
    let make = |n| child(&format!("record-once {n}"), &folder).spawn().unwrap();
    let children: Vec<_> = (0..10).map(make).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let store = Store::open_existing(&folder).unwrap().unwrap();
    assert_eq!(store.read().unwrap().last_seq().unwrap(), model::Seq(100), "nobody's store was replaced by another's");
}

#[test]
fn a_store_cannot_be_made_where_nothing_may_be_written() {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join("file"), b"").unwrap();
    let result = Store::open(&home.path().join("file/state"), b"/workspace");
    assert!(matches!(result, Err(OpenError::Store(_))), "{result:?}");
    assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1);
}
