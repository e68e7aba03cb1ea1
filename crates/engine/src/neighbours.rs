//! Known workspaces above and below this one: they see the same files. An operation takes their right to write as well,
//! and enters what it did into their ledgers as its own work, so that it does not look like somebody else's there.

use std::path::PathBuf;

use disk::{LockError, LockGuard};
use model::{Scope, Verb};
use store::{NewOperation, OperationEnd, OperationState};

use crate::error::{RecordError, WorkspaceError};
use crate::home::Home;
use crate::moment::Moment;
use crate::workspace::Workspace;

/// The neighbours, locked for as long as this lives.
pub(crate) struct Neighbours {
    workspaces: Vec<Workspace>,
    _guards: Vec<LockGuard>,
}

/// Why the neighbours could not be locked. Nothing was changed.
pub(crate) enum NeighbourError {
    Locked(LockError),
    Workspace(WorkspaceError),
    Record(RecordError),
}

impl Neighbours {
    /// Locks every known workspace above or below, in the order of their roots, and records what was there before.
    pub(crate) fn lock(workspace: &Workspace) -> Result<Self, NeighbourError> {
        let mut neighbours = Self { workspaces: Vec::new(), _guards: Vec::new() };
        for root in roots(workspace) {
            let home = Home::new(workspace.environment.state_folder.clone());
            // A neighbour whose root is gone has nothing to lock.
            let neighbour = match Workspace::open(&home, &workspace.environment, &root) {
                Ok(neighbour) => neighbour,
                Err(WorkspaceError::Root(_)) => continue,
                Err(error) => return Err(NeighbourError::Workspace(error)),
            };
            let guard = neighbour.lock_for_operation(Workspace::patience()).map_err(NeighbourError::Locked)?;
            neighbour
                .record("neighbour", |recording| recording.enter(&Moment::of("rescue", None)).map(|_| ()))
                .map_err(NeighbourError::Record)?;
            neighbours._guards.push(guard);
            neighbours.workspaces.push(neighbour);
        }
        Ok(neighbours)
    }

    /// Enters what an operation did into the ledgers of the neighbours.
    pub(crate) fn enter(&self, verb: Verb) -> Result<(), RecordError> {
        self.workspaces.iter().try_for_each(|neighbour| enter(neighbour, verb))
    }
}

fn enter(neighbour: &Workspace, verb: Verb) -> Result<(), RecordError> {
    neighbour.record("neighbour", |recording| {
        let rescue = recording.writer.latest_checkpoint()?.map_or(model::CheckpointId(0), |checkpoint| checkpoint.id);
        let now_ns = disk::clock::now_ns();
        let operation = recording.writer.add_operation(&NewOperation {
            session: None,
            verb,
            scope: Scope::Files,
            turns: Vec::new(),
            rescue,
            started_ns: now_ns,
            redoes: Vec::new(),
            brings: Vec::new(),
        })?;
        let entered = recording.enter(&Moment { operation: Some(operation), ..Moment::of("operation", None) })?;
        recording.writer.end_operation(
            operation,
            &OperationEnd {
                state: OperationState::Committed,
                closing: Some(entered.checkpoint),
                ended_ns: now_ns,
                report: String::new(),
            },
        )?;
        Ok(())
    })
}

/// The roots of the neighbours, sorted, so that nobody who locks them waits in a circle.
fn roots(workspace: &Workspace) -> Vec<PathBuf> {
    let home = Home::new(workspace.environment.state_folder.clone());
    let own = workspace.root_path();
    let mut roots = home.roots();
    roots.retain(|root| root != own && (root.starts_with(own) || own.starts_with(root)));
    roots.sort();
    roots
}
