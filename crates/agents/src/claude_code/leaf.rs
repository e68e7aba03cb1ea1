//! Which row of the tree the client would go on from. The client notes it in records of its own; rows that were written
//! after such a record and descend from its row move it on.

use std::collections::HashMap;

use serde_json::Value;

use super::row::Row;

/// A record in which the client notes where the conversation stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    /// How many rows were there before it.
    pub(super) rows_before: usize,
    /// The row it names; none for an empty conversation.
    pub(super) leaf: Option<String>,
}

/// The steps one looks up from a row to find out whether it descends from the leaf.
const STEPS_MAX: usize = 4_096;

impl Note {
    /// The note in a record; none if it is another kind of record.
    pub(super) fn of(rows_before: usize, value: &Value) -> Option<Self> {
        if value["type"] != "last-prompt" || value.get("leafUuid").is_none() {
            return None;
        }
        let leaf = value["leafUuid"].as_str().map(str::to_owned);
        Some(Self { rows_before, leaf })
    }
}

/// The place of the row the client would go on from; none for an empty conversation.
pub(super) fn active_leaf(rows: &[Row], places: &HashMap<&str, usize>, notes: &[Note]) -> Option<usize> {
    let Some(note) = notes.last() else { return rows.len().checked_sub(1) };
    match &note.leaf {
        None => newest_descendant(rows, places, None, note.rows_before),
        Some(leaf) => match places.get(leaf.as_str()) {
            Some(place) => newest_descendant(rows, places, Some(*place), note.rows_before),
            // It names no row, as the client does when the whole conversation was rewound: the newest row counts.
            None => rows.len().checked_sub(1),
        },
    }
}

/// Follows rows from `from` on that hang on the leaf.
fn newest_descendant(rows: &[Row], places: &HashMap<&str, usize>, leaf: Option<usize>, from: usize) -> Option<usize> {
    let mut current = leaf;
    for place in from..rows.len() {
        let is_next = match current {
            None => true,
            Some(current) => descends_from(rows, places, place, current),
        };
        if is_next {
            current = Some(place);
        }
    }
    current
}

fn descends_from(rows: &[Row], places: &HashMap<&str, usize>, row: usize, ancestor: usize) -> bool {
    let mut at = row;
    for _ in 0..STEPS_MAX {
        let Some(parent) = rows[at].parent.as_deref().and_then(|parent| places.get(parent)) else { return false };
        if *parent == ancestor {
            return true;
        }
        // A parent is written before its children; anything else is a circle.
        if *parent >= at || *parent < ancestor {
            return false;
        }
        at = *parent;
    }
    false
}
