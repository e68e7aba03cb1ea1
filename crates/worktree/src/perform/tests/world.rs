//! A workspace in a temporary folder, with a store in memory.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use disk::{Supply, SupplyError};
use model::{Act, ContentHash, Entry, Keeper, Mode, WorkspacePath, WriteStep};

use crate::Root;
use crate::perform::{Doors, Mismatch, PerformFailure, Progress, Stuck};

/// The staging names of all tests begin like this.
pub(super) const PREFIX: &str = ".takeback-test-";

/// Content in memory, with a hook that runs in the middle of a step, after its look and before its exchange.
#[derive(Default)]
pub(super) struct MemoryStore {
    contents: HashMap<ContentHash, Vec<u8>>,
    pub(super) when_copied: Option<Box<dyn Fn() + Send + Sync>>,
    pub(super) forgotten: Vec<ContentHash>,
}

pub(super) struct World {
    pub(super) root: Root,
    pub(super) path: PathBuf,
    pub(super) store: MemoryStore,
    _folder: Option<tempfile::TempDir>,
}

/// Everything of a path that must come back, or must not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) bytes: Vec<u8>,
    pub(super) mode: u32,
    /// The inode and the time of change; none for folders, which are made again.
    identity: Option<(u64, i64, i64)>,
}

impl MemoryStore {
    pub(super) fn keep(&mut self, bytes: &[u8]) {
        self.contents.insert(hash(bytes), bytes.to_vec());
    }
}

impl Supply for MemoryStore {
    fn copy(&self, hash: &ContentHash, sink: &mut dyn Write) -> Result<(), SupplyError> {
        let bytes = self.contents.get(hash).ok_or(SupplyError::Missing(*hash))?;
        // In pieces, so that a sink that stops early is seen to.
        bytes.chunks(3).try_for_each(|piece| sink.write_all(piece)).map_err(SupplyError::Write)?;
        if let Some(hook) = &self.when_copied {
            hook();
        }
        Ok(())
    }
}

impl Keeper for MemoryStore {
    fn holds(&self, hash: &ContentHash) -> bool {
        self.contents.contains_key(hash) && !self.forgotten.contains(hash)
    }
}

impl World {
    pub(super) fn new() -> Self {
        Self::inside(tempfile::tempdir().unwrap())
    }

    /// In memory where there is such a place: for tests that make hundreds of worlds and sync each.
    pub(super) fn light() -> Self {
        Self::inside(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn inside(folder: tempfile::TempDir) -> Self {
        let path = folder.path().canonicalize().unwrap();
        Self { _folder: Some(folder), ..Self::at(path) }
    }

    /// The world of another process.
    pub(super) fn at(path: PathBuf) -> Self {
        let root = Root::open(&path).unwrap();
        Self { root, path, store: MemoryStore::default(), _folder: None }
    }

    pub(super) fn file(&mut self, name: &str, bytes: &str, mode: u32) {
        fs::write(self.path.join(name), bytes).unwrap();
        self.set_mode(name, mode);
        self.store.keep(bytes.as_bytes());
    }

    pub(super) fn dir(&self, name: &str, mode: u32) {
        fs::create_dir(self.path.join(name)).unwrap();
        self.set_mode(name, mode);
    }

    pub(super) fn link(&self, name: &str, target: &str) {
        std::os::unix::fs::symlink(target, self.path.join(name)).unwrap();
    }

    pub(super) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.path.join(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path.join(name)).ok()
    }

    pub(super) fn see(&self) -> BTreeMap<String, Seen> {
        let mut seen = BTreeMap::new();
        see_below(&self.path, "", &mut seen);
        seen
    }

    /// The names that are ours and should not be there in the end.
    pub(super) fn siblings(&self) -> Vec<String> {
        self.see().into_keys().filter(|path| path.contains(PREFIX)).collect()
    }

    pub(super) fn perform(&self, steps: &[WriteStep]) -> Result<(), PerformFailure> {
        crate::perform::perform(&self.root, steps, &self.doors(), &mut |_| {})
    }

    pub(super) fn verify(&self, steps: &[WriteStep]) -> Vec<Mismatch> {
        crate::perform::verify(&self.root, steps, &self.doors())
    }

    pub(super) fn compensate(&self, steps: &[WriteStep]) -> Vec<Stuck> {
        crate::perform::compensate(&self.root, steps, &self.doors())
    }

    pub(super) fn clean(&self, steps: &[WriteStep]) -> Vec<Stuck> {
        crate::perform::clean(&self.root, steps, &self.doors())
    }

    pub(super) fn progress(&self, steps: &[WriteStep]) -> Progress {
        crate::perform::progress(&self.root, steps)
    }

    fn doors(&self) -> Doors<'_> {
        Doors { supply: &self.store, keeper: &self.store }
    }
}

pub(super) fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).unwrap()
}

pub(super) fn file(bytes: &str, mode: u32) -> Entry {
    Entry::File { content: hash(bytes.as_bytes()), size_bytes: bytes.len() as u64, mode: Mode::new(mode) }
}

pub(super) fn link(target: &str) -> Entry {
    Entry::Link { target: target.as_bytes().to_vec() }
}

pub(super) fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

/// A staging name that belongs to one path.
pub(super) fn sibling(path: &str) -> Vec<u8> {
    format!("{PREFIX}{}", path.replace('/', "-")).into_bytes()
}

pub(super) fn replace(at: &str, before: Entry, after: Entry) -> WriteStep {
    step(at, Act::Replace { before, after, staged: sibling(at), linked_to: None })
}

pub(super) fn create(at: &str, after: Entry) -> WriteStep {
    step(at, Act::Create { after, staged: sibling(at), linked_to: None })
}

pub(super) fn remove(at: &str, before: Entry) -> WriteStep {
    let aside = String::from_utf8(sibling(at)).unwrap();
    step(at, Act::Remove { before, aside: path(&aside) })
}

pub(super) fn remove_dir(at: &str, mode: u32) -> WriteStep {
    step(at, Act::RemoveDir { mode: Mode::new(mode) })
}

pub(super) fn set_mode(at: &str, before: u32, after: u32) -> WriteStep {
    step(at, Act::SetMode { before: Mode::new(before), after: Mode::new(after) })
}

pub(super) fn move_from(at: &str, from: &str, before: Entry) -> WriteStep {
    step(at, Act::MoveFrom { from: path(from), before })
}

pub(super) fn step(at: &str, act: Act) -> WriteStep {
    WriteStep { path: path(at), act }
}

fn see_below(root: &Path, folder: &str, seen: &mut BTreeMap<String, Seen>) {
    for entry in fs::read_dir(root.join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{folder}{}", entry.file_name().to_str().unwrap());
        let told = fs::symlink_metadata(entry.path()).unwrap();
        let bytes = if told.is_symlink() {
            fs::read_link(entry.path()).unwrap().to_str().unwrap().as_bytes().to_vec()
        } else if told.is_file() {
            fs::read(entry.path()).unwrap()
        } else {
            b"(folder)".to_vec()
        };
        let identity = (!told.is_dir()).then(|| (told.ino(), told.mtime(), told.mtime_nsec()));
        seen.insert(path.clone(), Seen { bytes, mode: told.mode(), identity });
        if told.is_dir() {
            see_below(root, &format!("{path}/"), seen);
        }
    }
}
