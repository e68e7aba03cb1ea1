//! What the next run gets, and the versions there are. Reads only.

use std::collections::BTreeSet;

use decide::talk;
use model::{CheckpointId, HeadId, HeadKind, MessageKind, OperationId, SessionId, TurnId};
use store::{EntryPlace, Head, Reader, StoreError, TalkEntry};

use crate::history::{PathChange, changes};
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
    /// The checkpoint at which its newest turn ended; files can be taken over from there.
    pub checkpoint: Option<CheckpointId>,
    /// When it was made, in nanoseconds since the epoch.
    pub made_ns: i64,
}

/// How two versions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionDiff {
    /// The last entry both have.
    pub common: Option<String>,
    /// What only the first has.
    pub first: VersionSide,
    /// What only the second has.
    pub second: VersionSide,
}

/// What only one of two versions has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionSide {
    /// Its entries, in their order.
    pub entries: Vec<SaidView>,
    /// What its turns did to files.
    pub files: Vec<PathChange>,
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
                checkpoint: checkpoint_of(&reader, &head)?,
                turns: own_turns(&reader, &head)?,
                made_ns: head.made_ns,
            })
        };
        let listed = reader.heads_of(session)?.into_iter().filter(|head| !head.is_retired);
        listed.map(view).collect()
    }

    /// How two versions of a session differ; none if one of them is not a version of it.
    pub fn diff_versions(
        &self,
        session: SessionId,
        first: HeadId,
        second: HeadId,
    ) -> Result<Option<VersionDiff>, StoreError> {
        let reader = self.store.read()?;
        let is_its_own = |head: &Head| head.session == session;
        let (first, second) = (reader.head(first)?.filter(is_its_own), reader.head(second)?.filter(is_its_own));
        let (Some(first), Some(second)) = (first, second) else { return Ok(None) };
        let (one, other) = (reader.talk_chain(first.tip)?, reader.talk_chain(second.tip)?);
        let shared = one.iter().zip(&other).take_while(|(one, other)| one.place == other.place).count();
        Ok(Some(VersionDiff {
            common: shared.checked_sub(1).map(|at| one[at].native.clone()),
            first: side(&reader, &one[shared..])?,
            second: side(&reader, &other[shared..])?,
        }))
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

fn side(reader: &Reader<'_>, chain: &[TalkEntry]) -> Result<VersionSide, StoreError> {
    let turns: BTreeSet<TurnId> = chain.iter().filter_map(|entry| entry.turn).collect();
    let mut transitions = Vec::new();
    for turn in turns {
        transitions.extend(reader.transitions_of_turn(turn)?);
    }
    transitions.sort_by_key(|transition| transition.seq);
    let entries = chain.iter().map(|entry| said(reader, entry.clone()));
    Ok(VersionSide { entries: entries.collect::<Result<_, _>>()?, files: changes(transitions) })
}

fn checkpoint_of(reader: &Reader<'_>, head: &Head) -> Result<Option<CheckpointId>, StoreError> {
    let entry = head.tip.map(|tip| reader.talk_entry_at(tip)).transpose()?.flatten();
    let turn = entry.and_then(|entry| entry.turn).map(|turn| reader.turn(turn)).transpose()?.flatten();
    Ok(turn.and_then(|turn| turn.closed_at))
}

fn said(reader: &Reader<'_>, entry: TalkEntry) -> Result<SaidView, StoreError> {
    let payload = reader.talk_payload(entry.place)?.unwrap_or_default();
    Ok(SaidView { id: entry.native, role: entry.role, kind: entry.kind, turn: entry.turn, payload })
}

/// The turns on the chain that ends at a tip: those whose prompt is on it, and of those without a prompt all that have
/// said anything on it. A late answer alone brings no turn onto a version.
pub(crate) fn turns_on(reader: &Reader<'_>, tip: Option<EntryPlace>) -> Result<BTreeSet<TurnId>, StoreError> {
    let chain = reader.talk_chain(tip)?;
    let prompted = chain.iter().filter(|entry| entry.kind == MessageKind::Prompt).filter_map(|entry| entry.turn);
    let mut turns: BTreeSet<TurnId> = prompted.collect();
    let speaking: BTreeSet<TurnId> = chain.iter().filter_map(|entry| entry.turn).collect();
    for turn in speaking {
        if reader.turn(turn)?.is_some_and(|row| row.prompt.is_none()) {
            turns.insert(turn);
        }
    }
    Ok(turns)
}

/// The turns that were begun on the cut an operation made, up to a checkpoint.
pub(crate) fn turns_begun_on_cut(
    reader: &Reader<'_>,
    operation: OperationId,
    until: CheckpointId,
) -> Result<Vec<TurnId>, StoreError> {
    let Some(head) = reader.head_of_operation(operation)? else { return Ok(Vec::new()) };
    let mut turns = Vec::new();
    for prompt in own_entries(reader, &head)?.into_iter().filter(|entry| entry.kind == MessageKind::Prompt) {
        let turn = prompt.turn.map(|turn| reader.turn(turn)).transpose()?.flatten();
        turns.extend(turn.filter(|turn| turn.opened_at <= until).map(|turn| turn.id));
    }
    Ok(turns)
}

pub(super) fn own_turns(reader: &Reader<'_>, head: &Head) -> Result<Vec<TurnId>, StoreError> {
    let turns: BTreeSet<TurnId> = own_entries(reader, head)?.into_iter().filter_map(|entry| entry.turn).collect();
    Ok(turns.into_iter().collect())
}

/// What a version has beyond its boundary, the newest first.
fn own_entries(reader: &Reader<'_>, head: &Head) -> Result<Vec<TalkEntry>, StoreError> {
    let mut entries = Vec::new();
    let mut next = head.tip;
    while let Some(place) = next.filter(|place| head.boundary.is_none_or(|boundary| *place > boundary)) {
        let Some(entry) = reader.talk_entry_at(place)? else { break };
        next = entry.parent;
        entries.push(entry);
    }
    Ok(entries)
}
