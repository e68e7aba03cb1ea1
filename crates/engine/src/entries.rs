//! Entries of the conversation that a host hands over itself, byte for byte. No barrier: no file is looked at.

use model::{MessageKind, SessionId, TurnId};
use store::Writer;

use crate::error::RecordError;
use crate::talk::{self, Said};
use crate::workspace::Workspace;

/// An entry to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewEntry<'a> {
    /// Its id; one that the session knows already adds nothing.
    pub id: &'a str,
    /// The entry it follows; none: the newest of its turn's version.
    pub parent: Option<&'a str>,
    /// The turn it belongs to; none: the one that is open.
    pub turn: Option<TurnId>,
    /// Who speaks.
    pub role: &'a str,
    /// What it is.
    pub kind: MessageKind,
    /// What it says: any bytes, given back unchanged.
    pub content: &'a [u8],
}

impl Workspace {
    /// Adds entries to a session's conversation, all of them or none.
    ///
    /// An entry of a turn that was cut away lands on the version that was left, not on the present one. Fails with
    /// nothing added if one names a turn that is not the session's. Cost: one transaction.
    pub fn append_entries(&self, session: SessionId, entries: &[NewEntry<'_>]) -> Result<(), RecordError> {
        self.note("entries", |writer| {
            writer.touch_session(session, disk::clock::now_ns())?;
            append(writer, session, entries)
        })
    }
}

fn append(writer: &mut Writer<'_>, session: SessionId, entries: &[NewEntry<'_>]) -> Result<(), RecordError> {
    let mut before = None;
    for entry in entries {
        let turn = turn_of(writer, session, entry)?;
        // What comes right after an entry of its turn follows it; finding its place anew would cost a walk to the prompt.
        let after = before.filter(|(of, _)| *of == turn).map(|(_, id)| id);
        let is_new = writer.talk_entry(session, entry.id)?.is_none();
        let said = Said {
            native: entry.id,
            parent: entry.parent.or(after),
            turn,
            role: entry.role,
            kind: entry.kind,
            payload: entry.content,
            keeps_from: None,
        };
        talk::say(writer, session, &said)?;
        before = (is_new && entry.parent.is_none()).then_some((turn, entry.id));
    }
    Ok(())
}

fn turn_of(writer: &Writer<'_>, session: SessionId, entry: &NewEntry<'_>) -> Result<Option<TurnId>, RecordError> {
    let Some(id) = entry.turn else { return Ok(writer.open_turn(session)?.map(|turn| turn.id)) };
    match writer.turn(id)? {
        Some(turn) if turn.session == session => Ok(Some(id)),
        _ => Err(RecordError::Unusable(format!("The entry `{}` names a turn of another session: {id}", entry.id))),
    }
}
