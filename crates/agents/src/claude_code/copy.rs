//! The lever: a copy of the transcript under a new id that ends where the conversation should. The rows are copied byte
//! for byte, so that the request the client makes of them begins with the same bytes; the old file is never touched.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::row::RowKind;
use super::transcript::{self, Transcript, path};
use crate::driver::{DriverError, Lever, Seat, Target};

/// Makes the copy, unless the conversation stands there already or would be empty.
pub(super) fn prepare(seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
    if matches!(target, Target::After { prompt: None }) {
        return Ok(resumes(seat, &seat.native, None));
    }
    let transcript = transcript::read(seat)?;
    let end = match end(&transcript, target)? {
        End::Here => return Ok(resumes(seat, &seat.native, None)),
        End::Nowhere => return Ok(begins_anew(seat)),
        End::At(end) => end,
    };
    let new = new_id();
    let source = path(seat)?;
    let copied = copy(&transcript, end);
    let expected: Vec<&str> =
        transcript.line(Some(end)).iter().map(|place| transcript.rows[*place].entry_id()).collect();
    check(&copied, &expected)?;
    let file = source.with_file_name(format!("{new}.jsonl"));
    disk::state::write_new(&file, &copied)
        .map_err(|error| DriverError::Failed { verb: "Writing the rewound transcript", reason: error.to_string() })?;
    let notes = (copied.len() as u64).to_be_bytes().to_vec();
    Ok(Lever { notes, ..resumes(seat, &new, Some(file)) })
}

/// Removes the copy, if nobody has written to it since.
pub(super) fn discard(lever: &Lever) {
    let length = lever.notes.as_slice().try_into().ok().map(u64::from_be_bytes);
    if let (Some(file), Some(length)) = (&lever.transcript, length)
        && is_as_long_as(file, length)
    {
        // What cannot be removed is a transcript that nobody points at; the next clean-up of the client takes it.
        _ = disk::state::remove(file);
    }
}

/// The command that takes a conversation up.
pub(super) fn resume_command(native: &str) -> String {
    format!("claude --resume {native}")
}

/// Where a copy is to end.
enum End {
    /// With this row.
    At(usize),
    /// Where the conversation stands already.
    Here,
    /// Before the first prompt.
    Nowhere,
}

fn end(transcript: &Transcript, target: &Target) -> Result<End, DriverError> {
    let leaf = transcript.leaf();
    match target {
        Target::Before { prompt } => {
            let place = place_of(transcript, prompt)?;
            let before = transcript.chain(Some(place)).get(1).copied();
            let is_empty = transcript.line(before).is_empty();
            Ok(before.filter(|_| !is_empty).map_or(End::Nowhere, End::At))
        }
        Target::After { prompt: Some(prompt) } => {
            let end = end_of_turn(transcript, prompt)?;
            Ok(if leaf == Some(end) { End::Here } else { End::At(end) })
        }
        Target::Fork { prompt: Some(prompt) } => Ok(End::At(end_of_turn(transcript, prompt)?)),
        Target::After { prompt: None } | Target::Fork { prompt: None } => Ok(leaf.map_or(End::Nowhere, End::At)),
    }
}

/// The newest row of a prompt's turn: the one before the next prompt where the line goes on, else the newest that
/// belongs to it.
fn end_of_turn(transcript: &Transcript, prompt: &str) -> Result<usize, DriverError> {
    let place = place_of(transcript, prompt)?;
    let leaf = transcript.leaf();
    let line = transcript.line(leaf);
    if let Some(at) = line.iter().position(|on_line| *on_line == place) {
        return Ok(match line.get(at + 1) {
            Some(next) => transcript.chain(Some(*next)).get(1).copied().unwrap_or(place),
            None => leaf.unwrap_or(place),
        });
    }
    let prompts = transcript.prompts();
    Ok(prompts.iter().rposition(|of| *of == Some(place)).unwrap_or(place))
}

fn place_of(transcript: &Transcript, prompt: &str) -> Result<usize, DriverError> {
    let is_it = |row: &super::row::Row| row.kind == RowKind::Prompt && row.entry_id() == prompt;
    transcript.rows.iter().position(is_it).ok_or_else(|| DriverError::NoPrompt { prompt: prompt.to_owned() })
}

/// The lines on the way to a row, with the answers to calls made on it: of parallel calls only the last answer lies on
/// the way. Where the way begins with a compaction, what came before stays too, since its start refers to it.
fn copy(transcript: &Transcript, end: usize) -> Vec<u8> {
    let chain = transcript.chain(Some(end));
    let kept: HashSet<usize> = chain.iter().copied().collect();
    let calls: HashSet<&str> =
        chain.iter().flat_map(|place| transcript.rows[*place].calls.iter().map(String::as_str)).collect();
    let mut copied = Vec::new();
    for (place, row) in transcript.rows.iter().enumerate().take(end + 1) {
        let answers = row.answers.iter().any(|call| calls.contains(call.as_str()));
        if kept.contains(&place) || answers {
            copied.extend_from_slice(&transcript.bytes[row.line.clone()]);
            copied.push(b'\n');
        }
    }
    copied
}

/// Reads the copy back: it must hold the prompts it should, and nothing else.
fn check(copied: &[u8], expected: &[&str]) -> Result<(), DriverError> {
    let back = transcript::parse(copied.to_vec())?;
    let line = back.line(back.rows.len().checked_sub(1).map(|_| leaf_of(&back)));
    let prompts: Vec<&str> = line.iter().map(|place| back.rows[*place].entry_id()).collect();
    if prompts == expected {
        return Ok(());
    }
    Err(DriverError::UnknownShape {
        reason: "a copy of the transcript does not read back to the same prompts".to_owned(),
    })
}

fn leaf_of(back: &Transcript) -> usize {
    back.leaf().unwrap_or(0)
}

fn resumes(seat: &Seat, native: &str, transcript: Option<PathBuf>) -> Lever {
    Lever {
        native: native.to_owned(),
        transcript: transcript.or_else(|| seat.transcript.clone().filter(|_| native == seat.native)),
        left: seat.native.clone(),
        resume: resume_command(native),
        resume_in_chat: Some(format!("/resume {native}")),
        moves_agent: false,
        notes: Vec::new(),
    }
}

/// Nothing is left of the conversation: a new one begins under an id that is known already.
fn begins_anew(seat: &Seat) -> Lever {
    let native = new_id();
    Lever { resume: format!("claude --session-id {native}"), resume_in_chat: None, ..resumes(seat, &native, None) }
}

fn is_as_long_as(file: &Path, length_bytes: u64) -> bool {
    disk::state::size(file).ok().flatten().is_some_and(|size| size.length_bytes == length_bytes)
}

/// A random id of the form the client gives its sessions (RFC 9562, version 4).
fn new_id() -> String {
    let (high, low) = (disk::random_u64(), disk::random_u64());
    let high = (high & 0xffff_ffff_ffff_0fff) | 0x4000;
    let low = (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_id_has_the_form_of_the_clients_own() {
        let id = new_id();
        let lengths: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lengths, [8, 4, 4, 4, 12]);
        assert_eq!(&id[14..15], "4");
        assert_ne!(new_id(), id);
    }
}
