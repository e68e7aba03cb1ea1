//! Entering what an agent has written down of its conversation. The order of the entries is the agent's; which version
//! each belongs to follows from the prompts alone: a prompt that does not follow the newest one of the version at hand
//! was typed after a rewind in the agent.

use agents::{Conversation, NativeEntry};
use model::{HeadId, MessageKind, SessionId, TurnId};
use store::{EntryPlace, Head, NativeTalk, Reader, StoreError, TalkEntry, Writer};

use super::moves::{self, Move};
use crate::talk::{self, Said};

/// What entering a conversation came to.
#[derive(Debug, Default)]
pub(super) struct Imported {
    /// The version the agent's conversation stands on; none while nothing was said.
    pub(super) head: Option<HeadId>,
    /// The moves that were met, in their order.
    pub(super) moves: Vec<Move>,
}

/// Enters what is new, and follows the conversation if it has moved since it was read last.
pub(super) fn import(
    writer: &mut Writer<'_>,
    session: SessionId,
    known: &NativeTalk,
    conversation: &Conversation,
) -> Result<Imported, StoreError> {
    if known.head.is_none() && conversation.entries.is_empty() {
        return Ok(Imported::default());
    }
    let fresh = first_unknown(writer, session, &conversation.entries)?;
    let tip = conversation.line.last();
    let has_moved = known.head.is_none() || known.tip_prompt.as_ref() != tip;
    if fresh == conversation.entries.len() && !has_moved {
        return Ok(Imported { head: known.head, moves: Vec::new() });
    }
    let mut line = Line { tip: tip.cloned(), ..Line::begin(writer, session, known)? };
    for entry in &conversation.entries[fresh..] {
        line.enter(entry)?;
    }
    if has_moved {
        line.settle(tip.map(String::as_str))?;
    }
    Ok(Imported { head: Some(line.head.id), moves: line.moves })
}

/// Where what is new begins. Entries are only ever added, so everything before the newest known one is known.
fn first_unknown(reader: &Reader<'_>, session: SessionId, entries: &[NativeEntry]) -> Result<usize, StoreError> {
    for (at, entry) in entries.iter().enumerate().rev() {
        if talk::entry_in_line(reader, session, &entry.id)?.is_some() {
            return Ok(at + 1);
        }
    }
    Ok(0)
}

/// The version that the agent's entries are being added to.
struct Line<'a, 'w> {
    writer: &'a mut Writer<'w>,
    session: SessionId,
    head: Head,
    /// The newest prompt on it.
    prompt: Option<String>,
    /// The turn of that prompt.
    turn: Option<TurnId>,
    moves: Vec<Move>,
    /// The newest prompt that the agent has written down.
    tip: Option<String>,
}

impl<'a, 'w> Line<'a, 'w> {
    fn begin(writer: &'a mut Writer<'w>, session: SessionId, known: &NativeTalk) -> Result<Self, StoreError> {
        let stands = known.head.map(|head| writer.head(head)).transpose()?.flatten();
        let head = match stands {
            Some(head) => head,
            None => talk::selected(writer, session)?,
        };
        let mut line = Self { writer, session, head, prompt: None, turn: None, moves: Vec::new(), tip: None };
        line.look_at_tip()?;
        Ok(line)
    }

    fn enter(&mut self, entry: &NativeEntry) -> Result<(), StoreError> {
        if talk::entry_in_line(self.writer, self.session, &entry.id)?.is_some() {
            return Ok(());
        }
        if entry.kind == MessageKind::Prompt {
            self.go_to(entry.prompt_before.as_deref())?;
            self.prompt = Some(entry.id.clone());
            self.turn = self.turn_of(&entry.id)?;
        } else if entry.prompt != self.prompt
            && let Some(prompt) = entry.prompt.as_deref()
            && let Some(head) = head_ending_with(self.writer, self.session, Some(prompt))?
        {
            self.head = head;
            self.look_at_tip()?;
        }
        self.say(entry)
    }

    /// The turn of a prompt. One that was opened without an id, and of which no later event told it, is the newest.
    fn turn_of(&mut self, prompt: &str) -> Result<Option<TurnId>, StoreError> {
        if let Some(turn) = self.writer.turn_by_prompt(self.session, prompt)? {
            return Ok(Some(turn.id));
        }
        let newest = self.writer.newest_turn(self.session)?.filter(|_| self.tip.as_deref() == Some(prompt));
        let Some(turn) = newest.filter(|turn| turn.prompt_id.is_none() && turn.prompt.is_some()) else {
            return Ok(None);
        };
        self.writer.set_turn_prompt(turn.id, Some(prompt), turn.prompt.as_deref())?;
        Ok(Some(turn.id))
    }

    /// Of what was said only the prompts are kept word for word, to be handed back: everything else is the agent's, holds
    /// whatever its tools have read, and would be a second copy of it here.
    fn say(&mut self, entry: &NativeEntry) -> Result<(), StoreError> {
        let payload: &[u8] = if entry.kind == MessageKind::Prompt { &entry.payload } else { b"" };
        let said = Said {
            native: &entry.id,
            parent: None,
            turn: self.turn,
            role: &entry.role,
            kind: entry.kind,
            payload,
            keeps_from: entry.keeps_from.as_deref(),
        };
        self.head.tip = Some(talk::say_on(self.writer, self.session, &self.head, &said)?);
        Ok(())
    }

    /// Stands where the conversation must end for a prompt to follow `before`.
    fn go_to(&mut self, before: Option<&str>) -> Result<(), StoreError> {
        if self.prompt.as_deref() != before {
            match head_ending_with(self.writer, self.session, before)? {
                Some(head) => self.head = head,
                None => self.rewind_to(before)?,
            }
        }
        let moved = moves::stand_on(self.writer, self.session, &self.head)?;
        self.moves.extend(moved);
        Ok(())
    }

    /// The line ends with this prompt's turn now, though nothing new was said there.
    fn settle(&mut self, tip: Option<&str>) -> Result<(), StoreError> {
        self.go_to(tip)?;
        self.look_at_tip()
    }

    fn rewind_to(&mut self, prompt: Option<&str>) -> Result<(), StoreError> {
        let end = match prompt {
            Some(prompt) => end_of_turn(self.writer, self.session, &self.head, prompt)?,
            None => Some((self.head.clone(), None)),
        };
        // A prompt that is on no version of ours tells nothing of where the conversation stands.
        let Some((from, boundary)) = end else { return Ok(()) };
        let (head, moved) = moves::rewind(self.writer, self.session, &from, boundary)?;
        self.head = head;
        self.moves.push(moved);
        Ok(())
    }

    fn look_at_tip(&mut self) -> Result<(), StoreError> {
        let newest = newest_prompt(self.writer, self.head.tip)?;
        self.turn = newest.as_ref().and_then(|entry| entry.turn);
        self.prompt = newest.map(|entry| entry.native);
        Ok(())
    }
}

/// The newest prompt on the chain that ends at a tip. Cost grows with the length of its turn.
pub(super) fn newest_prompt(reader: &Reader<'_>, tip: Option<EntryPlace>) -> Result<Option<TalkEntry>, StoreError> {
    let mut next = tip;
    while let Some(entry) = next.map(|place| reader.talk_entry_at(place)).transpose()?.flatten() {
        if entry.kind == MessageKind::Prompt {
            return Ok(Some(entry));
        }
        next = entry.parent;
    }
    Ok(None)
}

/// The newest version of a session whose newest prompt is this one.
fn head_ending_with(reader: &Reader<'_>, session: SessionId, prompt: Option<&str>) -> Result<Option<Head>, StoreError> {
    for head in reader.heads_of(session)?.into_iter().rev() {
        let newest = newest_prompt(reader, head.tip)?.map(|entry| entry.native);
        if newest.as_deref() == prompt {
            return Ok(Some(head));
        }
    }
    Ok(None)
}

/// The version that has a prompt, the one at hand if it can be, and the last entry of the prompt's turn on it.
fn end_of_turn(
    reader: &Reader<'_>,
    session: SessionId,
    at_hand: &Head,
    prompt: &str,
) -> Result<Option<(Head, Option<EntryPlace>)>, StoreError> {
    let others = reader.heads_of(session)?.into_iter().rev();
    for head in std::iter::once(at_hand.clone()).chain(others) {
        let mut end = head.tip;
        let mut next = head.tip;
        while let Some(entry) = next.map(|place| reader.talk_entry_at(place)).transpose()?.flatten() {
            if entry.native == prompt {
                return Ok(Some((head, end)));
            }
            if entry.kind == MessageKind::Prompt {
                end = entry.parent;
            }
            next = entry.parent;
        }
    }
    Ok(None)
}
