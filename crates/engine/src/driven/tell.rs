//! What the model of a driven agent must know and its conversation does not say: files that changed under it, turns that
//! came back without their files. It waits here until a hook of the agent can tell it, once.

use model::{OperationId, SessionId, TurnId};
use store::{Reader, StoreError, Writer};

use crate::report::NamedEffect;

/// More paths than these are only counted.
const PATHS_TOLD_MAX: usize = 20;

/// What an operation did, for the model to know.
pub(crate) struct Done<'a> {
    /// Whether it brought changes again instead of taking them back.
    pub(crate) brings: bool,
    /// The files it changed.
    pub(crate) paths: Vec<String>,
    /// What its turns did outside of the workspace.
    pub(crate) effects: &'a [NamedEffect],
}

/// Keeps what an operation did until the model can be told. An operation that changed no file and left nothing behind
/// outside is not worth a word.
pub(crate) fn note_operation(
    writer: &mut Writer<'_>,
    session: SessionId,
    operation: OperationId,
    done: &Done<'_>,
) -> Result<(), StoreError> {
    if !is_told(writer, session)? {
        return Ok(());
    }
    let lasting = crate::talk::effects_note(done.effects).filter(|_| !done.brings);
    let sentences: Vec<String> = files_sentence(done).into_iter().chain(lasting).collect();
    match sentences.as_slice() {
        [] => Ok(()),
        told => writer.add_note(session, Some(operation), &told.join("\n"), disk::clock::now_ns()),
    }
}

/// Keeps that turns are in the conversation again whose files were taken back.
pub(super) fn note_return(writer: &mut Writer<'_>, session: SessionId, turns: &[TurnId]) -> Result<(), StoreError> {
    if turns.is_empty() {
        return Ok(());
    }
    let text = "takeback: the user had taken back some of the turns above, and went on from them all the same. Their \
                changes to files may still be taken back: read a file again before you rely on what it holds.";
    writer.add_note(session, None, text, disk::clock::now_ns())
}

/// What the model is to be told with the next prompt; it is told once.
pub(crate) fn tell(writer: &mut Writer<'_>, session: SessionId) -> Result<Option<String>, StoreError> {
    if !is_told(writer, session)? {
        return Ok(None);
    }
    let notes = writer.tell_notes(session, disk::clock::now_ns())?;
    Ok((!notes.is_empty()).then(|| notes.join("\n")))
}

fn is_told(reader: &Reader<'_>, session: SessionId) -> Result<bool, StoreError> {
    Ok(reader.session(session)?.is_some_and(|row| super::is_driven(&row.agent)))
}

fn files_sentence(done: &Done<'_>) -> Option<String> {
    let (first, rest) = done.paths.split_at(done.paths.len().min(PATHS_TOLD_MAX));
    if first.is_empty() {
        return None;
    }
    let did = if done.brings { "brought changes again in" } else { "took changes back in" };
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let names = first.join(", ");
    Some(format!("takeback: the user {did} {names}{more}. Read a file again before you rely on what it holds."))
}
