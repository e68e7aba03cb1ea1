//! [`Tree`]: a work tree of many small files, one hundred to a folder. It is a git repository of its own, so that no
//! folder above it is taken for the workspace.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Fault;
use crate::text::text;

const FILES_PER_FOLDER: usize = 100;
const FOLDERS_PER_FOLDER: usize = 32;

/// Files in a work tree, all with text of their own.
#[derive(Debug)]
pub(crate) struct Tree {
    root: PathBuf,
    /// How many files.
    pub(crate) files: usize,
    size_bytes: usize,
}

impl Tree {
    /// Writes `files` files of about `size_bytes` bytes each into an empty folder.
    pub(crate) fn grow(root: PathBuf, files: usize, size_bytes: usize) -> Result<Self, Fault> {
        if !Command::new("git").args(["init", "--quiet"]).arg(&root).status()?.success() {
            return Err("git init failed".into());
        }
        let tree = Self { root, files, size_bytes };
        for number in 0..files {
            let path = tree.root.join(tree.path(number));
            if number % FILES_PER_FOLDER == 0 {
                fs::create_dir_all(path.parent().unwrap_or(&tree.root))?;
            }
            fs::write(path, text(number as u64, size_bytes))?;
        }
        Ok(tree)
    }

    /// Its folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file, from the root.
    pub(crate) fn path(&self, number: usize) -> String {
        let folder = number / FILES_PER_FOLDER;
        format!("part{}/module{folder}/file{number}.rs", folder / FOLDERS_PER_FOLDER)
    }

    /// Appends a line to one file, another one for every `run`.
    pub(crate) fn append_line(&self, run: usize) -> Result<(), Fault> {
        let path = self.root.join(self.path((run * 7_919) % self.files));
        let mut file = fs::OpenOptions::new().append(true).open(path)?;
        Ok(writeln!(file, "// line {run}")?)
    }

    /// Writes a file anew, with text of its own for every `version`.
    pub(crate) fn rewrite(&self, number: usize, version: usize) -> Result<(), Fault> {
        let bytes = text((number + version * 1_000_000_007) as u64, self.size_bytes);
        Ok(fs::write(self.root.join(self.path(number)), bytes)?)
    }

    /// Whether a file holds what it was grown with.
    pub(crate) fn is_as_grown(&self, number: usize) -> Result<bool, Fault> {
        Ok(fs::read(self.root.join(self.path(number)))? == text(number as u64, self.size_bytes))
    }
}
