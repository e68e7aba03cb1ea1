//! [`Snapshot`]: everything below a folder as an independent reader sees it, and how two of them differ.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Every path below a folder, relative to it.
pub(crate) type Snapshot = BTreeMap<Vec<u8>, Seen>;

/// What a path holds, and by what an untouched path is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) node: Node,
    pub(crate) inode: u64,
    pub(crate) modified_ns: i128,
}

/// What a path holds.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Node {
    File { bytes: Vec<u8>, mode: u32 },
    Link { target: Vec<u8> },
    Dir { mode: u32 },
    Pipe,
}

/// Bytes are told by their number and their beginning, or a failed test could not be read.
impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Node::File { bytes, mode } => {
                let beginning = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]);
                write!(f, "file {mode:o} of {} bytes {beginning:?}", bytes.len())
            }
            Node::Link { target } => write!(f, "link to {:?}", String::from_utf8_lossy(target)),
            Node::Dir { mode } => write!(f, "folder {mode:o}"),
            Node::Pipe => write!(f, "pipe"),
        }
    }
}

/// Reads everything below `root`, following no link.
pub(crate) fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    read_folder(root, root, &mut found);
    found
}

/// The paths at which two snapshots do not hold the same.
pub(crate) fn differing_paths(one: &Snapshot, other: &Snapshot) -> BTreeSet<Vec<u8>> {
    let paths: BTreeSet<&Vec<u8>> = one.keys().chain(other.keys()).collect();
    paths.into_iter().filter(|path| node(one, path) != node(other, path)).cloned().collect()
}

/// The same as sentences: each path with what it holds in either.
pub(crate) fn differences(one: &Snapshot, other: &Snapshot) -> Vec<String> {
    let differing = differing_paths(one, other);
    let holds =
        |tree: &Snapshot, path: &[u8]| node(tree, path).map_or("nothing".to_owned(), |node| format!("{node:?}"));
    let sentence = |path: Vec<u8>| {
        format!("{:?}: {} / {}", String::from_utf8_lossy(&path), holds(one, &path), holds(other, &path))
    };
    differing.into_iter().map(sentence).collect()
}

/// The paths that hold the same in both and were touched all the same: another inode, or for anything but a folder
/// another time of change.
pub(crate) fn touched_needlessly(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let same = before.iter().filter_map(|(path, seen)| Some((path, seen, after.get(path)?)));
    let touched = same.filter(|(_, was, is)| {
        let is_folder = matches!(is.node, Node::Dir { .. });
        was.node == is.node && (was.inode != is.inode || (!is_folder && was.modified_ns != is.modified_ns))
    });
    touched.map(|(path, ..)| String::from_utf8_lossy(path).into_owned()).collect()
}

/// The paths that are names of one file, each group as a list.
pub(crate) fn names_of_one_file(tree: &Snapshot) -> BTreeSet<Vec<&Vec<u8>>> {
    let mut by_inode: BTreeMap<u64, Vec<&Vec<u8>>> = BTreeMap::new();
    for (path, seen) in tree.iter().filter(|(_, seen)| matches!(seen.node, Node::File { .. })) {
        by_inode.entry(seen.inode).or_default().push(path);
    }
    by_inode.into_values().filter(|names| names.len() > 1).collect()
}

/// From where to where things went between two snapshots.
pub(crate) fn moves(before: &Snapshot, after: &Snapshot) -> Vec<(Vec<u8>, Vec<u8>)> {
    let place_after: BTreeMap<u64, &Vec<u8>> = after.iter().map(|(path, seen)| (seen.inode, path)).collect();
    let pairs = before.iter().filter_map(|(path, seen)| Some((path, *place_after.get(&seen.inode)?)));
    pairs.filter(|(from, to)| from != to).map(|(from, to)| (from.clone(), to.clone())).collect()
}

fn node<'a>(tree: &'a Snapshot, path: &[u8]) -> Option<&'a Node> {
    tree.get(path).map(|seen| &seen.node)
}

fn read_folder(root: &Path, folder: &Path, found: &mut Snapshot) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let about = fs::symlink_metadata(&path).unwrap();
        let kind = about.file_type();
        let mode = about.mode() & 0o7777;
        let node = if kind.is_dir() {
            Node::Dir { mode }
        } else if kind.is_symlink() {
            Node::Link { target: fs::read_link(&path).unwrap().into_os_string().as_bytes().to_vec() }
        } else if kind.is_fifo() {
            Node::Pipe
        } else {
            Node::File { bytes: fs::read(&path).unwrap(), mode }
        };
        if kind.is_dir() {
            read_folder(root, &path, found);
        }
        let modified_ns = i128::from(about.mtime()) * 1_000_000_000 + i128::from(about.mtime_nsec());
        let relative = path.strip_prefix(root).unwrap().as_os_str();
        found.insert(bytes_of(relative), Seen { node, inode: about.ino(), modified_ns });
    }
}

fn bytes_of(name: &OsStr) -> Vec<u8> {
    name.as_bytes().to_vec()
}
