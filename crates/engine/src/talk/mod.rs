//! The conversation half: where an entry lands, how a cut is staged, lifted and absorbed, and what the next run gets.
//! It works on rows alone and never looks at a file of the workspace.

mod cut;
mod fork;
mod lies;
mod plan;
mod retire;
mod view;

use model::{HeadKind, MessageKind, SessionId, TurnId};
use store::{EntryPlace, Head, NewHead, NewTalkEntry, Reader, StoreError, TalkEntry, Turn, Writer};

pub(crate) use cut::{Cut, absorb, effects_note, find_cut, has_informed, inform, lift, stage};
pub use fork::Forked;
use fork::end_of;
pub(crate) use plan::{TalkPlan, meant, out_of_reach, talk_plan, within_reach};
pub use retire::{OwnTurns, RetireError};
pub use view::{ContextView, SaidView, VersionDiff, VersionSide, VersionView};
pub(crate) use view::{turns_begun_on_cut, turns_on};

/// Something that was said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Said<'a> {
    /// Its id, as the host gave it.
    pub(crate) native: &'a str,
    /// The entry it follows; none: the newest.
    pub(crate) parent: Option<&'a str>,
    /// The turn it belongs to.
    pub(crate) turn: Option<TurnId>,
    /// Who speaks.
    pub(crate) role: &'a str,
    /// What it is.
    pub(crate) kind: MessageKind,
    /// What it says.
    pub(crate) payload: &'a [u8],
    /// For a compaction: the first entry that stays in the context.
    pub(crate) keeps_from: Option<&'a str>,
}

/// Adds an entry where it belongs; an id that the session knows, its own or inherited, adds nothing.
pub(crate) fn say(writer: &mut Writer<'_>, session: SessionId, said: &Said<'_>) -> Result<(), StoreError> {
    if writer.talk_entry(session, said.native)?.is_some() || has_inherited(writer, session, said.native)? {
        return Ok(());
    }
    let head = head_for(writer, session, said)?;
    say_on(writer, session, &head, said).map(|_| ())
}

/// Adds an entry at the tip of a version, whatever it says of its parent. Its id must be new. Returns its place.
pub(crate) fn say_on(
    writer: &mut Writer<'_>,
    session: SessionId,
    head: &Head,
    said: &Said<'_>,
) -> Result<EntryPlace, StoreError> {
    let keeps_from = match said.keeps_from {
        Some(native) => entry_in_line(writer, session, native)?.map(|entry| entry.place),
        None => None,
    };
    let place = writer.add_talk_entry(&NewTalkEntry {
        session,
        native: said.native,
        parent: head.tip,
        turn: said.turn,
        role: said.role,
        kind: said.kind,
        payload: said.payload,
        keeps_from,
    })?;
    writer.set_tip(head.id, place)?;
    Ok(place)
}

/// The head that is selected in a session; its first one is made if there is none.
pub(crate) fn selected(writer: &mut Writer<'_>, session: SessionId) -> Result<Head, StoreError> {
    match writer.selected_head(session)? {
        Some(head) => Ok(head),
        None => begin(writer, session, HeadKind::Main, None),
    }
}

/// Makes the first head of a session that branches off another, at the tip of the other's selected one.
pub(crate) fn branch_off(writer: &mut Writer<'_>, parent: SessionId, child: SessionId) -> Result<(), StoreError> {
    match writer.selected_head(parent)? {
        Some(head) => begin(writer, child, HeadKind::Fork, Some(&head)).map(|_| ()),
        None => Ok(()),
    }
}

/// Makes the first head of a session that branches off another at the end of one of the other's turns.
pub(crate) fn branch_off_after(writer: &mut Writer<'_>, last: &Turn, child: SessionId) -> Result<(), StoreError> {
    let Some(prompt) = prompt_entry(writer, last)? else { return Ok(()) };
    let Some(head) = lies::newest_with(writer, last.session, &prompt)? else { return Ok(()) };
    let tip = end_of(writer, &head, last.id)?.or(Some(prompt.place));
    begin(writer, child, HeadKind::Fork, Some(&Head { tip, ..head })).map(|_| ())
}

/// The id of the entry that a prompt makes: the host's own, or one of ours.
pub(crate) fn prompt_entry_id(turn: &Turn) -> String {
    turn.prompt_id.clone().unwrap_or_else(|| own_entry_id(turn))
}

/// The same for a prompt that has none yet: one of ours also where something that the session inherited has the host's.
pub(crate) fn new_prompt_entry_id(reader: &Reader<'_>, turn: &Turn) -> Result<String, StoreError> {
    let id = prompt_entry_id(turn);
    Ok(if has_inherited(reader, turn.session, &id)? { own_entry_id(turn) } else { id })
}

/// The entry of the prompt that opened a turn.
pub(crate) fn prompt_entry(reader: &Reader<'_>, turn: &Turn) -> Result<Option<TalkEntry>, StoreError> {
    match reader.talk_entry(turn.session, &prompt_entry_id(turn))? {
        Some(entry) => Ok(Some(entry)),
        None => reader.talk_entry(turn.session, &own_entry_id(turn)),
    }
}

fn own_entry_id(turn: &Turn) -> String {
    format!("takeback-{}", turn.id)
}

/// Whether a session inherited an entry with this id when it branched off.
fn has_inherited(reader: &Reader<'_>, session: SessionId, native: &str) -> Result<bool, StoreError> {
    let Some(entry) = entry_in_line(reader, session, native)?.filter(|entry| entry.session != session) else {
        return Ok(false);
    };
    // What an ancestor went on to say after this session had branched off is not part of it.
    match reader.heads_of(session)?.first() {
        Some(first) => lies::lies_on(reader, first, &entry),
        None => Ok(false),
    }
}

fn begin(writer: &mut Writer<'_>, session: SessionId, kind: HeadKind, from: Option<&Head>) -> Result<Head, StoreError> {
    let new = NewHead {
        session,
        kind,
        parent: from.map(|head| head.id),
        boundary: from.and_then(|head| head.tip),
        operation: None,
        made_ns: disk::clock::now_ns(),
    };
    let id = writer.add_head(&new)?;
    writer.select_head(session, id)?;
    writer.head(id)?.ok_or_else(|| vanished("a head"))
}

/// Where an entry lands: after the one it names, with the turn it belongs to, or at the selected tip.
fn head_for(writer: &mut Writer<'_>, session: SessionId, said: &Said<'_>) -> Result<Head, StoreError> {
    let selected = selected(writer, session)?;
    let parent = said.parent.map(|parent| entry_in_line(writer, session, parent)).transpose()?.flatten();
    if let Some(parent) = parent {
        return head_after(writer, session, &selected, parent.place);
    }
    let prompt = match said.turn {
        Some(turn) => writer.turn(turn)?.map(|turn| prompt_entry(writer, &turn)).transpose()?.flatten(),
        None => None,
    };
    match prompt {
        Some(prompt) if !lies::lies_on(writer, &selected, &prompt)? => {
            // The turn was cut away: what comes late goes to the version that was left.
            let left = lies::newest_with(writer, session, &prompt)?;
            Ok(left.unwrap_or(selected))
        }
        _ => Ok(selected),
    }
}

/// The head whose tip is `place`, or a new one that branches off there beside the selected one.
fn head_after(
    writer: &mut Writer<'_>,
    session: SessionId,
    selected: &Head,
    place: EntryPlace,
) -> Result<Head, StoreError> {
    if selected.tip == Some(place) {
        return Ok(selected.clone());
    }
    if let Some(head) = writer.heads_of(session)?.into_iter().rev().find(|head| head.tip == Some(place)) {
        return Ok(head);
    }
    let id = writer.add_head(&NewHead {
        session,
        kind: HeadKind::Concurrent,
        parent: Some(selected.id),
        boundary: Some(place),
        operation: None,
        made_ns: disk::clock::now_ns(),
    })?;
    writer.head(id)?.ok_or_else(|| vanished("a head"))
}

/// The entry with an id in a session or in one it descends from.
pub(crate) fn entry_in_line(
    reader: &Reader<'_>,
    session: SessionId,
    native: &str,
) -> Result<Option<TalkEntry>, StoreError> {
    let mut next = Some(session);
    while let Some(id) = next {
        if let Some(entry) = reader.talk_entry(id, native)? {
            return Ok(Some(entry));
        }
        // Only an older session can be an ancestor, so this ends.
        next = reader.session(id)?.and_then(|row| row.parent).filter(|parent| *parent < id);
    }
    Ok(None)
}

fn vanished(what: &str) -> StoreError {
    StoreError::Damaged { what: format!("{what} vanished while it was made") }
}
