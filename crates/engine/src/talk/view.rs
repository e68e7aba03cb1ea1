//! What the next run gets, and the versions there are. Reads only.

use std::collections::BTreeSet;

use decide::talk;
use model::{HeadId, HeadKind, MessageKind, SessionId, TurnId};
use store::{EntryPlace, Head, Reader, StoreError, TalkEntry};

use crate::workspace::Workspace;

/// What the next run of a session gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextView {
    /// The session.
    pub session: SessionId,
    /// The version it is taken from; none while nothing has been said.
    pub head: Option<HeadId>,
    /// Whether that version is a cut that can still be lifted.
    pub is_staged: bool,
    /// The entries, in their order.
    pub entries: Vec<SaidView>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SaidView {
    /// Its id, as the host gave it.
    pub id: String,
    /// Who speaks.
    pub role: String,
    /// What it is.
    pub kind: MessageKind,
    /// The turn it belongs to.
    pub turn: Option<TurnId>,
    /// What it says, byte for byte.
    pub payload: Vec<u8>,
}

/// One version of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionView {
    /// Which.
    pub id: HeadId,
    /// How it came to be.
    pub kind: HeadKind,
    /// The version it branched off.
    pub parent: Option<HeadId>,
    /// Whether the session stands on it.
    pub is_selected: bool,
    /// The turns it has beyond what it shares with its parent, the oldest first.
    pub turns: Vec<TurnId>,
    /// When it was made, in nanoseconds since the epoch.
    pub made_ns: i64,
}

/// An entry as the projections see it.
#[derive(Clone)]
struct Link(TalkEntry);

impl talk::Entry for Link {
    type Id = EntryPlace;

    fn id(&self) -> EntryPlace {
        self.0.place
    }

    fn kind(&self) -> MessageKind {
        self.0.kind
    }

    fn keeps_from(&self) -> Option<EntryPlace> {
        self.0.keeps_from
    }
}

impl Workspace {
    /// The entries that the next run of a session gets, from the version it stands on.
    pub fn context(&self, session: SessionId) -> Result<ContextView, StoreError> {
        self.project(session, |chain| talk::context(&chain).into_owned())
    }

    /// Everything that was said on the version a session stands on, from the first entry on.
    pub fn transcript(&self, session: SessionId) -> Result<ContextView, StoreError> {
        self.project(session, |chain| chain)
    }

    /// The versions of a session's conversation, the oldest first.
    pub fn versions(&self, session: SessionId) -> Result<Vec<VersionView>, StoreError> {
        let reader = self.store.read()?;
        let selected = reader.selected_head(session)?.map(|head| head.id);
        let view = |head: Head| {
            Ok(VersionView {
                id: head.id,
                kind: head.kind,
                parent: head.parent,
                is_selected: Some(head.id) == selected,
                turns: own_turns(&reader, &head)?,
                made_ns: head.made_ns,
            })
        };
        reader.heads_of(session)?.into_iter().map(view).collect()
    }

    fn project(
        &self,
        session: SessionId,
        projection: impl FnOnce(Vec<Link>) -> Vec<Link>,
    ) -> Result<ContextView, StoreError> {
        let reader = self.store.read()?;
        let head = reader.selected_head(session)?;
        let chain = reader.talk_chain(head.as_ref().and_then(|head| head.tip))?;
        let chain = chain.into_iter().map(Link).collect();
        let entries = projection(chain).into_iter().map(|link| said(&reader, link.0));
        Ok(ContextView {
            session,
            is_staged: head.as_ref().is_some_and(|head| head.kind == HeadKind::Rewind && !head.is_absorbed),
            head: head.map(|head| head.id),
            entries: entries.collect::<Result<_, _>>()?,
        })
    }
}

fn said(reader: &Reader<'_>, entry: TalkEntry) -> Result<SaidView, StoreError> {
    let payload = reader.talk_payload(entry.place)?.unwrap_or_default();
    Ok(SaidView { id: entry.native, role: entry.role, kind: entry.kind, turn: entry.turn, payload })
}

fn own_turns(reader: &Reader<'_>, head: &Head) -> Result<Vec<TurnId>, StoreError> {
    let mut turns = BTreeSet::new();
    let mut next = head.tip;
    while let Some(place) = next.filter(|place| head.boundary.is_none_or(|boundary| *place > boundary)) {
        let Some(entry) = reader.talk_entry_at(place)? else { break };
        turns.extend(entry.turn);
        next = entry.parent;
    }
    Ok(turns.into_iter().collect())
}
