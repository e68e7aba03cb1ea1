//! What is done in the scratch workspace: how it begins, what a shell might do to it, and what its user does afterwards.

use std::io::{self, Write as _};

use disk::{Dir, DiskError};
use model::Mode;
use thiserror::Error;

/// An edit could not be made.
#[derive(Debug, Error)]
pub enum EditError {
    /// The system refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// A file could not be written.
    #[error("A file could not be written")]
    Write(#[from] io::Error),
}

/// The file that belongs to the user all the time.
pub(super) const USER_FILE: &[u8] = b"yours.txt";

/// Fills an empty folder.
pub(super) fn lay_out(dir: &Dir) -> Result<(), EditError> {
    write(dir, b"notes.txt", b"first\nsecond\n", 0o644)?;
    write(dir, b"tool.sh", b"#!/bin/sh\n", 0o755)?;
    write(dir, b"data.bin", b"\0\x01\xff without a newline", 0o600)?;
    write(dir, b"empty.txt", b"", 0o644)?;
    write(dir, USER_FILE, b"as it was\n", 0o644)?;
    dir.make_dir(b"folder", Mode::new(0o750))?;
    dir.make_dir(b"bare", Mode::FOLDER)?;
    write(&dir.open_child(b"folder")?, b"deep.txt", b"deep\n", 0o644)?;
    Ok(dir.create_link(b"link", b"notes.txt")?)
}

/// Writes, deletes, renames, changes modes and links, makes and removes folders.
pub(super) fn change_like_a_shell(dir: &Dir) -> Result<(), EditError> {
    overwrite(dir, b"notes.txt", b"first\nchanged\n", 0o644)?;
    dir.set_mode(b"tool.sh", Mode::new(0o644))?;
    dir.unlink(b"data.bin")?;
    dir.unlink(b"empty.txt")?;
    dir.open_child(b"folder")?.rename_no_replace(b"deep.txt", dir, b"moved.txt")?;
    dir.remove_dir(b"folder")?;
    dir.remove_dir(b"bare")?;
    dir.unlink(b"link")?;
    dir.create_link(b"link", b"nowhere")?;
    dir.make_dir(b"fresh", Mode::FOLDER)?;
    write(&dir.open_child(b"fresh")?, b"new.txt", b"new\n", 0o640)
}

/// Saves the user's own file.
pub(super) fn edit_as_the_user(dir: &Dir) -> Result<(), EditError> {
    overwrite(dir, USER_FILE, b"as the user wants it\n", 0o644)
}

fn write(dir: &Dir, name: &[u8], bytes: &[u8], mode: u32) -> Result<(), EditError> {
    let mut file = dir.create_file(name, Mode::new(mode))?;
    file.write_all(bytes)?;
    Ok(file.finish()?)
}

fn overwrite(dir: &Dir, name: &[u8], bytes: &[u8], mode: u32) -> Result<(), EditError> {
    let mut file = dir.overwrite_file(name, Mode::new(mode))?;
    file.write_all(bytes)?;
    Ok(file.finish()?)
}
