//! Events as they came in, word for word: evidence for those who look for a fault. Bounded in number and size; nothing
//! is ever derived from them.

use model::{SessionId, WorkspacePath};
use rusqlite::{Row, params};
use serde_json::Value as Json;

use crate::columns::{number, put, take};
use crate::{Reader, StoreError, Writer};

/// One recorded event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When it came in.
    pub at_ns: i64,
    /// The session it came from, if that is known.
    pub session: Option<SessionId>,
    /// Its name.
    pub name: String,
    /// Its text, as it came; a very long one is cut.
    pub text: String,
}

/// The name of the event that says where the head of a repository moved. Events of this name can be looked up.
pub const HEAD_MOVED: &str = "head-moved";

/// How many events are kept, the newest ones.
const EVENTS_MAX: u64 = 10_000;

/// How much of one event is kept.
const EVENT_TEXT_BYTES_MAX: usize = 64 * 1024;

/// The fields of an event that may hold what a file held.
const FIELDS_WITH_CONTENT: [&str; 12] = [
    "content",
    "originalFile",
    "old_string",
    "new_string",
    "oldString",
    "newString",
    "structuredPatch",
    "patch",
    "diff",
    "output",
    "stdout",
    "stderr",
];

impl Reader<'_> {
    /// Up to `limit` recorded events, the newest first.
    pub fn events(&self, limit: u64) -> Result<Vec<Event>, StoreError> {
        let sql = "SELECT at_ns, session, name, text FROM event ORDER BY id DESC LIMIT ?1";
        self.all(sql, params![number(limit)], event)
    }

    /// The recorded events named [`HEAD_MOVED`] from this time on, oldest first. Cost does not grow with the others.
    pub fn heads_moved_since(&self, since_ns: i64) -> Result<Vec<Event>, StoreError> {
        // Word for word the condition of the index.
        let sql = "SELECT at_ns, session, name, text FROM event
            WHERE name = 'head-moved' AND at_ns >= ?1 ORDER BY at_ns, id";
        self.all(sql, params![since_ns], event)
    }
}

impl Writer<'_> {
    /// Records an event. The oldest ones go when there are too many; a very long text is cut.
    pub fn add_event(&mut self, new: &Event) -> Result<(), StoreError> {
        let text = cut(&new.text, EVENT_TEXT_BYTES_MAX);
        let id = self.insert(
            "INSERT INTO event(at_ns, session, name, text) VALUES (?1, ?2, ?3, ?4)",
            params![new.at_ns, put(&new.session), new.name, text],
        )?;
        self.run("DELETE FROM event WHERE id <= ?1", params![number(id.saturating_sub(EVENTS_MAX))])
    }
}

/// Clears what recorded events that mention one of these paths hold of any file; says how many were changed. An event
/// that cannot be read as JSON, because it was cut, loses its whole text.
pub(crate) fn scrub_events<'a>(
    writer: &mut Writer<'_>,
    paths: impl IntoIterator<Item = &'a WorkspacePath>,
) -> Result<u64, StoreError> {
    let names: Vec<String> =
        paths.into_iter().map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned()).collect();
    let texts: Vec<(u64, String)> =
        writer.all("SELECT id, text FROM event", params![], |row| Ok((take(row, 0)?, take(row, 1)?)))?;
    let mut changed = 0;
    for (id, text) in texts {
        if let Some(scrubbed) = scrubbed(&text, &names).filter(|scrubbed| *scrubbed != text) {
            writer.run("UPDATE event SET text = ?2 WHERE id = ?1", params![number(id), scrubbed])?;
            changed += 1;
        }
    }
    Ok(changed)
}

/// The text without what it holds of files; none if it mentions none of the names.
fn scrubbed(text: &str, names: &[String]) -> Option<String> {
    match serde_json::from_str::<Json>(text) {
        Ok(mut json) if mentions(&json, names) => {
            clear(&mut json);
            Some(json.to_string())
        }
        Ok(_) => None,
        Err(_) => Some(String::new()),
    }
}

fn mentions(json: &Json, names: &[String]) -> bool {
    match json {
        Json::String(text) => names.iter().any(|name| text.contains(name.as_str())),
        Json::Array(items) => items.iter().any(|item| mentions(item, names)),
        Json::Object(fields) => fields.values().any(|value| mentions(value, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

fn clear(json: &mut Json) {
    match json {
        Json::Array(items) => items.iter_mut().for_each(clear),
        Json::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                if FIELDS_WITH_CONTENT.contains(&name.as_str()) {
                    *value = Json::Null;
                } else {
                    clear(value);
                }
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

fn cut(text: &str, bytes_max: usize) -> &str {
    let end = (0..=bytes_max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event { at_ns: take(row, 0)?, session: take(row, 1)?, name: take(row, 2)?, text: take(row, 3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_mentions_the_path_loses_what_it_holds_of_files() {
        let text =
            r#"{"tool_input":{"file_path":"/w/.env","content":"TOKEN"},"tool_response":{"file":{"content":"T"}}}"#;
        let scrubbed = scrubbed(text, &[".env".to_owned()]).unwrap();
        assert!(!scrubbed.contains("TOKEN") && scrubbed.contains("/w/.env"), "{scrubbed}");
        assert_eq!(super::scrubbed(text, &["other".to_owned()]), None);
    }

    #[test]
    fn a_cut_event_that_cannot_be_read_loses_everything() {
        assert_eq!(scrubbed(r#"{"content":"TOK"#, &[".env".to_owned()]), Some(String::new()));
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("aé", 2), "a");
        assert_eq!(cut("aé", 3), "aé");
    }
}
