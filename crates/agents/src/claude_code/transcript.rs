//! The transcript as a tree of rows, and the conversation that follows from it. Lines that are torn, too long or not
//! understood are left out and counted; rows that would leave a hole in the tree make the whole shape unknown.

use std::collections::HashMap;
use std::path::PathBuf;

use model::MessageKind;
use serde_json::Value;

use super::leaf::{Note, active_leaf};
use super::row::{Row, RowKind};
use crate::driver::{Conversation, DriverError, NativeEntry, Seat};

/// A line longer than this is left out.
const LINE_BYTES_MAX: usize = 64 << 20;

/// A transcript, read.
#[derive(Debug)]
pub(super) struct Transcript {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The rows of the conversation, in the order of the file.
    pub(super) rows: Vec<Row>,
    /// Where the client noted that the conversation stands.
    pub(super) notes: Vec<Note>,
    /// The version that wrote its last row.
    pub(super) version: Option<String>,
    /// What was left out.
    pub(super) left_out: Vec<String>,
}

/// Reads the transcript of a seat.
pub(super) fn read(seat: &Seat) -> Result<Transcript, DriverError> {
    let path = path(seat)?;
    let failed =
        |error: disk::DiskError| DriverError::Failed { verb: "Reading the transcript", reason: error.to_string() };
    let bytes = disk::state::read(&path).map_err(failed)?;
    parse(bytes.ok_or_else(|| DriverError::NoConversation { native: seat.native.clone() })?)
}

/// The file of a seat. Only a file of the client's own, named after the conversation, is taken for one.
pub(super) fn path(seat: &Seat) -> Result<PathBuf, DriverError> {
    let file_name = format!("{}.jsonl", checked_id(&seat.native)?);
    if let Some(told) = &seat.transcript {
        let is_own = told.is_absolute()
            && told.file_name().is_some_and(|name| name == file_name.as_str())
            && !told.components().any(|part| part == std::path::Component::ParentDir);
        return if is_own {
            Ok(told.clone())
        } else {
            Err(DriverError::UnknownShape { reason: "the transcript is not named after the session".to_owned() })
        };
    }
    Ok(config_folder(seat).join("projects").join(slug(seat)).join(file_name))
}

/// Where the client keeps its files.
pub(super) fn config_folder(seat: &Seat) -> PathBuf {
    let moved = seat.home.variables.get("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    moved.unwrap_or_else(|| seat.home.home_folder.join(".claude"))
}

/// An id that can be the name of a file and nothing else.
pub(super) fn checked_id(native: &str) -> Result<&str, DriverError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !native.is_empty() && native.len() <= 64 && native.bytes().all(is_plain) {
        Ok(native)
    } else {
        Err(DriverError::UnknownShape { reason: "the id of the session is no plain word".to_owned() })
    }
}

fn slug(seat: &Seat) -> String {
    let cwd = seat.cwd.to_string_lossy();
    cwd.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect()
}

/// Takes a transcript apart.
pub(super) fn parse(bytes: Vec<u8>) -> Result<Transcript, DriverError> {
    let mut transcript =
        Transcript { bytes: Vec::new(), rows: Vec::new(), notes: Vec::new(), version: None, left_out: Vec::new() };
    let mut unreadable = 0_usize;
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end + 1;
        if !is_worth_parsing(line) {
            continue;
        }
        match serde_json::from_slice::<Value>(line) {
            Ok(value) if line.len() <= LINE_BYTES_MAX => transcript.take(range, &value)?,
            _ => unreadable += 1,
        }
    }
    if unreadable > 0 {
        transcript.left_out.push(format!("{unreadable} lines of the transcript are torn or not understood"));
    }
    transcript.bytes = bytes;
    Ok(transcript)
}

/// Most bytes of a transcript are records of requests, which are no part of the tree.
fn is_worth_parsing(line: &[u8]) -> bool {
    let holds = |needle: &[u8]| line.windows(needle.len()).any(|window| window == needle);
    !line.is_empty() && !line.starts_with(b"{\"type\":\"api-request") && (holds(b"\"uuid\"") || holds(b"\"leafUuid\""))
}

impl Transcript {
    fn take(&mut self, line: std::ops::Range<usize>, value: &Value) -> Result<(), DriverError> {
        if let Some(version) = value["version"].as_str() {
            self.version = Some(version.to_owned());
        }
        if let Some(note) = Note::of(self.rows.len(), value) {
            self.notes.push(note);
            return Ok(());
        }
        let is_message = matches!(value["type"].as_str(), Some("user" | "assistant"));
        match Row::of(line, value) {
            Some(row) => self.rows.push(row),
            None if is_message && value["isSidechain"].as_bool() != Some(true) => {
                return Err(DriverError::UnknownShape { reason: "a message has no id".to_owned() });
            }
            None => {}
        }
        Ok(())
    }

    /// The place of every row by its id; the first of two rows with one id counts.
    pub(super) fn places(&self) -> HashMap<&str, usize> {
        let mut places = HashMap::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            places.entry(row.uuid.as_str()).or_insert(place);
        }
        places
    }

    /// The row the client would go on from.
    pub(super) fn leaf(&self) -> Option<usize> {
        active_leaf(&self.rows, &self.places(), &self.notes)
    }

    /// The places from a row up to the first, across compactions.
    pub(super) fn chain(&self, from: Option<usize>) -> Vec<usize> {
        let places = self.places();
        let mut chain = Vec::new();
        let mut next = from;
        while let Some(place) = next {
            chain.push(place);
            let parent = self.rows[place].parent.as_deref().and_then(|parent| places.get(parent).copied());
            // A parent is written before what follows it; anything else would be a circle.
            next = parent.filter(|parent| *parent < place);
        }
        chain
    }

    /// For every row the place of the prompt it belongs to.
    pub(super) fn prompts(&self) -> Vec<Option<usize>> {
        let places = self.places();
        let mut prompts: Vec<Option<usize>> = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            let parent = row.parent.as_deref().and_then(|parent| places.get(parent)).filter(|parent| **parent < place);
            let inherited = parent.and_then(|parent| prompts[*parent]);
            prompts.push(if row.kind == RowKind::Prompt { Some(place) } else { inherited });
        }
        prompts
    }

    /// The prompts on the line that ends at a row, the oldest first.
    pub(super) fn line(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut line: Vec<usize> =
            self.chain(leaf).into_iter().filter(|place| self.rows[*place].kind == RowKind::Prompt).collect();
        line.reverse();
        line
    }
}

/// The conversation in a transcript.
pub(super) fn conversation(transcript: &Transcript) -> Conversation {
    let places = transcript.places();
    let prompts = transcript.prompts();
    let id = |place: usize| transcript.rows[place].entry_id().to_owned();
    let mut entries = Vec::new();
    for (place, row) in transcript.rows.iter().enumerate() {
        let Some(kind) = kind(row.kind) else { continue };
        let parent = row.parent.as_deref().and_then(|parent| places.get(parent)).filter(|parent| **parent < place);
        let keeps_from = summarized_from(transcript, &places, row);
        entries.push(NativeEntry {
            id: row.entry_id().to_owned(),
            prompt: prompts[place].map(id),
            prompt_before: parent.and_then(|parent| prompts[*parent]).map(id),
            role: role(row.kind).to_owned(),
            kind,
            payload: transcript.bytes[row.line.clone()].to_vec(),
            keeps_from: keeps_from.map(id),
        });
    }
    Conversation {
        entries,
        line: transcript.line(transcript.leaf()).into_iter().map(id).collect(),
        version: transcript.version.clone(),
        left_out: transcript.left_out.clone(),
    }
}

/// The first row that a summary leaves in the context: the boundary before it says so.
fn summarized_from(transcript: &Transcript, places: &HashMap<&str, usize>, row: &Row) -> Option<usize> {
    if row.kind != RowKind::Summary {
        return None;
    }
    let boundary = row.parent.as_deref().and_then(|parent| places.get(parent))?;
    let kept = transcript.rows[*boundary].keeps_from.as_deref()?;
    places.get(kept).copied().filter(|kept| kind(transcript.rows[*kept].kind).is_some())
}

fn kind(kind: RowKind) -> Option<MessageKind> {
    match kind {
        RowKind::Prompt => Some(MessageKind::Prompt),
        RowKind::Injected => Some(MessageKind::Injected),
        RowKind::ToolResult => Some(MessageKind::Tool),
        RowKind::Assistant => Some(MessageKind::Assistant),
        RowKind::Summary => Some(MessageKind::Compaction),
        RowKind::Boundary | RowKind::Other => None,
    }
}

fn role(kind: RowKind) -> &'static str {
    if kind == RowKind::Assistant { "assistant" } else { "user" }
}
