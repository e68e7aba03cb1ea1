//! The lever: a copy of the transcript under a new id that ends where the conversation should. The rows are copied byte
//! for byte, so that the request the client makes of them begins with the same bytes; the old file is never touched.

use std::collections::HashSet;
use std::path::PathBuf;

use serde_json::json;

use super::place;
use super::row::RowKind;
use super::transcript::{self, Transcript};
use crate::driver::{DriverError, Lever, Seat, Target};
use crate::setup::shell_word;

/// Makes the copy, unless the conversation stands there already or nothing was ever said in it.
pub(super) fn prepare(seat: &Seat, target: &Target) -> Result<Lever, DriverError> {
    place::transcript(seat)?;
    if matches!(target, Target::After { prompt: None }) {
        return Ok(resumes(seat, &seat.native, seat.transcript.clone()));
    }
    let transcript = transcript::read(seat)?;
    match end(&transcript, target)? {
        End::Here => Ok(resumes(seat, &seat.native, seat.transcript.clone())),
        End::Nowhere => Ok(begins_anew(seat)),
        End::After(end) => make(seat, &transcript, end, Ending::WithRow),
        End::Before(first) => make(seat, &transcript, first, Ending::Emptied),
    }
}

/// Removes the copy, if it is byte for byte what was written.
pub(super) fn discard(lever: &Lever) {
    let Some(file) = &lever.transcript else { return };
    let is_ours = |bytes: &Vec<u8>| !lever.notes.is_empty() && fingerprint(bytes).as_slice() == lever.notes;
    if disk::state::read(file).ok().flatten().as_ref().is_some_and(is_ours) {
        // What cannot be removed is a transcript that nobody points at; the next clean-up of the client takes it.
        _ = disk::state::remove(file);
    }
}

/// The command that takes a conversation up.
pub(super) fn resume_command(native: &str) -> String {
    format!("claude --resume {}", shell_word(native))
}

/// Where a conversation is to end.
enum End {
    /// With this row.
    After(usize),
    /// Before this row, which is the first of the conversation.
    Before(usize),
    /// Where it stands already.
    Here,
    /// Nothing was ever said.
    Nowhere,
}

fn end(transcript: &Transcript, target: &Target) -> Result<End, DriverError> {
    let leaf = transcript.leaf();
    Ok(match target {
        Target::Before { prompt } => {
            let place = place_of(transcript, prompt)?;
            let before = transcript.rows[place].parent;
            before.filter(|_| !transcript.line(before).is_empty()).map_or(End::Before(place), End::After)
        }
        Target::After { prompt: Some(prompt) } => match end_of_turn(transcript, prompt)? {
            end if leaf == Some(end) => End::Here,
            end => End::After(end),
        },
        Target::Fork { prompt: Some(prompt) } => End::After(end_of_turn(transcript, prompt)?),
        Target::After { prompt: None } | Target::Fork { prompt: None } => leaf.map_or(End::Nowhere, End::After),
    })
}

/// The newest row of a prompt's turn: the one before the next prompt where the line goes on, else the newest that
/// belongs to it.
fn end_of_turn(transcript: &Transcript, prompt: &str) -> Result<usize, DriverError> {
    let place = place_of(transcript, prompt)?;
    let leaf = transcript.leaf();
    let line = transcript.line(leaf);
    let Some(at) = line.iter().position(|on_line| *on_line == place) else {
        let prompts = transcript.prompts();
        return Ok(prompts.iter().rposition(|of| *of == Some(place)).unwrap_or(place));
    };
    let end = line.get(at + 1).map_or(leaf, |next| transcript.rows[*next].parent);
    Ok(end.unwrap_or(place))
}

fn place_of(transcript: &Transcript, prompt: &str) -> Result<usize, DriverError> {
    let place = transcript.rows.iter().position(|row| row.is_prompt() && row.entry_id() == prompt);
    place.ok_or_else(|| DriverError::NoPrompt { prompt: prompt.to_owned() })
}

/// How a copy ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With its last row.
    WithRow,
    /// With a note that nothing of it counts: the client takes up no transcript without a message in it.
    Emptied,
}

/// Writes the copy, after it was read back from memory and holds the prompts it should.
fn make(seat: &Seat, transcript: &Transcript, end: usize, ending: Ending) -> Result<Lever, DriverError> {
    let source = place::transcript(seat)?;
    let native = new_id();
    let mut bytes = copy(transcript, end);
    if ending == Ending::Emptied {
        let note = json!({ "type": "last-prompt", "leafUuid": null, "explicit": true, "sessionId": native });
        bytes.extend_from_slice(format!("{note}\n").as_bytes());
    }
    let line = transcript.line(Some(end).filter(|_| ending == Ending::WithRow));
    let expected: Vec<&str> = line.iter().map(|place| transcript.rows[*place].entry_id()).collect();
    let back = transcript::parse(bytes.clone(), source.parent().unwrap_or(&source))?;
    let found: Vec<&str> = back.line(back.leaf()).iter().map(|place| back.rows[*place].entry_id()).collect();
    if found != expected {
        let reason = "a copy of it does not read back to the same prompts".to_owned();
        return Err(DriverError::UnknownShape { reason });
    }
    let file = source.with_file_name(format!("{native}.jsonl"));
    write(&file, &bytes)?;
    let notes = fingerprint(&bytes).to_vec();
    Ok(Lever { notes, ..resumes(seat, &native, Some(file)) })
}

/// The client lists what is in the folder at any time: the file comes there whole.
fn write(file: &std::path::Path, bytes: &[u8]) -> Result<(), DriverError> {
    disk::state::write_atomic(file, bytes)
        .map_err(|error| DriverError::Failed { verb: "Writing the rewound transcript", reason: error.to_string() })
}

/// The lines on the way to a row, in the order of the file, and what belongs to them beside the way.
fn copy(transcript: &Transcript, end: usize) -> Vec<u8> {
    let chain = transcript.chain(Some(end));
    let calls: HashSet<&str> =
        chain.iter().flat_map(|place| transcript.rows[*place].calls.iter().map(String::as_str)).collect();
    let mut kept: HashSet<usize> = chain.iter().copied().collect();
    kept.extend(chain.windows(2).flat_map(|step| compactions_between(transcript, step[0], step[1])));
    let mut copied = Vec::new();
    for (place, row) in transcript.rows.iter().enumerate().take(end + 1) {
        // Of parallel calls only the last answer lies on the way.
        let answers = row.answers.iter().any(|call| calls.contains(call.as_str()));
        let sums_up = row.kind == RowKind::Summary && row.parent.is_some_and(|boundary| kept.contains(&boundary));
        if kept.contains(&place) || answers || sums_up {
            copied.extend_from_slice(&transcript.bytes[row.line.clone()]);
            copied.push(b'\n');
        }
    }
    copied
}

/// The boundaries of compactions that a step of the way passes by. A client that goes on right after a compaction lets
/// the next row follow one that was preserved, and puts the preserved ones behind the summary when it reads them.
fn compactions_between(transcript: &Transcript, child: usize, parent: usize) -> impl Iterator<Item = usize> {
    (parent + 1..child).filter(move |place| {
        let row = &transcript.rows[*place];
        row.is_boundary() && (row.parent == Some(parent) || row.preserved.contains(&parent))
    })
}

fn resumes(seat: &Seat, native: &str, transcript: Option<PathBuf>) -> Lever {
    Lever {
        native: native.to_owned(),
        transcript,
        left: seat.native.clone(),
        resume: resume_command(native),
        resume_in_chat: Some(format!("/resume {native}")),
        moves_agent: false,
        notes: Vec::new(),
    }
}

/// There is nothing to copy: a conversation begins under an id that is known already.
fn begins_anew(seat: &Seat) -> Lever {
    let native = new_id();
    Lever { resume: format!("claude --session-id {native}"), resume_in_chat: None, ..resumes(seat, &native, None) }
}

/// Tells a file of ours from one that somebody has added to: its length and a checksum (FNV-1a).
fn fingerprint(bytes: &[u8]) -> [u8; 16] {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let sum = bytes.iter().fold(OFFSET, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(PRIME));
    let mut print = [0; 16];
    print[..8].copy_from_slice(&(bytes.len() as u64).to_be_bytes());
    print[8..].copy_from_slice(&sum.to_be_bytes());
    print
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
