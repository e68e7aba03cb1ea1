//! [`Tree`]: a picture of a folder, to be compared with a later one. Follows no link.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

/// Everything in a folder by its path.
pub type Tree = BTreeMap<String, Thing>;

/// What a path holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    /// A file with its permission bits and its bytes; text is shown as text.
    File(u32, String),
    /// A link with its target.
    Link(String),
    /// A folder with its permission bits.
    Dir(u32),
    /// A pipe, socket or device.
    Special,
}

/// Looks at everything in a folder. Bytes that are no text are shown escaped, so that no two of them look the same.
pub(crate) fn look(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    add(folder, "", &mut tree);
    tree
}

fn add(folder: &Path, above: &str, tree: &mut Tree) {
    for entry in fs::read_dir(folder).expect("the folder of a world can be listed") {
        let entry = entry.expect("the folder of a world can be listed");
        let path = format!("{above}{}", escaped(entry.file_name().as_bytes()));
        let told = entry.metadata().expect("what was listed is there");
        let kind = told.file_type();
        let mode = told.mode() & 0o7777;
        let thing = if kind.is_dir() {
            add(&entry.path(), &format!("{path}/"), tree);
            Thing::Dir(mode)
        } else if kind.is_symlink() {
            let target = fs::read_link(entry.path()).expect("a link can be read");
            Thing::Link(escaped(target.as_os_str().as_bytes()))
        } else if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
            Thing::Special
        } else {
            Thing::File(mode, escaped(&fs::read(entry.path()).expect("a file of a world can be read")))
        };
        tree.insert(path, thing);
    }
}

fn escaped(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.escape_ascii().to_string(),
    }
}
