//! The lever. Where a running terminal shows the thread, it is rewound in place, after a fork of all of it was made as a
//! bookmark. Elsewhere it is a fork of the thread that ends where the conversation should, made by Codex's own app-server;
//! or where there is none, a copy of the rollout's beginning under a new id: then the old thread is not touched.

use std::path::{Path, PathBuf};

use super::app_server::{ForkPoint, fork, is_in_a_terminal, rewind_in_terminal};
use super::rollout::{self, Thread, conversation};
use crate::driver::{DriverError, Lever, Seat, Target};
use crate::setup::shell_word;

/// Makes the fork, unless the thread ends there already.
pub(super) fn prepare(seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
    rollout::checked_id(&seat.native)?;
    if matches!(target, Target::After { prompt: None }) {
        return Ok(resumes(seat, &seat.native, None));
    }
    let thread = rollout::read(seat)?;
    let line = conversation(&thread).line;
    let place = |prompt: &String| {
        line.iter()
            .position(|on_line| on_line == prompt)
            .ok_or_else(|| DriverError::NoPrompt { prompt: prompt.clone() })
    };
    if let Target::Before { prompt } = target
        && is_in_a_terminal(&seat.home, &seat.native)
    {
        place(prompt)?;
        let bookmark = fork(&seat.home, &seat.cwd, &seat.native, ForkPoint::End)?;
        return Ok(rewinds(seat, bookmark.thread, prompt));
    }
    let (kept, point) = match target {
        Target::Before { prompt } => (place(prompt)?, ForkPoint::Before(prompt)),
        Target::After { prompt: Some(prompt) } if line.last() == Some(prompt) => {
            return Ok(resumes(seat, &seat.native, None));
        }
        Target::After { prompt: Some(prompt) } | Target::Fork { prompt: Some(prompt) } => {
            (place(prompt)? + 1, ForkPoint::After(prompt))
        }
        Target::After { prompt: None } | Target::Fork { prompt: None } => (line.len(), ForkPoint::End),
    };
    let made = match fork(&seat.home, &seat.cwd, &seat.native, point) {
        Ok(forked) => resumes(seat, &forked.thread, forked.path),
        Err(error) if thread.is_in_one_file => copy(seat, &thread, line.get(kept)).map_err(|_| error)?,
        Err(error) => return Err(error),
    };
    check(seat, &made, &line[..kept]).inspect_err(|_| discard(&made))?;
    Ok(made)
}

/// Rewinds the thread in the terminal that shows it. Once it is rewound, or no lever for this, nothing is to do.
pub(super) fn activate(seat: &Seat, lever: &Lever) -> Result<(), DriverError> {
    match std::str::from_utf8(&lever.notes).ok().filter(|_| lever.moves_agent) {
        Some(turn) => rewind_in_terminal(&seat.home, &seat.native, turn),
        None => Ok(()),
    }
}

/// Removes the rollout that was made, if nobody has gone on from it. Codex notices by itself that a thread has no rollout.
///
/// The bookmark of a rewind that never came is a thread like the one it was made of, and stays.
pub(super) fn discard(lever: &Lever) {
    if lever.moves_agent {
        return;
    }
    let length_made = lever.notes.as_slice().try_into().ok().map(u64::from_be_bytes);
    if let Some(path) = lever.transcript.as_ref().filter(|_| lever.native != lever.left)
        && length_made.is_some_and(|length| length_bytes(path) == Some(length))
    {
        // What cannot be removed is a thread that nobody points at.
        _ = disk::state::remove(path);
    }
}

/// The command that takes a thread up.
pub(super) fn resume_command(native: &str) -> String {
    format!("codex resume {}", shell_word(native))
}

/// Reads the new thread back: it must hold the turns it should, and no other.
fn check(seat: &Seat, made: &Lever, expected: &[String]) -> Result<(), DriverError> {
    let there = Seat { native: made.native.clone(), transcript: made.transcript.clone(), ..seat.clone() };
    let line = conversation(&rollout::read(&there)?).line;
    if line == expected {
        return Ok(());
    }
    Err(DriverError::UnknownShape { reason: "a fork of the thread does not hold the turns it should".to_owned() })
}

/// The first turns of a rollout as a thread of their own, up to the turn of a prompt; none: all of them.
fn copy(seat: &Seat, thread: &Thread, end: Option<&String>) -> Result<Lever, DriverError> {
    let new = new_id();
    let unknown = || DriverError::UnknownShape { reason: "the name of the rollout is not understood".to_owned() };
    let name = thread.path.file_name().and_then(|name| name.to_str()).ok_or_else(unknown)?;
    let name = name.strip_suffix(&format!("{}.jsonl", seat.native)).ok_or_else(unknown)?;
    let path = thread.path.with_file_name(format!("{name}{new}.jsonl"));
    let mut copied = String::new();
    for line in &thread.lines {
        if line.begins_turn().is_some_and(|turn| end.is_some_and(|end| end == turn)) {
            break;
        }
        let text = String::from_utf8_lossy(&line.bytes);
        copied.push_str(&text.replace(&seat.native, &new));
        copied.push('\n');
    }
    disk::state::write_new(&path, copied.as_bytes())
        .map_err(|error| DriverError::Failed { verb: "Writing the rewound rollout", reason: error.to_string() })?;
    Ok(resumes(seat, &new, Some(path)))
}

/// The thread stays the same and ends before a turn; `bookmark` holds all of it.
fn rewinds(seat: &Seat, bookmark: String, turn: &str) -> Lever {
    let notes = turn.as_bytes().to_vec();
    Lever { left: bookmark, moves_agent: true, notes, ..resumes(seat, &seat.native, None) }
}

fn resumes(seat: &Seat, native: &str, made: Option<PathBuf>) -> Lever {
    Lever {
        native: native.to_owned(),
        transcript: made.clone().or_else(|| seat.transcript.clone().filter(|_| native == seat.native)),
        left: seat.native.clone(),
        resume: resume_command(native),
        resume_in_chat: None,
        moves_agent: false,
        notes: made
            .as_ref()
            .and_then(|path| length_bytes(path))
            .map_or_else(Vec::new, |length| length.to_be_bytes().to_vec()),
    }
}

fn length_bytes(path: &Path) -> Option<u64> {
    disk::state::size(path).ok().flatten().map(|size| size.length_bytes)
}

/// An id of the form Codex gives its threads, which begins with the time (RFC 9562, version 7).
fn new_id() -> String {
    let milliseconds = disk::clock::now_ns().max(0).cast_unsigned() / 1_000_000;
    let random = disk::random_u64();
    format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        milliseconds >> 16,
        milliseconds & 0xffff,
        random & 0xfff,
        0x8000 | ((random >> 12) & 0x3fff),
        disk::random_u64() & 0xffff_ffff_ffff
    )
}
