//! OpenCode's database: sessions, their messages and parts. Opened for reading unless a mark or a copy is to be written;
//! never made, never upgraded. A table that lacks a column that is needed is an unknown shape.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use model::MessageKind;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use serde_json::{Value, json};

use super::ids;
use crate::driver::{Conversation, DriverError, NativeEntry, Seat};

/// How long one waits for OpenCode to finish writing.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// The database, open.
pub(super) struct Database {
    pub(super) connection: Connection,
}

/// One message with its parts.
#[derive(Debug, Clone)]
pub(super) struct Message {
    pub(super) id: String,
    /// The id of its entry: who said it, and when. A fork copies messages under new ids of their own, and keeps when they
    /// were made. Of those that were made at the same time, the later ones are numbered.
    pub(super) entry_id: String,
    data: Value,
    parts: Vec<Value>,
}

/// Opens it for reading.
pub(super) fn open(seat: &Seat) -> Result<Database, DriverError> {
    open_with(seat, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Opens it for writing.
pub(super) fn open_for_writing(seat: &Seat) -> Result<Database, DriverError> {
    open_with(seat, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

fn open_with(seat: &Seat, flags: OpenFlags) -> Result<Database, DriverError> {
    ids::checked(&seat.native)?;
    let path = path(seat);
    if disk::state::size(&path).ok().flatten().is_none() {
        return Err(DriverError::NoConversation { native: seat.native.clone() });
    }
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(failed)?;
    connection.busy_timeout(BUSY_WAIT).map_err(failed)?;
    Ok(Database { connection })
}

pub(super) fn path(seat: &Seat) -> PathBuf {
    let data = seat.home.variables.get("XDG_DATA_HOME").filter(|folder| folder.starts_with('/')).map(PathBuf::from);
    data.unwrap_or_else(|| seat.home.home_folder.join(".local/share")).join("opencode/opencode.db")
}

/// What SQLite said.
pub(super) fn failed(error: rusqlite::Error) -> DriverError {
    let reason = error.to_string();
    if reason.contains("no such table") || reason.contains("no such column") {
        return DriverError::UnknownShape { reason };
    }
    DriverError::Failed { verb: "Using OpenCode's database", reason }
}

impl Database {
    /// The id of the first message that is cut away; the outer none: there is no such session.
    pub(super) fn mark(&self, session: &str) -> Result<Option<Option<String>>, DriverError> {
        let sql = "SELECT revert FROM session WHERE id = ?1";
        let row = self.connection.query_row(sql, params![session], |row| row.get::<_, Option<String>>(0)).optional();
        let mark = |text: String| {
            let value: Value = serde_json::from_str(&text).unwrap_or_default();
            value["messageID"].as_str().map(str::to_owned)
        };
        Ok(row.map_err(failed)?.map(|text| text.and_then(mark)))
    }

    fn version(&self, session: &str) -> Result<Option<String>, DriverError> {
        let sql = "SELECT version FROM session WHERE id = ?1";
        self.connection.query_row(sql, params![session], |row| row.get(0)).optional().map_err(failed)
    }

    /// The messages of a session in their order.
    pub(super) fn messages(&self, session: &str) -> Result<Vec<Message>, DriverError> {
        let mut parts: HashMap<String, Vec<Value>> = HashMap::new();
        let sql = "SELECT message_id, data FROM part WHERE session_id = ?1 ORDER BY id";
        for (message, data) in self.texts(sql, session)? {
            parts.entry(message).or_default().push(serde_json::from_str(&data).unwrap_or_default());
        }
        let sql = "SELECT id, data FROM message WHERE session_id = ?1 ORDER BY time_created, id";
        let mut times: HashMap<String, usize> = HashMap::new();
        let message = |(id, data): (String, String)| {
            let parts = parts.remove(&id).unwrap_or_default();
            let data: Value = serde_json::from_str(&data).unwrap_or_default();
            let entry_id = format!("{}-{}", role(&data), data["time"]["created"].as_i64().unwrap_or_default());
            let time = times.entry(entry_id.clone()).and_modify(|time| *time += 1).or_insert(1);
            let entry_id = if *time == 1 { entry_id } else { format!("{entry_id}-{time}") };
            Message { id, entry_id, data, parts }
        };
        Ok(self.texts(sql, session)?.into_iter().map(message).collect())
    }

    fn texts(&self, sql: &str, session: &str) -> Result<Vec<(String, String)>, DriverError> {
        let mut statement = self.connection.prepare(sql).map_err(failed)?;
        let rows = statement.query_map(params![session], |row| Ok((row.get(0)?, row.get(1)?))).map_err(failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// The conversation of a session: one line, up to its mark.
    pub(super) fn conversation(&self, session: &str) -> Result<Conversation, DriverError> {
        let mark = self.mark(session)?.ok_or_else(|| DriverError::NoConversation { native: session.to_owned() })?;
        let messages = self.messages(session)?;
        let mut conversation = Conversation { version: self.version(session)?, ..Conversation::default() };
        let mut prompt: Option<String> = None;
        let mut is_cut = false;
        let mut unknown = 0_usize;
        for message in messages {
            if message.is_being_written() {
                break;
            }
            is_cut |= mark.as_ref() == Some(&message.id);
            unknown += usize::from(!message.is_understood());
            let Some(kind) = message.kind() else { continue };
            let id = message.entry_id.clone();
            let mut prompt_before = None;
            if kind == MessageKind::Prompt {
                prompt_before = prompt.replace(id.clone());
                if !is_cut {
                    conversation.line.push(id.clone());
                }
            }
            conversation.entries.push(NativeEntry {
                id,
                prompt: prompt.clone(),
                prompt_before,
                role: message.role().to_owned(),
                kind,
                payload: json!({ "info": message.data, "parts": message.parts }).to_string().into_bytes(),
                keeps_from: None,
            });
        }
        if unknown > 0 {
            conversation
                .left_out
                .push(format!("{unknown} messages of the session are not understood in whole or in part"));
        }
        Ok(conversation)
    }
}

impl Message {
    fn role(&self) -> &str {
        role(&self.data)
    }

    /// Whether it says who speaks and when, and each of its parts what it is.
    fn is_understood(&self) -> bool {
        let is_known = matches!(self.data["role"].as_str(), Some("user" | "assistant"));
        is_known && self.data["time"]["created"].is_i64() && self.parts.iter().all(|part| part["type"].is_string())
    }

    /// Whether a human typed it.
    pub(super) fn is_prompt(&self) -> bool {
        self.kind() == Some(MessageKind::Prompt)
    }

    /// Whether its text is still to come: a message is written, or copied by a fork, before its parts are.
    fn is_being_written(&self) -> bool {
        self.role() == "user" && self.parts.is_empty()
    }

    /// What it is; none while it is still being said.
    fn kind(&self) -> Option<MessageKind> {
        let is_typed = |part: &Value| part["type"] == "text" && part["synthetic"].as_bool() != Some(true);
        match self.role() {
            "user" if self.parts.iter().any(|part| part["type"] == "compaction") => Some(MessageKind::Injected),
            "user" if self.parts.iter().any(is_typed) => Some(MessageKind::Prompt),
            "user" => Some(MessageKind::Injected),
            _ if self.data["time"]["completed"].is_null() && self.data["error"].is_null() => None,
            _ if self.data["summary"].as_bool() == Some(true) => Some(MessageKind::Compaction),
            _ => Some(MessageKind::Assistant),
        }
    }
}

/// Who speaks.
fn role(data: &Value) -> &str {
    data["role"].as_str().unwrap_or("assistant")
}
