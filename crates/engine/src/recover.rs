//! RECOVER: what an interrupted operation left is taken back by whoever opens the workspace next. The journal says what
//! was meant; the disk says how far it got.

use std::collections::BTreeMap;

use disk::{LockError, LockGuard};
use model::{OperationId, Reason, WriteStep};
use store::{OperationState, Reader};
use worktree::{Doors, Stuck};

use crate::driven;
use crate::error::RecordError;
use crate::workspace::Workspace;

/// Takes back or cleans up every operation whose process has died. Returns at once if there is none; leaves alone what
/// a living process is doing.
pub(crate) fn recover(workspace: &Workspace) -> Result<(), RecordError> {
    if unfinished(&workspace.store.read()?)?.is_empty() {
        return Ok(());
    }
    match workspace.lock_for_operation(std::time::Duration::ZERO) {
        Ok(guard) => {
            let result = recover_locked(workspace);
            drop(guard);
            result
        }
        Err(LockError::Busy { .. }) => Ok(()),
        Err(LockError::Disk(error)) => Err(error.into()),
    }
}

/// Waits, for a bounded time, until no operation is under way, taking back one whose process dies meanwhile.
pub(crate) fn wait_for_operation(workspace: &Workspace) -> Result<(), RecordError> {
    if !is_under_way(&workspace.store.read()?)? {
        return Ok(());
    }
    keep_operations_out(workspace).map(drop)
}

/// Waits, for a bounded time, until no operation is under way, and lets none begin while the answer is held. Whoever is
/// carrying out an operation must not ask.
pub(crate) fn keep_operations_out(workspace: &Workspace) -> Result<LockGuard, RecordError> {
    match workspace.lock_for_operation(Workspace::patience()) {
        Ok(guard) => recover_locked(workspace).map(|()| guard),
        Err(LockError::Busy { .. }) => Err(RecordError::Contended),
        Err(LockError::Disk(error)) => Err(error.into()),
    }
}

fn recover_locked(workspace: &Workspace) -> Result<(), RecordError> {
    let unfinished = unfinished(&workspace.store.read()?)?;
    unfinished.into_iter().try_for_each(|(operation, state)| match state {
        OperationState::Open | OperationState::Stuck => compensate(workspace, operation),
        OperationState::Committed | OperationState::Compensated => clean(workspace, operation),
    })
}

/// Whether an operation has begun and its traces are not cleared yet. What got stuck waits for nobody.
pub(crate) fn is_under_way(reader: &Reader<'_>) -> Result<bool, RecordError> {
    Ok(unfinished(reader)?.iter().any(|(_, state)| *state != OperationState::Stuck))
}

/// Operations that are open, and those that ended with a journal still to be cleared.
fn unfinished(reader: &Reader<'_>) -> Result<Vec<(OperationId, OperationState)>, RecordError> {
    let mut unfinished: BTreeMap<OperationId, OperationState> = BTreeMap::new();
    for operation in reader.open_operations()?.into_iter().chain(reader.journalled_operations()?) {
        unfinished.insert(operation.id, operation.state);
    }
    Ok(unfinished.into_iter().collect())
}

fn compensate(workspace: &Workspace, operation: OperationId) -> Result<(), RecordError> {
    let steps = workspace.store.read()?.journal(operation)?;
    take_back(workspace, operation, &steps).map(|_| ())
}

/// Takes back what the steps of an operation did, however far they got, and notes how that ended. Returns what still has
/// to be recovered: something of ours that is left where it should not be. What somebody else has changed meanwhile is
/// theirs now; nothing of it is ours to recover.
pub(crate) fn take_back(
    workspace: &Workspace,
    operation: OperationId,
    steps: &[WriteStep],
) -> Result<Vec<Stuck>, RecordError> {
    let contents = workspace.store.contents();
    let mut stuck = worktree::compensate(&workspace.root, steps, &Doors { supply: &contents, keeper: &contents });
    stuck.retain(|stuck| stuck.kept_beside.is_some() || stuck.reason != Some(Reason::Drift));
    driven::discard_prepared(workspace, operation)?;
    let state = if stuck.is_empty() { OperationState::Compensated } else { OperationState::Stuck };
    workspace.note("recovery", |writer| {
        writer.set_operation_state(operation, state)?;
        if stuck.is_empty() {
            writer.drop_journal(operation)?;
        }
        Ok(())
    })?;
    Ok(stuck)
}

fn clean(workspace: &Workspace, operation: OperationId) -> Result<(), RecordError> {
    let steps = workspace.store.read()?.journal(operation)?;
    let contents = workspace.store.contents();
    let stuck = worktree::clean(&workspace.root, &steps, &Doors { supply: &contents, keeper: &contents });
    if !stuck.is_empty() {
        return Ok(());
    }
    workspace.note("recovery", |writer| Ok(writer.drop_journal(operation)?))
}
