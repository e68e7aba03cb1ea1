//! The staged cut. Taking turns back makes a new head where the oldest of them began; nothing is deleted, so lifting it
//! is selecting the old head again.

use decide::effects::EffectClass;
use model::{HeadId, HeadKind, MessageKind, OperationId, SessionId, TurnId, TurnStatus};
use store::{EntryPlace, NewHead, Reader, StoreError, Turn, Writer};

use super::lies::lies_on;
use super::{Said, prompt_entry, say, selected};
use crate::driven;
use crate::report::{Attachment, NamedEffect};

/// Where a conversation would be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cut {
    /// The last entry that stays; none: nothing stays.
    pub(crate) boundary: Option<EntryPlace>,
    /// The prompts that are withdrawn, the oldest first.
    pub(crate) prompts: Vec<String>,
    /// What they held beside their text.
    pub(crate) attachments: Vec<Attachment>,
}

/// Where the conversation must be cut to take these turns out, the oldest first. None if it is not known where the
/// oldest one begins.
pub(crate) fn find_cut(reader: &Reader<'_>, turns: &[TurnId]) -> Result<Option<Cut>, StoreError> {
    let Some(oldest) = turns.first().map(|id| reader.turn(*id)).transpose()?.flatten() else { return Ok(None) };
    let Some(first) = prompt_entry(reader, &oldest)? else { return Ok(None) };
    let mut cut = Cut { boundary: first.parent, prompts: Vec::new(), attachments: Vec::new() };
    for id in turns {
        let Some(turn) = reader.turn(*id)? else { return Ok(None) };
        let Some(text) = &turn.prompt else { continue };
        let content = content_beyond_text(reader, &turn, text)?;
        cut.attachments.extend(content.map(|content| Attachment { prompt: cut.prompts.len(), content }));
        cut.prompts.push(text.clone());
    }
    Ok(Some(cut))
}

/// What the host gave with a prompt, if that is more than its text. Of an agent that keeps its conversation itself there
/// is only its own record, which is not ours to hand out.
fn content_beyond_text(reader: &Reader<'_>, turn: &Turn, text: &str) -> Result<Option<Vec<u8>>, StoreError> {
    if reader.session(turn.session)?.is_none_or(|row| driven::is_driven(&row.agent)) {
        return Ok(None);
    }
    let Some(entry) = prompt_entry(reader, turn)? else { return Ok(None) };
    let content = reader.talk_payload(entry.place)?;
    Ok(content.filter(|content| content != text.as_bytes() && !is_json_of(content, text)))
}

fn is_json_of(content: &[u8], text: &str) -> bool {
    serde_json::from_slice::<String>(content).is_ok_and(|told| told == text)
}

/// Cuts the conversation: from now on the next context is built from the boundary. What the turns are known to have
/// done outside of the workspace is told to the model, so that it is not done twice. Cost does not depend on the length
/// of the conversation.
pub(crate) fn stage(
    writer: &mut Writer<'_>,
    session: SessionId,
    cut: &Cut,
    operation: OperationId,
    effects: &[NamedEffect],
) -> Result<HeadId, StoreError> {
    let from = selected(writer, session)?;
    let head = writer.add_head(&NewHead {
        session,
        kind: HeadKind::Rewind,
        parent: Some(from.id),
        boundary: cut.boundary,
        operation: Some(operation),
        made_ns: disk::clock::now_ns(),
    })?;
    writer.select_head(session, head)?;
    if let Some(note) = effects_note(effects) {
        inform(writer, session, operation, &note)?;
    }
    Ok(head)
}

/// Lifts the cut that an operation made, if the session still stands on it. Lifting twice is harmless.
pub(crate) fn lift(writer: &mut Writer<'_>, session: SessionId, operation: OperationId) -> Result<bool, StoreError> {
    let (made, stands) = (writer.head_of_operation(operation)?, writer.selected_head(session)?);
    let head = made.filter(|made| stands.is_some_and(|stands| stands.id == made.id && !made.is_absorbed));
    match head.and_then(|head| head.parent) {
        Some(parent) => writer.select_head(session, parent).map(|()| true),
        None => Ok(false),
    }
}

/// A turn that completed makes the cut it stands on permanent. Any other end keeps it staged, and so does a turn that
/// was itself cut away.
pub(crate) fn absorb(
    writer: &mut Writer<'_>,
    session: SessionId,
    turn: &Turn,
    status: TurnStatus,
) -> Result<(), StoreError> {
    let Some(head) = writer.selected_head(session)?.filter(|head| !head.is_absorbed) else { return Ok(()) };
    let stands_on_it = match prompt_entry(writer, turn)? {
        Some(prompt) => lies_on(writer, &head, &prompt)?,
        None => true,
    };
    if status == TurnStatus::Completed && stands_on_it { writer.absorb_head(head.id) } else { Ok(()) }
}

/// Tells the model something in one injected entry.
pub(crate) fn inform(
    writer: &mut Writer<'_>,
    session: SessionId,
    operation: OperationId,
    text: &str,
) -> Result<(), StoreError> {
    let native = note_id(operation);
    say(
        writer,
        session,
        &Said {
            native: &native,
            parent: None,
            turn: None,
            role: "user",
            kind: MessageKind::Injected,
            payload: text.as_bytes(),
            keeps_from: None,
        },
    )
}

/// Whether the model knows from an operation what that did: its note is on the version the session stands on.
pub(crate) fn has_informed(
    reader: &Reader<'_>,
    session: SessionId,
    operation: OperationId,
) -> Result<bool, StoreError> {
    let note = reader.talk_entry(session, &note_id(operation))?;
    match (note, reader.selected_head(session)?) {
        (Some(note), Some(head)) => lies_on(reader, &head, &note),
        _ => Ok(false),
    }
}

/// The id of the entry in which an operation speaks to the model.
fn note_id(operation: OperationId) -> String {
    format!("takeback-{operation}")
}

/// What is told of the effects that stay, if any do.
pub(crate) fn effects_note(effects: &[NamedEffect]) -> Option<String> {
    let lasting: Vec<&str> = effects
        .iter()
        .filter(|effect| effect.class != EffectClass::Restorable)
        .map(|effect| effect.summary.as_str())
        .collect();
    (!lasting.is_empty()).then(|| {
        format!(
            "Some turns were taken back. What they did outside of the workspace has happened all the same and must not \
             be repeated without asking:\n- {}",
            lasting.join("\n- ")
        )
    })
}
