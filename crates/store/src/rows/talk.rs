//! The conversation: entries that are only ever added, heads that name their tips, and for each session the head that is
//! selected. What a rewind means is not known here.

use model::{HeadId, HeadKind, MessageKind, OperationId, SessionId, TurnId};
use rusqlite::{Row, params};

use crate::columns::{Coded, number, put, take};
use crate::{Reader, StoreError, Writer};

/// The place of an entry among all entries of the workspace; later entries have greater places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryPlace(pub u64);

/// One entry, without what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TalkEntry {
    /// Where it is.
    pub place: EntryPlace,
    /// The session it was said in.
    pub session: SessionId,
    /// Its id, as the host gave it.
    pub native: String,
    /// The entry it follows; none for the first.
    pub parent: Option<EntryPlace>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// Who speaks.
    pub role: String,
    /// What it is.
    pub kind: MessageKind,
    /// For a compaction: the first entry before it that stays in the context.
    pub keeps_from: Option<EntryPlace>,
}

/// An entry to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTalkEntry<'a> {
    /// The session it is said in.
    pub session: SessionId,
    /// Its id, as the host gave it.
    pub native: &'a str,
    /// The entry it follows; none for the first.
    pub parent: Option<EntryPlace>,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// Who speaks.
    pub role: &'a str,
    /// What it is.
    pub kind: MessageKind,
    /// What it says, byte for byte.
    pub payload: &'a [u8],
    /// For a compaction: the first entry before it that stays in the context.
    pub keeps_from: Option<EntryPlace>,
}

/// A named tip; a version of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Which.
    pub id: HeadId,
    /// Whose.
    pub session: SessionId,
    /// How it came to be.
    pub kind: HeadKind,
    /// Its newest entry; none while nothing has been said.
    pub tip: Option<EntryPlace>,
    /// The head it branched off.
    pub parent: Option<HeadId>,
    /// Where it branched off: the last entry it shares with its parent.
    pub boundary: Option<EntryPlace>,
    /// The operation that made it, by taking turns back.
    pub operation: Option<OperationId>,
    /// Whether a turn has completed on it, so that it cannot be lifted any more.
    pub is_absorbed: bool,
    /// Whether the user has put it away; its entries stay.
    pub is_retired: bool,
    /// When it was made.
    pub made_ns: i64,
}

/// A head to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewHead {
    /// Whose.
    pub session: SessionId,
    /// How it came to be.
    pub kind: HeadKind,
    /// The head it branches off.
    pub parent: Option<HeadId>,
    /// Where it branches off; also its first tip.
    pub boundary: Option<EntryPlace>,
    /// The operation that makes it, by taking turns back.
    pub operation: Option<OperationId>,
    /// When it is made.
    pub made_ns: i64,
}

impl Coded for MessageKind {
    const WHAT: &'static str = "the kind of an entry";
    const ALL: &'static [Self] = &MessageKind::ALL;

    fn code(self) -> &'static str {
        self.code()
    }
}

impl Coded for HeadKind {
    const WHAT: &'static str = "the kind of a head";
    const ALL: &'static [Self] = &HeadKind::ALL;

    fn code(self) -> &'static str {
        self.code()
    }
}

const ENTRY: &str = "place, session, native, parent, turn, role, kind, keeps_from";
const HEAD: &str = "id, session, kind, tip, parent, boundary, operation, is_absorbed, is_retired, made_ns";

impl Reader<'_> {
    /// The entry with this id in a session.
    pub fn talk_entry(&self, session: SessionId, native: &str) -> Result<Option<TalkEntry>, StoreError> {
        let sql = format!("SELECT {ENTRY} FROM talk_entry WHERE session = ?1 AND native = ?2");
        self.one(&sql, params![put(&session), native], entry)
    }

    /// The entry at a place.
    pub fn talk_entry_at(&self, place: EntryPlace) -> Result<Option<TalkEntry>, StoreError> {
        self.one(&format!("SELECT {ENTRY} FROM talk_entry WHERE place = ?1"), params![number(place.0)], entry)
    }

    /// What an entry says, byte for byte.
    pub fn talk_payload(&self, place: EntryPlace) -> Result<Option<Vec<u8>>, StoreError> {
        self.one("SELECT payload FROM talk_entry WHERE place = ?1", params![number(place.0)], |row| row.get(0))
    }

    /// All entries from the first to this one, in their order. Cost grows with their number.
    pub fn talk_chain(&self, tip: Option<EntryPlace>) -> Result<Vec<TalkEntry>, StoreError> {
        let sql = "WITH RECURSIVE chain(place, parent) AS (
                SELECT place, parent FROM talk_entry WHERE place = ?1
                UNION ALL
                SELECT e.place, e.parent FROM talk_entry e JOIN chain c ON e.place = c.parent)
            SELECT e.place, e.session, e.native, e.parent, e.turn, e.role, e.kind, e.keeps_from
                FROM chain c JOIN talk_entry e ON e.place = c.place ORDER BY e.place";
        match tip {
            Some(tip) => self.all(sql, params![number(tip.0)], entry),
            None => Ok(Vec::new()),
        }
    }

    /// A head.
    pub fn head(&self, id: HeadId) -> Result<Option<Head>, StoreError> {
        self.one(&format!("SELECT {HEAD} FROM talk_head WHERE id = ?1"), params![put(&id)], head)
    }

    /// The heads of a session, the oldest first.
    pub fn heads_of(&self, session: SessionId) -> Result<Vec<Head>, StoreError> {
        let sql = format!("SELECT {HEAD} FROM talk_head WHERE session = ?1 ORDER BY id");
        self.all(&sql, params![put(&session)], head)
    }

    /// The head that an operation made.
    pub fn head_of_operation(&self, operation: OperationId) -> Result<Option<Head>, StoreError> {
        let sql = format!("SELECT {HEAD} FROM talk_head WHERE operation = ?1");
        self.one(&sql, params![put(&operation)], head)
    }

    /// The head that is selected in a session; none if nothing has been said in it.
    pub fn selected_head(&self, session: SessionId) -> Result<Option<Head>, StoreError> {
        let sql =
            format!("SELECT {HEAD} FROM talk_head WHERE id = (SELECT head FROM talk_selected WHERE session = ?1)");
        self.one(&sql, params![put(&session)], head)
    }
}

impl Writer<'_> {
    /// Adds an entry; it is on no head yet.
    pub fn add_talk_entry(&mut self, new: &NewTalkEntry<'_>) -> Result<EntryPlace, StoreError> {
        let place = self.insert(
            "INSERT INTO talk_entry(session, native, parent, turn, role, kind, payload, keeps_from)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            params![
                put(&new.session),
                new.native,
                new.parent.map(|place| number(place.0)),
                put(&new.turn),
                new.role,
                put(&new.kind),
                new.payload,
                new.keeps_from.map(|place| number(place.0))
            ],
        )?;
        Ok(EntryPlace(place))
    }

    /// Adds a head whose tip is where it branches off.
    pub fn add_head(&mut self, new: &NewHead) -> Result<HeadId, StoreError> {
        let id = self.insert(
            "INSERT INTO talk_head(session, kind, tip, parent, boundary, operation, is_absorbed, made_ns)
                VALUES (?1, ?2, ?3, ?4, ?3, ?5, 0, ?6)",
            params![
                put(&new.session),
                put(&new.kind),
                new.boundary.map(|place| number(place.0)),
                put(&new.parent),
                put(&new.operation),
                new.made_ns
            ],
        )?;
        Ok(HeadId(id))
    }

    /// Moves the tip of a head.
    pub fn set_tip(&mut self, id: HeadId, tip: EntryPlace) -> Result<(), StoreError> {
        self.run("UPDATE talk_head SET tip = ?2 WHERE id = ?1", params![put(&id), number(tip.0)])
    }

    /// Notes that a turn has completed on a head.
    pub fn absorb_head(&mut self, id: HeadId) -> Result<(), StoreError> {
        self.run("UPDATE talk_head SET is_absorbed = 1 WHERE id = ?1", params![put(&id)])
    }

    /// Puts a head away, or takes it out again.
    pub fn retire_head(&mut self, id: HeadId, is_retired: bool) -> Result<(), StoreError> {
        let sql = "UPDATE talk_head SET is_retired = ?2 WHERE id = ?1";
        self.run(sql, params![put(&id), put(&is_retired)])
    }

    /// Selects a head of a session.
    pub fn select_head(&mut self, session: SessionId, head: HeadId) -> Result<(), StoreError> {
        let sql = "INSERT OR REPLACE INTO talk_selected(session, head) VALUES (?1, ?2)";
        self.run(sql, params![put(&session), put(&head)])
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<TalkEntry> {
    Ok(TalkEntry {
        place: take_place(row, 0)?,
        session: take(row, 1)?,
        native: row.get(2)?,
        parent: take_optional_place(row, 3)?,
        turn: take(row, 4)?,
        role: row.get(5)?,
        kind: take(row, 6)?,
        keeps_from: take_optional_place(row, 7)?,
    })
}

fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head {
        id: take(row, 0)?,
        session: take(row, 1)?,
        kind: take(row, 2)?,
        tip: take_optional_place(row, 3)?,
        parent: take(row, 4)?,
        boundary: take_optional_place(row, 5)?,
        operation: take(row, 6)?,
        is_absorbed: take(row, 7)?,
        is_retired: take(row, 8)?,
        made_ns: row.get(9)?,
    })
}

fn take_place(row: &Row<'_>, at: usize) -> rusqlite::Result<EntryPlace> {
    row.get::<_, i64>(at).map(|place| EntryPlace(place.cast_unsigned()))
}

fn take_optional_place(row: &Row<'_>, at: usize) -> rusqlite::Result<Option<EntryPlace>> {
    Ok(row.get::<_, Option<i64>>(at)?.map(|place| EntryPlace(place.cast_unsigned())))
}
