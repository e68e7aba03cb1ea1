//! The agent's conversation has moved without us: a rewind in the agent, its own redo, a prompt on the version that was
//! left. Each is entered as an operation on the conversation alone, as if it had been ordered here; no file moves.

use model::{CheckpointId, HeadId, HeadKind, OperationId, Scope, SessionId, TurnId, Verb};
use store::{EntryPlace, Head, NewHead, NewOperation, OperationEnd, OperationState, Reader, StoreError, Writer};

use super::tell;
use crate::talk;

/// What the conversation did on its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Move {
    /// It was rewound: these turns are no longer on it, the oldest first.
    Rewound(Vec<TurnId>),
    /// It goes on with turns that had been cut out of it, the oldest first.
    Returned(Vec<TurnId>),
}

/// Enters a rewind done in the agent: the conversation of `from` now ends at `boundary`. Returns the new version, on
/// which the session stands.
pub(super) fn rewind(
    writer: &mut Writer<'_>,
    session: SessionId,
    from: &Head,
    boundary: Option<EntryPlace>,
) -> Result<(Head, Move), StoreError> {
    let leaving = turns_between(writer, from.tip, boundary)?;
    let operation = enter(writer, session, Verb::Rewind, Taken { turns: leaving.clone(), ..Taken::default() })?;
    let id = writer.add_head(&NewHead {
        session,
        kind: HeadKind::Rewind,
        parent: Some(from.id),
        boundary,
        operation: Some(operation),
        made_ns: disk::clock::now_ns(),
    })?;
    writer.select_head(session, id)?;
    Ok((head(writer, id)?, Move::Rewound(leaving)))
}

/// Enters that the conversation stands on another version again.
pub(super) fn stand_on(writer: &mut Writer<'_>, session: SessionId, target: &Head) -> Result<Option<Move>, StoreError> {
    let selected = talk::selected(writer, session)?;
    if selected.id == target.id {
        return Ok(None);
    }
    let brings = turns_between(writer, target.tip, selected.tip)?;
    match selected.operation.filter(|_| !selected.is_absorbed && selected.parent == Some(target.id)) {
        Some(cut) => {
            let lifting = enter(writer, session, Verb::Redo, Taken { redoes: vec![cut], ..Taken::default() })?;
            writer.mark_redone(cut, lifting)?;
        }
        None => {
            let turns = turns_between(writer, selected.tip, target.tip)?;
            enter(writer, session, Verb::Switch, Taken { turns, brings: brings.clone(), ..Taken::default() })?;
        }
    }
    writer.retire_head(target.id, false)?;
    writer.select_head(session, target.id)?;
    Ok(Some(Move::Returned(brings)))
}

/// A prompt has come on a version of the conversation that the session does not stand on: it stands there from now on.
/// The files stay as they are, and the model is told so.
pub(crate) fn return_to_old_chain(
    writer: &mut Writer<'_>,
    session: SessionId,
    native: &str,
) -> Result<Option<Move>, StoreError> {
    let Some(row) = writer.session(session)?.filter(|row| super::is_driven(&row.agent)) else { return Ok(None) };
    let (Some(talk), Some(selected)) = (writer.native_talk(&row.agent, native)?, writer.selected_head(session)?) else {
        return Ok(None);
    };
    let is_elsewhere = match writer.native_talk_of_head(selected.id)? {
        Some(other) => other.native != native,
        None => true,
    };
    let Some(target) = talk.head.filter(|head| *head != selected.id && is_elsewhere) else { return Ok(None) };
    let target = head(writer, target)?;
    let moved = stand_on(writer, session, &target)?;
    if let Some(Move::Returned(turns)) = &moved {
        tell::note_return(writer, session, turns)?;
    }
    Ok(moved)
}

/// What an operation on the conversation alone took and brought.
#[derive(Default)]
struct Taken {
    turns: Vec<TurnId>,
    redoes: Vec<OperationId>,
    brings: Vec<TurnId>,
}

fn enter(writer: &mut Writer<'_>, session: SessionId, verb: Verb, taken: Taken) -> Result<OperationId, StoreError> {
    let at = writer.latest_checkpoint()?.map_or(CheckpointId(0), |checkpoint| checkpoint.id);
    let now_ns = disk::clock::now_ns();
    let operation = writer.add_operation(&NewOperation {
        session: Some(session),
        verb,
        scope: Scope::Conversation,
        turns: taken.turns,
        rescue: at,
        started_ns: now_ns,
        redoes: taken.redoes,
        brings: taken.brings,
    })?;
    let state = OperationState::Committed;
    let end = OperationEnd { state, closing: Some(at), ended_ns: now_ns, report: String::new() };
    writer.end_operation(operation, &end)?;
    Ok(operation)
}

/// The turns on the chain of one tip that are not on that of the other.
fn turns_between(
    reader: &Reader<'_>,
    tip: Option<EntryPlace>,
    other: Option<EntryPlace>,
) -> Result<Vec<TurnId>, StoreError> {
    let kept = talk::turns_on(reader, other)?;
    Ok(talk::turns_on(reader, tip)?.difference(&kept).copied().collect())
}

fn head(reader: &Reader<'_>, id: HeadId) -> Result<Head, StoreError> {
    reader.head(id)?.ok_or_else(|| StoreError::Damaged { what: format!("version {id} is named and not there") })
}
