//! Other processes: the test binary runs itself, and the child does one errand that is named in its environment.

use std::path::Path;
use std::process::{Command, Stdio};

use store::{AdoptError, Durability, Store};

use crate::world::{checkpoint, file, noise, put, transition};

const ERRAND: &str = "TAKEBACK_TEST_ERRAND";
const FOLDER: &str = "TAKEBACK_TEST_FOLDER";

/// A command that runs this binary for one errand in the store at `folder`.
pub(crate) fn child(errand: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::a_child_does_its_errand", "--nocapture"]);
    command.env(ERRAND, errand).env(FOLDER, folder).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_child_does_its_errand() {
    let Ok(errand) = std::env::var(ERRAND) else {
        // This run is the parent: what it has to show is that children are told apart.
        assert!(std::env::var_os(FOLDER).is_none());
        return;
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let (errand, label) = errand.split_once(' ').unwrap();
    run(errand, label, Path::new(&folder));
}

fn run(errand: &str, label: &str, folder: &Path) {
    let open = || Store::open(folder, b"/workspace").unwrap();
    match errand {
        "open" => drop(open()),
        "record" => (0..20).for_each(|n| record_ten(&open(), label, n)),
        "record-until-killed" => (0..u64::MAX).for_each(|n| record_ten(&open(), label, n)),
        "record-once" => record_ten(&open(), label, 0),
        "compact" => _ = open().compact().unwrap(),
        "purge" => {
            let paths = [crate::world::path("secret")];
            open().purge(store::Purge { paths: &paths, hashes: &[] }).unwrap();
        }
        "hold-lock" => {
            let store = open();
            let _writer = store.write("holding on", Durability::Normal).unwrap();
            std::fs::write(folder.join("held"), b"").unwrap();
            loop {
                std::thread::park();
            }
        }
        other => panic!("unknown errand {other}"),
    }
}

/// One change as a hook makes it: new content, old content, ten transitions of one checkpoint. If a clean-up dropped
/// what it relied on, it is made again.
pub(crate) fn record_ten(store: &Store, label: &str, round: u64) {
    let texts: Vec<Vec<u8>> = (0..10).map(|n| text(label, round, n)).collect();
    while !try_record_ten(store, label, &texts) {}
}

fn try_record_ten(store: &Store, label: &str, texts: &[Vec<u8>]) -> bool {
    let intake = store.intake();
    for text in texts.iter().map(Vec::as_slice).chain([&b"the same for all"[..], &noise(3, 5_000)]) {
        put(&intake, text);
    }
    let mut writer = store.write("recording", Durability::Normal).unwrap();
    match writer.adopt(&intake) {
        Err(AdoptError::Vanished(_)) => return false,
        adopted => _ = adopted.unwrap(),
    }
    let at = writer.add_checkpoint(&checkpoint()).unwrap();
    for (n, text) in texts.iter().enumerate() {
        let path = format!("{label}/{n}");
        writer.add_transition(&transition(at, &path, file(b"the same for all"), file(text))).unwrap();
    }
    writer.commit().unwrap();
    true
}

fn text(label: &str, round: u64, n: u64) -> Vec<u8> {
    format!("{label} {round} {n}\n").repeat(20).into_bytes()
}
