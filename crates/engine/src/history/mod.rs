//! What has happened, put together for reading: the turns of a session with their steps and files, and the past that a
//! choice needs. Reads only.

mod view;

use decide::selection::{History, PastOperation};
use model::{SessionId, TurnStatus, Verb};
use store::{OperationState, Reader, Session, StoreError, Turn};

pub(crate) use view::changes;
pub use view::{CheckpointView, OperationView, PathChange, SessionView, StepView, TurnView};

/// The turns of a session in their order: those it inherited when it branched off, then its own.
pub(crate) fn lineage_turns(reader: &Reader<'_>, session: SessionId) -> Result<Vec<Turn>, StoreError> {
    let mut turns = Vec::new();
    for (ancestor, until) in lineage(reader, session)? {
        let own = reader.turns_of(ancestor.id)?;
        turns.extend(own.into_iter().filter(|turn| until.is_none_or(|until| turn.id <= until)));
    }
    turns.sort_by_key(|turn| turn.id);
    Ok(turns)
}

/// What a choice needs to know of a session's past.
pub(crate) fn history(reader: &Reader<'_>, session: SessionId) -> Result<History, StoreError> {
    let turns = lineage_turns(reader, session)?;
    let completed = turns
        .iter()
        .filter(|turn| turn.session == session && turn.status == TurnStatus::Completed)
        .filter_map(|turn| turn.closed_at)
        .max();
    let moved_on_at = completed.max(reader.newest_change_of(session)?);
    let operations = operations(reader, session)?;
    Ok(History { turns: turns.into_iter().map(|turn| turn.id).collect(), operations, moved_on_at })
}

/// The committed operations of a session, and those of its ancestors from before it branched off.
fn operations(reader: &Reader<'_>, session: SessionId) -> Result<Vec<PastOperation>, StoreError> {
    let lineage = lineage(reader, session)?;
    let mut operations = Vec::new();
    for (at, (ancestor, _)) in lineage.iter().enumerate() {
        let branched_ns = lineage.get(at + 1).map(|(child, _)| child.started_ns);
        for operation in reader.operations_of(ancestor.id)? {
            let is_before = branched_ns.is_none_or(|ns| operation.started_ns < ns);
            if operation.state == OperationState::Committed && is_before {
                operations.push(PastOperation {
                    id: operation.id,
                    verb: operation.verb,
                    scope: operation.scope,
                    turns: operation.turns,
                    brings: operation.brings,
                    closed_at: operation.closing.unwrap_or(operation.rescue),
                    is_redone: operation.redone_by.is_some(),
                });
            }
        }
    }
    operations.retain(|operation| operation.verb != Verb::Redo || !operation.turns.is_empty());
    operations.sort_by_key(|operation| operation.id);
    Ok(operations)
}

/// A session and its ancestors, the oldest first, each with the last turn that the next one inherited.
fn lineage(reader: &Reader<'_>, session: SessionId) -> Result<Vec<(Session, Option<model::TurnId>)>, StoreError> {
    let mut line = Vec::new();
    let mut next = Some((session, None));
    while let Some((id, until)) = next.take() {
        let Some(row) = reader.session(id)? else { break };
        // An id that comes again would be a circle, which no honest store holds.
        if line.iter().any(|(known, _): &(Session, _)| known.id == id) {
            break;
        }
        next = row.parent.map(|parent| (parent, row.forked_at.or(Some(model::TurnId(0)))));
        line.push((row, until));
    }
    line.reverse();
    Ok(line)
}
