//! What every test needs: a store in a folder of its own, and short words for what is put into it.

use std::path::{Path, PathBuf};

use disk::Intake as _;
use model::{Cause, CheckpointId, ContentHash, Contents as _, Entry, Evidence, Mode, Seq, WorkspacePath};
use store::{Durability, NewCheckpoint, NewTransition, Store, StoreIntake, Writer};
use tempfile::TempDir;

/// A store in a folder that goes with it.
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) folder: PathBuf,
    _home: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("state");
        let store = Store::open(&folder, b"/workspace").unwrap();
        Self { store, folder, _home: home }
    }

    /// The same store, opened anew as another process would.
    pub(crate) fn reopened(&self) -> Store {
        Store::open(&self.folder, b"/workspace").unwrap()
    }

    pub(crate) fn packs(&self) -> Vec<PathBuf> {
        packs_in(&self.folder)
    }

    /// Makes one change and commits it.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Writer<'_>) -> T) -> T {
        let mut writer = self.store.write("a test", Durability::Normal).unwrap();
        let result = change(&mut writer);
        writer.commit().unwrap();
        result
    }

    /// Stores `bytes` as what `at` holds now.
    pub(crate) fn record(&self, at: &str, bytes: &[u8]) -> ContentHash {
        record(&self.store, at, bytes)
    }

    pub(crate) fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.store.contents().read(hash)
    }
}

/// Every pack in the folder of a store, sorted.
pub(crate) fn packs_in(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("packs")).unwrap().map(|file| file.unwrap().path());
    let mut packs: Vec<_> = files.filter(|path| path.extension().is_some_and(|end| end == "pack")).collect();
    packs.sort();
    packs
}

pub(crate) fn record(store: &Store, at: &str, bytes: &[u8]) -> ContentHash {
    let hash = name(bytes);
    let intake = store.intake();
    put(&intake, bytes);
    let mut writer = store.write("a test", Durability::Normal).unwrap();
    writer.adopt(&intake).unwrap();
    let checkpoint = writer.add_checkpoint(&checkpoint()).unwrap();
    writer.add_transition(&transition(checkpoint, at, Entry::Absent, file(bytes))).unwrap();
    writer.commit().unwrap();
    hash
}

/// Stores `bytes` unless they are there, as a capture does.
pub(crate) fn put(intake: &StoreIntake, bytes: &[u8]) {
    let hash = name(bytes);
    if !intake.holds(&hash) {
        intake.put_bytes(&hash, bytes).unwrap();
    }
}

pub(crate) fn name(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

pub(crate) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).unwrap()
}

pub(crate) fn file(bytes: &[u8]) -> Entry {
    Entry::File { content: name(bytes), size_bytes: bytes.len() as u64, mode: Mode::new(0o644) }
}

pub(crate) fn checkpoint() -> NewCheckpoint {
    NewCheckpoint { at_ns: 7, event: "PreToolUse".to_owned(), session: None, turn: None, step: None }
}

pub(crate) fn transition(checkpoint: CheckpointId, at: &str, before: Entry, after: Entry) -> NewTransition {
    NewTransition {
        checkpoint,
        path: path(at),
        before,
        after,
        moved: None,
        cause: Cause::Outside,
        evidence: Evidence::Exact,
    }
}

/// Bytes that do not compress, the same for the same seed.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof().fill(&mut bytes);
    bytes
}

pub(crate) fn seqs(transitions: &[model::Transition]) -> Vec<Seq> {
    transitions.iter().map(|transition| transition.seq).collect()
}
