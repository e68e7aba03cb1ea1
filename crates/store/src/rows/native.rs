//! Conversations as agents keep them themselves: which of them belong to a session, which version each stands on, and
//! how far each was read. What they say is in the agents' own files.

use model::{HeadId, SessionId};
use rusqlite::{Row, params};

use crate::columns::{number, put, take};
use crate::{Reader, StoreError, Writer};

/// One conversation as an agent keeps it itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NativeTalk {
    /// Which agent.
    pub agent: String,
    /// The agent's own id of it.
    pub native: String,
    /// The session it belongs to.
    pub session: SessionId,
    /// The path of its file, as bytes.
    pub transcript: Option<Vec<u8>>,
    /// The version of the agent that wrote it last.
    pub version: Option<String>,
    /// The version of the session's conversation that it stands on.
    pub head: Option<HeadId>,
    /// The newest prompt on its line when it was read last.
    pub tip_prompt: Option<String>,
    /// The size of its file when it was read last.
    pub read_bytes: u64,
    /// Whether its form is understood.
    pub is_readable: bool,
}

const COLUMNS: &str = "agent, native, session, transcript, version, head, tip_prompt, read_bytes, is_readable";

impl Reader<'_> {
    /// The conversation with this id of the agent's own.
    pub fn native_talk(&self, agent: &str, native: &str) -> Result<Option<NativeTalk>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM native_talk WHERE agent = ?1 AND native = ?2");
        self.one(&sql, params![agent, native], native_talk)
    }

    /// All conversations, the oldest first.
    pub fn native_talks(&self) -> Result<Vec<NativeTalk>, StoreError> {
        self.all(&format!("SELECT {COLUMNS} FROM native_talk ORDER BY id"), params![], native_talk)
    }

    /// All conversations of a session, the oldest first.
    pub fn native_talks_of(&self, session: SessionId) -> Result<Vec<NativeTalk>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM native_talk WHERE session = ?1 ORDER BY id");
        self.all(&sql, params![put(&session)], native_talk)
    }

    /// The newest conversation that stands on a version.
    pub fn native_talk_of_head(&self, head: HeadId) -> Result<Option<NativeTalk>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM native_talk WHERE head = ?1 ORDER BY id DESC LIMIT 1");
        self.one(&sql, params![put(&head)], native_talk)
    }
}

impl Writer<'_> {
    /// Notes what is known of a conversation now. One that is known keeps its age.
    pub fn put_native_talk(&mut self, talk: &NativeTalk) -> Result<(), StoreError> {
        self.run(
            "INSERT INTO native_talk(agent, native, session, transcript, version, head, tip_prompt, read_bytes, is_readable)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
                ON CONFLICT(agent, native) DO UPDATE SET session = ?3, transcript = ?4, version = ?5, head = ?6,
                    tip_prompt = ?7, read_bytes = ?8, is_readable = ?9",
            params![
                talk.agent,
                talk.native,
                put(&talk.session),
                talk.transcript,
                talk.version,
                put(&talk.head),
                talk.tip_prompt,
                number(talk.read_bytes),
                put(&talk.is_readable)
            ],
        )
    }
}

fn native_talk(row: &Row<'_>) -> rusqlite::Result<NativeTalk> {
    Ok(NativeTalk {
        agent: row.get(0)?,
        native: row.get(1)?,
        session: take(row, 2)?,
        transcript: row.get(3)?,
        version: row.get(4)?,
        head: take(row, 5)?,
        tip_prompt: row.get(6)?,
        read_bytes: row.get::<_, i64>(7)?.cast_unsigned(),
        is_readable: take(row, 8)?,
    })
}
