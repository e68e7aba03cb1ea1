//! What has happened, put together for reading: the turns of a session with their steps and files, and the past that a
//! choice needs. Reads only.

mod view;

use std::collections::{BTreeMap, BTreeSet};

use decide::selection::{self, History, PastOperation, Redone};
use model::{CheckpointId, OperationId, SessionId, TurnId, TurnStatus};
use store::{Operation, OperationState, Reader, Session, StoreError, Turn};

use crate::talk;

pub(crate) use view::changes;
pub use view::{CheckpointView, OperationView, PathChange, SessionView, StepView, TurnView};

/// Which of these turns are a session's own, or were inherited by it.
pub(crate) fn turns_of_lineage(
    reader: &Reader<'_>,
    session: SessionId,
    asked: BTreeSet<TurnId>,
) -> Result<BTreeSet<TurnId>, StoreError> {
    let lineage = lineage(reader, session)?;
    let mut found = BTreeSet::new();
    for id in asked {
        let Some(turn) = reader.turn(id)? else { continue };
        let is_of = |(ancestor, until): &(Session, Option<TurnId>)| {
            ancestor.id == turn.session && until.is_none_or(|until| id <= until)
        };
        found.extend(lineage.iter().any(is_of).then_some(id));
    }
    Ok(found)
}

/// The newest turn of a session, or the newest that it inherited.
pub(crate) fn newest_turn(reader: &Reader<'_>, session: SessionId) -> Result<Option<TurnId>, StoreError> {
    Ok(newest_lineage_turns(reader, session, 1)?.pop())
}

/// The newest `limit` of a session's turns and those it inherited, in their order.
fn newest_lineage_turns(reader: &Reader<'_>, session: SessionId, limit: usize) -> Result<Vec<TurnId>, StoreError> {
    let mut turns = Vec::new();
    for (ancestor, until) in lineage(reader, session)? {
        turns.extend(reader.newest_turns(ancestor.id, until, limit)?);
    }
    turns.sort_unstable();
    Ok(turns.split_off(turns.len().saturating_sub(limit)))
}

/// What a choice needs to know of a session's past. Cost grows with the number of turns, by little for each.
pub(crate) fn history(reader: &Reader<'_>, session: SessionId) -> Result<History, StoreError> {
    let turns = newest_lineage_turns(reader, session, usize::MAX)?;
    Ok(History { turns, ..history_to_redo(reader, session)? })
}

/// As much of it as the choice of the last `count` turns needs: nothing of when redo ends. Cost does not depend on how many
/// turns came before.
pub(crate) fn history_to_undo(reader: &Reader<'_>, session: SessionId, count: usize) -> Result<History, StoreError> {
    let operations = operations(reader, session)?;
    let turns = newest_lineage_turns(reader, session, selection::turns_to_know(&operations, count))?;
    Ok(History { turns, operations, ..History::default() })
}

/// As much of it as the choice of operations to redo needs: no turns. Cost does not depend on how many there are.
pub(crate) fn history_to_redo(reader: &Reader<'_>, session: SessionId) -> Result<History, StoreError> {
    let operations = operations(reader, session)?;
    let mut completed_at = BTreeMap::new();
    // The last turn to complete that was not gone by then is what counts, and that is the first or among the next few.
    for turn in reader.completed_turns(session, selection::turns_to_know(&operations, 1))? {
        completed_at.extend(completed_at_of(reader, &turn)?.map(|at| (turn.id, at)));
    }
    let changed_at = reader.newest_change_of(session)?;
    Ok(History { completed_at, changed_at, operations, turns: Vec::new() })
}

/// Where in the ledger a turn completed last, if it ever has; also when it was opened again by its own prompt since.
fn completed_at_of(reader: &Reader<'_>, turn: &Turn) -> Result<Option<CheckpointId>, StoreError> {
    let Some(completed_ns) = turn.completed_ns else { return Ok(None) };
    if turn.status == TurnStatus::Completed && turn.closed_at.is_some() {
        return Ok(turn.closed_at);
    }
    let at = reader.checkpoint_in_turn(turn.id, completed_ns)?.map(|checkpoint| checkpoint.id);
    Ok(at.or(Some(turn.opened_at)))
}

/// The committed operations of a session, and those of its ancestors from before it branched off, as they were then.
fn operations(reader: &Reader<'_>, session: SessionId) -> Result<Vec<PastOperation>, StoreError> {
    let lineage = lineage(reader, session)?;
    let mut rows = Vec::new();
    for (at, (ancestor, _)) in lineage.iter().enumerate() {
        let branched_ns = lineage.get(at + 1).map(|(child, _)| child.started_ns);
        let is_before = |operation: &Operation| branched_ns.is_none_or(|ns| operation.started_ns < ns);
        let own = reader.operations_of(ancestor.id)?.into_iter();
        rows.extend(own.filter(|operation| operation.state == OperationState::Committed && is_before(operation)));
    }
    rows.sort_by_key(|operation| operation.id);
    let mut redone: BTreeMap<OperationId, Vec<Redone>> = BTreeMap::new();
    for redo in &rows {
        let ended = Redone { scope: redo.scope, closed_at: redo.closing.unwrap_or(redo.rescue) };
        redo.redoes.iter().for_each(|taken| redone.entry(*taken).or_default().push(ended));
    }
    rows.iter().map(|row| past_operation(reader, session, row, redone.remove(&row.id))).collect()
}

fn past_operation(
    reader: &Reader<'_>,
    session: SessionId,
    row: &Operation,
    redone: Option<Vec<Redone>>,
) -> Result<PastOperation, StoreError> {
    let mut leaves = Vec::new();
    for lifted in row.redoes.iter().filter(|_| row.scope.has_conversation()) {
        leaves.extend(talk::turns_begun_on_cut(reader, *lifted, row.rescue)?);
    }
    Ok(PastOperation {
        id: row.id,
        verb: row.verb,
        scope: row.scope,
        turns: row.turns.clone(),
        brings: row.brings.clone(),
        leaves,
        closed_at: row.closing.unwrap_or(row.rescue),
        redone: redone.unwrap_or_default(),
        is_inherited: row.session != Some(session),
    })
}

/// A session and its ancestors, the oldest first, each with the last turn of it that the session inherited.
pub(crate) fn lineage(reader: &Reader<'_>, session: SessionId) -> Result<Vec<(Session, Option<TurnId>)>, StoreError> {
    let mut line = Vec::new();
    let mut next = Some((session, None));
    while let Some((id, until)) = next.take() {
        let Some(row) = reader.session(id)? else { break };
        // An id that comes again would be a circle, which no honest store holds.
        if line.iter().any(|(known, _): &(Session, _)| known.id == id) {
            break;
        }
        let inherited = row.forked_at.unwrap_or(TurnId(0));
        next = row.parent.map(|parent| (parent, Some(until.map_or(inherited, |until| inherited.min(until)))));
        line.push((row, until));
    }
    line.reverse();
    Ok(line)
}
