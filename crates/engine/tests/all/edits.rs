//! Random edits of a real folder, of every kind and by anybody. What the tree does not allow is no edit.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::random::Random;

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
const FILE_MODES: [u32; 4] = [0o644, 0o755, 0o600, 0o444];
const FOLDER_MODES: [u32; 3] = [0o755, 0o700, 0o555];

/// Who makes an edit: what somebody writes carries a mark of its own, so that it can be found again.
#[derive(Debug, Clone)]
pub(crate) struct Author {
    name: &'static str,
    marks: u64,
}

impl Author {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, marks: 0 }
    }

    /// How many marks were made.
    pub(crate) fn marks(&self) -> u64 {
        self.marks
    }

    fn mark(&mut self) -> String {
        self.marks += 1;
        format!("{} {}", self.name, self.marks)
    }
}

/// Whether a line was written by some author as a mark. Nobody replaces such a line alone.
pub(crate) fn is_mark(line: &str) -> bool {
    !line.starts_with("line ")
}

/// A path below the root, relative to it.
pub(crate) fn random_path(random: &mut Random) -> PathBuf {
    (0..1 + random.below(3)).map(|_| *random.choose(&NAMES)).collect()
}

/// Makes one edit somewhere below `root`.
pub(crate) fn edit(random: &mut Random, root: &Path, author: &mut Author) {
    let path = root.join(random_path(random));
    match random.below(21) {
        0..5 => write_text(random, &path, author),
        5..9 => change_line(random, &path, author),
        9 => drop(write(&path, b"")),
        10 => drop(write(&path, &[0, 159, random.below(256) as u8, 0])),
        11 => remove(&path),
        12 => remove(path.parent().filter(|parent| *parent != root).unwrap_or(&path)),
        13 | 14 => rename(&path, &root.join(random_path(random))),
        15 => link(random, &path),
        16 => drop(fs::create_dir_all(&path)),
        17 | 18 => change_mode(random, &path),
        19 => second_name(&path, &root.join(random_path(random))),
        _ => pipe(&path),
    }
}

/// Writes a text of ten lines, so that two edits of one file may or may not meet.
pub(crate) fn write_text(random: &mut Random, path: &Path, author: &mut Author) {
    let mut text: String = (0..10).map(|line| format!("line {line} {}\n", random.below(3))).collect();
    text.push_str(&author.mark());
    text.push('\n');
    drop(write(path, text.as_bytes()));
}

/// Changes one line of a text, or adds one.
pub(crate) fn change_line(random: &mut Random, path: &Path, author: &mut Author) {
    let is_file = fs::symlink_metadata(path).is_ok_and(|about| about.is_file());
    let Some(text) = is_file.then(|| fs::read(path).ok()).flatten().and_then(|bytes| String::from_utf8(bytes).ok())
    else {
        return write_text(random, path, author);
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let place = random.below(lines.len() + 1);
    if place == lines.len() || random.happens(1, 3) || is_mark(&lines[place]) {
        lines.insert(place, author.mark());
    } else {
        lines[place] = author.mark();
    }
    drop(write(path, (lines.join("\n") + "\n").as_bytes()));
}

fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let parent = path.parent().expect("because every path lies below the root");
    fs::create_dir_all(parent)?;
    let is_in_the_way = fs::symlink_metadata(path).is_ok_and(|about| !about.is_file());
    if is_in_the_way { Ok(()) } else { fs::write(path, bytes) }
}

fn remove(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|about| about.is_dir()) {
        drop(fs::remove_dir_all(path));
    } else {
        drop(fs::remove_file(path));
    }
}

fn rename(from: &Path, to: &Path) {
    drop(to.parent().map(fs::create_dir_all));
    drop(fs::rename(from, to));
}

fn link(random: &mut Random, path: &Path) {
    remove_file_at(path);
    drop(path.parent().map(fs::create_dir_all));
    drop(std::os::unix::fs::symlink(random.choose(&NAMES), path));
}

fn second_name(path: &Path, other: &Path) {
    drop(other.parent().map(fs::create_dir_all));
    drop(fs::hard_link(path, other));
}

fn pipe(path: &Path) {
    drop(path.parent().map(fs::create_dir_all));
    let made = Command::new("mkfifo").arg("-m600").arg(path).output();
    assert!(made.is_ok(), "mkfifo cannot be run");
}

fn remove_file_at(path: &Path) {
    if fs::symlink_metadata(path).is_ok_and(|about| !about.is_dir()) {
        drop(fs::remove_file(path));
    }
}

fn change_mode(random: &mut Random, path: &Path) {
    let Ok(about) = fs::symlink_metadata(path) else { return };
    let modes: &[u32] = if about.is_dir() { &FOLDER_MODES } else { &FILE_MODES };
    if !about.is_symlink() {
        drop(fs::set_permissions(path, fs::Permissions::from_mode(*random.choose(modes))));
    }
}
