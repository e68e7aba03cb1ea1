//! A history made up from a seed: commits that write, rename, remove and swap files, links and folders, under plain and
//! odd names. It is written as a stream for `git fast-import`; it touches no disk.

use std::collections::BTreeMap;

use crate::random::Random;

/// What git keeps of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    File { bytes: Vec<u8>, is_executable: bool },
    Link { target: Vec<u8> },
}

type State = BTreeMap<Vec<u8>, Item>;

const NAMES: [&[u8]; 22] = [
    b"a",
    b"b",
    b"lib",
    b"src",
    b"main.rs",
    b"README",
    b"a.b",
    b"A",
    b"with space",
    b"-dash",
    b"quote\"d",
    b"back\\slash",
    b"new\nline",
    b"tab\there",
    b"\xc3\xa9t\xc3\xa9",
    b"\xff\xfe",
    b".hidden",
    b"~",
    b"*",
    b"Target",
    b"x.log",
    b"$(x)",
];

/// Files that steer an agent or a CI are files like others when they are asked for.
const CONTROL: [&[u8]; 2] = [b".github/workflows/ci.yml", b"takeback.toml"];

const TARGETS: [&[u8]; 6] = [b"a", b"../a", b"missing/far", b"/nowhere", b".", b"\xff"];

/// The name of the ref at the `number`-th commit.
pub(crate) fn commit_name(number: usize) -> String {
    format!("refs/states/{number}")
}

/// A stream of `commits` commits, each under a ref of its own.
pub(crate) fn stream(random: &mut Random, commits: usize) -> Vec<u8> {
    let mut state = State::new();
    put(&mut state, b".gitignore".to_vec(), file(b"*.log\n".to_vec()));
    for _ in 0..60 {
        write_somewhere(random, &mut state);
    }
    let mut stream = Vec::new();
    for number in 0..commits {
        let changes = 1 + random.below(10);
        for _ in 0..changes {
            change(random, &mut state);
        }
        write_commit(&mut stream, number, &state);
    }
    stream.extend_from_slice(b"done\n");
    stream
}

fn change(random: &mut Random, state: &mut State) {
    match random.below(14) {
        0..3 => write_somewhere(random, state),
        3..5 => edit(random, state),
        5 => remove(random, state),
        6 => remove_folder(random, state),
        7 => rename(random, state),
        8 => rename_folder(random, state),
        9 => swap_executable(random, state),
        10 => link_somewhere(random, state),
        11 => swap_kind(random, state),
        12 => put(state, random.choose(&CONTROL).to_vec(), file(format!("# {}\n", random.below(99)).into_bytes())),
        _ => put(state, random_path(random), file(Vec::new())),
    }
}

fn file(bytes: Vec<u8>) -> Item {
    Item::File { bytes, is_executable: false }
}

fn content(random: &mut Random) -> Vec<u8> {
    match random.below(12) {
        0 => Vec::new(),
        1 => (0..2_000).map(|_| (random.number() & 0xff) as u8).collect(),
        2 => b"one line again and again\n".repeat(4_000 + random.below(4_000)),
        3 => format!("no newline {}", random.below(9)).into_bytes(),
        4 => format!("dos {}\r\nlines\r\n", random.below(9)).into_bytes(),
        _ => (0..3 + random.below(40)).flat_map(|line| format!("{line} {}\n", random.below(5)).into_bytes()).collect(),
    }
}

fn random_path(random: &mut Random) -> Vec<u8> {
    let depth = 1 + random.below(4);
    let names: Vec<&[u8]> = (0..depth).map(|_| *random.choose(&NAMES)).collect();
    names.join(&b'/')
}

fn any_path(random: &mut Random, state: &State) -> Option<Vec<u8>> {
    if state.is_empty() {
        return None;
    }
    state.keys().nth(random.below(state.len())).cloned()
}

/// A folder that holds something.
fn any_folder(random: &mut Random, state: &State) -> Option<Vec<u8>> {
    let path = any_path(random, state)?;
    let ends: Vec<usize> = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at).collect();
    if ends.is_empty() { None } else { Some(path[..*random.choose(&ends)].to_vec()) }
}

/// Puts an item at a path; what is in its way goes.
fn put(state: &mut State, path: Vec<u8>, item: Item) {
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for end in ends {
        state.remove(&path[..end]);
    }
    take_below(state, &path);
    state.insert(path, item);
}

/// Takes out everything below a folder, relative to it.
fn take_below(state: &mut State, folder: &[u8]) -> State {
    let prefix = [folder, b"/"].concat();
    let paths: Vec<Vec<u8>> = state.keys().filter(|path| path.starts_with(&prefix)).cloned().collect();
    paths.into_iter().filter_map(|path| Some((path[prefix.len()..].to_vec(), state.remove(&path)?))).collect()
}

fn write_somewhere(random: &mut Random, state: &mut State) {
    let (path, bytes) = (random_path(random), content(random));
    put(state, path, Item::File { bytes, is_executable: random.happens(1, 5) });
}

fn link_somewhere(random: &mut Random, state: &mut State) {
    let path = random_path(random);
    put(state, path, Item::Link { target: random.choose(&TARGETS).to_vec() });
}

fn edit(random: &mut Random, state: &mut State) {
    let Some(path) = any_path(random, state) else { return };
    match state.get_mut(&path) {
        Some(Item::File { bytes, .. }) => bytes.extend_from_slice(format!("more {}\n", random.below(99)).as_bytes()),
        Some(Item::Link { target }) => *target = random.choose(&TARGETS).to_vec(),
        None => {}
    }
}

fn remove(random: &mut Random, state: &mut State) {
    if let Some(path) = any_path(random, state) {
        state.remove(&path);
    }
}

fn remove_folder(random: &mut Random, state: &mut State) {
    if let Some(folder) = any_folder(random, state) {
        take_below(state, &folder);
    }
}

fn rename(random: &mut Random, state: &mut State) {
    let Some(item) = any_path(random, state).and_then(|path| state.remove(&path)) else { return };
    put(state, random_path(random), item);
}

fn rename_folder(random: &mut Random, state: &mut State) {
    let Some(folder) = any_folder(random, state) else { return };
    let moved = take_below(state, &folder);
    let target = random_path(random);
    for (path, item) in moved {
        put(state, [&target[..], b"/", &path].concat(), item);
    }
}

fn swap_executable(random: &mut Random, state: &mut State) {
    let Some(path) = any_path(random, state) else { return };
    if let Some(Item::File { is_executable, .. }) = state.get_mut(&path) {
        *is_executable = !*is_executable;
    }
}

/// A file becomes a link, a link a folder, a folder a file, and other ways round.
fn swap_kind(random: &mut Random, state: &mut State) {
    let place = if random.happens(1, 2) { any_folder(random, state) } else { any_path(random, state) };
    let Some(path) = place else { return };
    match random.below(3) {
        0 => put(state, path, Item::Link { target: random.choose(&TARGETS).to_vec() }),
        1 => put(state, path, file(content(random))),
        _ => put(state, [&path[..], b"/below"].concat(), file(content(random))),
    }
}

fn write_commit(stream: &mut Vec<u8>, number: usize, state: &State) {
    let when = 1_700_000_000 + number * 60;
    let who = "A Tester <tester@example.org>";
    let mut head = format!("commit {}\ncommitter {who} {when} +0000\ndata 0\n", commit_name(number));
    if number > 0 {
        head.push_str(&format!("from {}\n", commit_name(number - 1)));
    }
    stream.extend_from_slice(head.as_bytes());
    stream.extend_from_slice(b"deleteall\n");
    for (path, item) in state {
        let (mode, bytes) = match item {
            Item::File { bytes, is_executable: false } => ("100644", bytes),
            Item::File { bytes, is_executable: true } => ("100755", bytes),
            Item::Link { target } => ("120000", target),
        };
        stream.extend_from_slice(format!("M {mode} inline {}\ndata {}\n", quoted(path), bytes.len()).as_bytes());
        stream.extend_from_slice(bytes);
        stream.push(b'\n');
    }
}

/// A path as `git fast-import` reads it.
fn quoted(path: &[u8]) -> String {
    let mut text = String::from("\"");
    for byte in path {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(*byte)]),
            b' '..=b'~' => text.push(char::from(*byte)),
            _ => text.push_str(&format!("\\{byte:03o}")),
        }
    }
    text.push('"');
    text
}
