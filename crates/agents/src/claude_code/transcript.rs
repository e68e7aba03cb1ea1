//! The transcript as a tree of rows, and the conversation that follows from it. Lines that are torn, too long or not
//! understood are left out and counted; messages without an id, and versions nobody has seen, make the shape unknown.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use model::MessageKind;
use serde_json::Value;

use super::forked;
use super::leaf::{Note, active_leaf};
use super::place;
use super::row::{self, Row, RowKind};
use crate::driver::{Conversation, DriverError, NativeEntry, Seat};

/// A line longer than this is left out.
const LINE_BYTES_MAX: usize = 64 << 20;

/// The newest major version whose transcripts are known.
const MAJOR_VERSION_MAX: u64 = 2;

/// How lines begin that are many, long, and no part of the tree.
const NO_ROWS: [&[u8]; 2] = [b"{\"type\":\"api-request", b"{\"type\":\"file-history-"];

/// A transcript, read.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// The rows of the conversation, in the order of the file.
    pub(super) rows: Vec<Row>,
    /// The places of the rows by their ids. A record between rows that is none itself stands for the row it follows.
    pub(super) places: HashMap<String, usize>,
    /// Where the client noted that the conversation stands.
    pub(super) note: Note,
    /// The version that wrote its last row.
    pub(super) version: Option<String>,
    /// What was left out.
    pub(super) left_out: Vec<String>,
}

/// Reads the transcript of a seat.
pub(super) fn read(seat: &Seat) -> Result<Transcript, DriverError> {
    let path = place::transcript(seat)?;
    let failed =
        |error: disk::DiskError| DriverError::Failed { verb: "Reading the transcript", reason: error.to_string() };
    let bytes = disk::state::read(&path).map_err(failed)?;
    let bytes = bytes.ok_or_else(|| DriverError::NoConversation { native: seat.native.clone() })?;
    parse(bytes, path.parent().unwrap_or(Path::new("/")))
}

/// Takes a transcript apart. Others of the same folder are looked into where it was branched off them.
pub(super) fn parse(bytes: Vec<u8>, folder: &Path) -> Result<Transcript, DriverError> {
    let mut transcript = parse_alone(bytes)?;
    forked::name_prompts(&mut transcript, folder);
    Ok(transcript)
}

/// The same without a look into others.
pub(super) fn parse_alone(bytes: Vec<u8>) -> Result<Transcript, DriverError> {
    let mut transcript = Transcript::default();
    let mut unreadable = 0_usize;
    let mut start = 0;
    for line in bytes.split(|byte| *byte == b'\n') {
        let range = start..start + line.len();
        start = range.end + 1;
        if line.is_empty() || NO_ROWS.iter().any(|beginning| line.starts_with(beginning)) {
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

impl Transcript {
    fn take(&mut self, line: Range<usize>, value: &Value) -> Result<(), DriverError> {
        if self.note.take(value) || value["isSidechain"].as_bool() == Some(true) {
            return Ok(());
        }
        self.look_at_version(value)?;
        match Row::of(line, value, &self.places) {
            Some(row) if self.places.contains_key(&row.uuid) => {}
            Some(row) => {
                self.note.meet(&row);
                self.places.insert(row.uuid.clone(), self.rows.len());
                self.rows.push(row);
            }
            None if matches!(value["type"].as_str(), Some("user" | "assistant")) => {
                return Err(DriverError::UnknownShape { reason: "a message has no id".to_owned() });
            }
            None => self.pass_over(value),
        }
        Ok(())
    }

    fn look_at_version(&mut self, value: &Value) -> Result<(), DriverError> {
        let Some(version) = value["version"].as_str() else { return Ok(()) };
        let major = version.split('.').next().and_then(|major| major.parse::<u64>().ok());
        if major.is_some_and(|major| major > MAJOR_VERSION_MAX) {
            return Err(DriverError::UnknownShape { reason: format!("version {version} wrote it") });
        }
        self.version = Some(version.to_owned());
        Ok(())
    }

    /// What follows a record that is no row follows the row before it.
    fn pass_over(&mut self, value: &Value) {
        if let (Some(uuid), Some(parent)) = (row::text(value, "uuid"), row::parent(value, &self.places)) {
            self.places.entry(uuid).or_insert(parent);
        }
    }

    /// The place of the row the client would go on from.
    pub(super) fn leaf(&self) -> Option<usize> {
        active_leaf(self)
    }

    /// The places from a row up to the first, across compactions.
    pub(super) fn chain(&self, from: Option<usize>) -> Vec<usize> {
        std::iter::successors(from, |place| self.rows[*place].parent).collect()
    }

    /// For every row the place of the prompt it belongs to.
    pub(super) fn prompts(&self) -> Vec<Option<usize>> {
        let mut prompts: Vec<Option<usize>> = Vec::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            let inherited = row.parent.and_then(|parent| prompts[parent]);
            prompts.push(if row.is_prompt() { Some(place) } else { inherited });
        }
        prompts
    }

    /// The prompts on the line that ends at a row, the oldest first.
    pub(super) fn line(&self, leaf: Option<usize>) -> Vec<usize> {
        let mut line = self.chain(leaf);
        line.retain(|place| self.rows[*place].is_prompt());
        line.reverse();
        line
    }
}

/// The conversation in a transcript.
pub(super) fn conversation(transcript: &Transcript) -> Conversation {
    let prompts = transcript.prompts();
    let kept = kept_rows(transcript);
    let id = |place: usize| transcript.rows[place].entry_id().to_owned();
    let entry = |(place, row): (usize, &Row)| {
        Some(NativeEntry {
            id: row.entry_id().to_owned(),
            prompt: prompts[place].map(id),
            prompt_before: row.parent.and_then(|parent| prompts[parent]).map(id),
            role: role(row.kind).to_owned(),
            kind: kind(row.kind)?,
            payload: transcript.bytes[row.line.clone()].to_vec(),
            keeps_from: kept_by_summary(&kept, row).map(id),
        })
    };
    Conversation {
        entries: transcript.rows.iter().enumerate().filter_map(entry).collect(),
        line: transcript.line(transcript.leaf()).into_iter().map(id).collect(),
        version: transcript.version.clone(),
        left_out: transcript.left_out.clone(),
    }
}

/// For each boundary the first row before it that stays in the context, if it is one of the conversation.
fn kept_rows(transcript: &Transcript) -> HashMap<usize, usize> {
    let is_said = |place: &&usize| kind(transcript.rows[**place].kind).is_some();
    let boundaries = transcript.rows.iter().enumerate().filter(|(_, row)| row.is_boundary());
    boundaries.filter_map(|(place, row)| Some((place, *row.preserved.iter().find(is_said)?))).collect()
}

/// The first row that a summary leaves in the context: the boundary before it says so.
fn kept_by_summary(kept: &HashMap<usize, usize>, row: &Row) -> Option<usize> {
    let boundary = row.parent.filter(|_| row.kind == RowKind::Summary)?;
    kept.get(&boundary).copied()
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
