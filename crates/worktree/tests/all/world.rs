//! [`World`]: a workspace in a temporary folder, an index and a store in memory.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use disk::{Intake, IntakeError};
use model::{ContentHash, Entry, Index, Known, Mode, Reason, Stamp, WorkspacePath};
use worktree::{CaptureError, CaptureScope, Captured, Difference, Root, Rules, capture};

pub(crate) const WHOLE: CaptureScope = CaptureScope::Whole { entries_max: None };

/// A store in memory, which can be told to be full.
#[derive(Default)]
pub(crate) struct Memory {
    contents: Mutex<BTreeMap<ContentHash, Vec<u8>>>,
    pub(crate) is_full: bool,
}

impl Memory {
    pub(crate) fn bytes(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.contents.lock().unwrap().get(hash).cloned()
    }
}

impl Intake for Memory {
    fn holds(&self, hash: &ContentHash) -> bool {
        self.contents.lock().unwrap().contains_key(hash)
    }

    fn put_bytes(&self, hash: &ContentHash, bytes: &[u8]) -> Result<(), IntakeError> {
        if self.is_full {
            return Err(IntakeError::NoSpace);
        }
        assert_eq!(*hash, hash_of(bytes), "bytes are announced under their own name");
        self.contents.lock().unwrap().insert(*hash, bytes.to_vec());
        Ok(())
    }

    fn put_stream(&self, hash: &ContentHash, size_bytes: u64, reader: &mut dyn Read) -> Result<(), IntakeError> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        if hash_of(&bytes) != *hash || bytes.len() as u64 != size_bytes {
            return Err(IntakeError::Changed);
        }
        self.put_bytes(hash, &bytes)
    }
}

pub(crate) struct World {
    temp: tempfile::TempDir,
    pub(crate) index: Index,
    pub(crate) memory: Memory,
    pub(crate) rules: Rules,
}

impl World {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        fs::create_dir(temp.path().join("ws")).unwrap();
        Self { temp, index: Index::default(), memory: Memory::default(), rules: Rules::built_in() }
    }

    pub(crate) fn with(files: &[&str]) -> Self {
        let world = Self::new();
        for file in files {
            world.put(file, file);
        }
        world
    }

    pub(crate) fn root(&self) -> Root {
        Root::open(&self.at("")).unwrap()
    }

    /// A path of the workspace on the disk.
    pub(crate) fn at(&self, path: impl AsRef<[u8]>) -> PathBuf {
        let ws = self.temp.path().canonicalize().unwrap().join("ws");
        if path.as_ref().is_empty() { ws } else { ws.join(OsStr::from_bytes(path.as_ref())) }
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn put(&self, path: impl AsRef<[u8]>, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn dir(&self, path: &str) {
        fs::create_dir_all(self.at(path)).unwrap();
    }

    pub(crate) fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }

    pub(crate) fn rename(&self, from: &str, to: &str) {
        fs::rename(self.at(from), self.at(to)).unwrap();
    }

    pub(crate) fn chmod(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn remove(&self, path: &str) {
        let path = self.at(path);
        if path.is_dir() && !path.is_symlink() {
            fs::remove_dir_all(path).unwrap()
        } else {
            fs::remove_file(path).unwrap()
        }
    }

    /// Captures the whole workspace and brings the index up to it.
    pub(crate) fn capture(&mut self) -> Captured {
        self.capture_scope(&WHOLE).unwrap()
    }

    pub(crate) fn capture_scope(&mut self, scope: &CaptureScope) -> Result<Captured, CaptureError> {
        let captured = capture(&self.root(), &self.index, &self.rules, &self.memory, scope)?;
        captured.apply_to(&mut self.index);
        Ok(captured)
    }

    /// Captures until nothing is in doubt: as if all looks were long ago.
    pub(crate) fn settle(&mut self) {
        self.capture();
        self.age();
    }

    /// Makes every look in the index so late that no time stamp is in doubt.
    pub(crate) fn age(&mut self) {
        for path in self.index.paths_below(&WorkspacePath::root()) {
            let mut known = self.index.get(&path).unwrap().clone();
            if known.stamp != Stamp::UNKNOWN && known.stamp.looked_ns != 0 {
                known.stamp.looked_ns += 10_000_000_000;
                self.index.set(&path, Some(known));
            }
        }
    }

    pub(crate) fn known(&self, path: &str) -> Option<&Known> {
        self.index.get(&wp(path))
    }

    pub(crate) fn entry(&self, path: &str) -> Entry {
        self.known(path).map_or(Entry::Absent, |known| known.entry.clone())
    }

    /// The bytes that are stored for a path of the index.
    pub(crate) fn stored(&self, path: &str) -> Option<Vec<u8>> {
        self.memory.bytes(self.entry(path).content()?)
    }

    pub(crate) fn gap(&self, path: &str) -> Option<Reason> {
        self.entry(path).gap()
    }

    pub(crate) fn known_paths(&self) -> Vec<String> {
        self.index.paths_below(&WorkspacePath::root()).iter().map(ToString::to_string).collect()
    }
}

pub(crate) fn wp(path: impl AsRef<[u8]>) -> WorkspacePath {
    WorkspacePath::new(path.as_ref()).unwrap()
}

pub(crate) fn hash_of(bytes: &[u8]) -> ContentHash {
    ContentHash(*blake3::hash(bytes).as_bytes())
}

pub(crate) fn file(bytes: impl AsRef<[u8]>, mode: u32) -> Entry {
    let bytes = bytes.as_ref();
    Entry::File { content: hash_of(bytes), size_bytes: bytes.len() as u64, mode: Mode::new(mode) }
}

/// The paths of the differences, in their order.
pub(crate) fn paths(captured: &Captured) -> Vec<String> {
    captured.differences.iter().map(|difference| difference.path.to_string()).collect()
}

pub(crate) fn difference<'c>(captured: &'c Captured, path: &str) -> &'c Difference {
    captured.differences.iter().find(|difference| difference.path == wp(path)).unwrap_or_else(|| {
        panic!("no difference at {path}, only at {:?}", paths(captured));
    })
}

pub(crate) fn after(captured: &Captured, path: &str) -> Entry {
    difference(captured, path).after.as_ref().map_or(Entry::Absent, |known| known.entry.clone())
}

pub(crate) fn troubles(captured: &Captured) -> Vec<(String, Reason)> {
    captured.troubles.iter().map(|gap| (gap.path.to_string(), gap.reason)).collect()
}

/// Runs the body of the test `name` as a user without special rights, who may be refused something.
///
/// A superuser starts the test again as somebody else; where that is not possible, the test says so and shows nothing.
pub(crate) fn as_plain_user(name: &str, body: impl FnOnce()) {
    if fs::metadata("/proc/self").map_or(1, |own| own.uid()) != 0 {
        return body();
    }
    let own_program = std::env::current_exe().unwrap();
    let started = Command::new(own_program).args(["--exact", name, "--nocapture"]).uid(65_534).gid(65_534).output();
    match started {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
            assert!(text.contains("1 passed"), "the test `{name}` was not found: {text}");
        }
        Err(error) => eprintln!("skipped `{name}`: no other user can run this test: {error}"),
    }
}
