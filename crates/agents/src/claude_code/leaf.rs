//! Which row of the tree the client would go on from. The client notes it in records of its own, and keeps to such a note
//! as long as no newer row says otherwise.

use serde_json::Value;

use super::row::Row;
use super::transcript::Transcript;

/// What the client noted last of where the conversation stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) enum Note {
    /// Nothing that still counts.
    #[default]
    Nothing,
    /// It is empty.
    Empty,
    /// It ends with a row.
    Row {
        /// The row's id, which may name nothing.
        uuid: String,
        /// Whether it holds although newer rows follow from that row.
        is_binding: bool,
    },
}

impl Note {
    /// Takes in a record of the client; says whether it was a note.
    pub(super) fn take(&mut self, value: &Value) -> bool {
        if value["type"] != "last-prompt" {
            return false;
        }
        let is_explicit = value["explicit"].as_bool() == Some(true);
        match value.get("leafUuid") {
            Some(Value::String(uuid)) if !uuid.is_empty() => {
                let is_binding = is_explicit || *self == Self::Row { uuid: uuid.clone(), is_binding: true };
                *self = Self::Row { uuid: uuid.clone(), is_binding };
            }
            Some(Value::Null) if is_explicit => *self = Self::Empty,
            _ => {}
        }
        true
    }

    /// A row was written after the note.
    pub(super) fn meet(&mut self, row: &Row) {
        match self {
            _ if row.is_boundary() => *self = Self::Nothing,
            Self::Row { is_binding, .. } => *is_binding = false,
            Self::Empty | Self::Nothing => *self = Self::Nothing,
        }
    }
}

/// The place of the row the client would go on from; none for an empty conversation.
pub(super) fn active_leaf(transcript: &Transcript) -> Option<usize> {
    let newest = transcript.rows.len().checked_sub(1);
    match &transcript.note {
        Note::Empty => None,
        Note::Nothing => newest,
        // A name of no row is written when a rewind is followed by a prompt: that prompt is the newest.
        Note::Row { uuid, is_binding } => match transcript.places.get(uuid).copied() {
            Some(place) if *is_binding || !newest.is_some_and(|row| descends_from(&transcript.rows, row, place)) => {
                Some(place)
            }
            _ => newest,
        },
    }
}

/// Parents stand before their children, so that the way up comes to an end.
fn descends_from(rows: &[Row], row: usize, ancestor: usize) -> bool {
    let mut at = Some(row);
    while let Some(place) = at.filter(|place| *place > ancestor) {
        at = rows[place].parent;
    }
    at == Some(ancestor)
}
