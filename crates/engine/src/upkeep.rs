//! Looking after the store of a workspace: checking all of it, dropping what nothing needs, removing what must not be
//! kept. The work is the store's; here is who may do it when. The user's files are never written.

use std::collections::BTreeSet;
use std::path::PathBuf;

use disk::{DiskError, LockError, LockGuard};
use model::{ContentHash, Entry, Seq, StepId, Tree as _, WorkspacePath};
use store::{
    CompactError, Compacted, Purge, PurgeError, Purged, Reader, StoreError, Verified, VerifyReport, WindowState,
};
use thiserror::Error;

use crate::driven;
use crate::error::RecordError;
use crate::workspace::Workspace;

/// What a purge would remove, as far as the ledger and the index tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgePreview {
    /// How many different contents the path and what is below it ever held.
    pub contents: usize,
    /// Other paths that held some of it and could not be brought back to that either, sorted.
    pub also_at: Vec<WorkspacePath>,
    /// Files in which agents keep what was said in this workspace. They are the agents' own and may hold it too; a purge
    /// does not touch them.
    pub agent_records: Vec<PathBuf>,
}

/// What a clean-up did, and what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CleanedUp {
    /// What was done.
    pub done: Compacted,
    /// What the store takes on disk now, in bytes.
    pub stored_bytes: u64,
}

/// What happens while an agent is in the middle of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhileBusy {
    /// Nothing is removed.
    Refuse,
    /// It is done all the same; for an agent that died and whose step will never end.
    GoOn,
}

/// The store was not looked after. The user's files were left untouched.
#[derive(Debug, Error)]
pub enum UpkeepError {
    /// An agent is in the middle of a step: content of its work may be on the way.
    #[error(
        "An agent is still running ({}); nothing was removed, let it finish, or add `--even-if-busy` if it is gone",
        listed(steps)
    )]
    Busy {
        /// The steps whose windows are open.
        steps: Vec<StepId>,
    },
    /// An agent asks for it from inside its own step.
    #[error("An agent's step may not remove anything from the store; nothing was removed")]
    InsideStep,
    /// Another operation holds the workspace.
    #[error("{holder}; nothing was removed, try again")]
    Locked {
        /// Who, as text for people.
        holder: String,
    },
    /// The lock could not be used.
    #[error("Nothing was removed: {0}")]
    Disk(#[from] DiskError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A clean-up stopped.
    #[error(transparent)]
    Compact(#[from] CompactError),
    /// A purge stopped.
    #[error(transparent)]
    Purge(#[from] PurgeError),
    /// It is done, but its result could not be measured.
    #[error("It is done, but what is left could not be measured: {0}")]
    Measure(#[source] RecordError),
}

impl Workspace {
    /// Reads everything that is stored again and names what is damaged, with every path that needs it.
    ///
    /// `progress` is called with how much content was read and how much there is. Changes nothing. Cost: reads all packs.
    pub fn verify(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<VerifyReport, StoreError> {
        self.store.verify(&mut |verified: Verified| progress(verified.contents, verified.of))
    }

    /// Drops content that nothing names any more and gives its room back.
    ///
    /// Nothing that the ledger, the index, a journal or a pin names is dropped. Refused from inside an agent's step, and
    /// while one is under way unless `busy` says otherwise. A kill at any moment loses nothing.
    pub fn clean_up(&self, busy: WhileBusy) -> Result<CleanedUp, UpkeepError> {
        let guard = self.lock_for_upkeep(busy)?;
        let done = self.store.compact();
        drop(guard);
        let done = done?;
        Ok(CleanedUp { done, stored_bytes: self.stored_bytes().map_err(UpkeepError::Measure)? })
    }

    /// What [`Workspace::purge`] would remove. Changes nothing.
    pub fn purge_preview(&self, path: &WorkspacePath) -> Result<PurgePreview, StoreError> {
        let held = everything_held(&self.store.read()?)?;
        let is_named = |holder: &WorkspacePath| holder.is_at_or_below(path);
        let contents: BTreeSet<ContentHash> =
            held.iter().filter(|(_, holder)| is_named(holder)).map(|(content, _)| *content).collect();
        let also_at: BTreeSet<WorkspacePath> = held
            .into_iter()
            .filter(|(content, holder)| contents.contains(content) && !is_named(holder))
            .map(|(_, holder)| holder)
            .collect();
        let agent_records = driven::records(&self.store.read()?)?;
        Ok(PurgePreview { contents: contents.len(), also_at: also_at.into_iter().collect(), agent_records })
    }

    /// Removes everything that a path, and what is below it, ever held from the store for good.
    ///
    /// On success no file of the store holds it any more and the path cannot be brought back to any earlier state; nor can
    /// the other paths that are named. Copies of agents' conversations that were made here and led nowhere go too. Refused as
    /// a clean-up is. The user's files are not touched: what the path holds now is captured again when it changes.
    pub fn purge(&self, path: &WorkspacePath, busy: WhileBusy) -> Result<Purged, UpkeepError> {
        let guard = self.lock_for_upkeep(busy)?;
        let purged = self.store.purge(Purge { paths: std::slice::from_ref(path), hashes: &[] });
        let discarded = driven::discard_superseded(self);
        drop(guard);
        discarded.map_err(UpkeepError::Measure)?;
        Ok(purged?)
    }

    fn lock_for_upkeep(&self, busy: WhileBusy) -> Result<LockGuard, UpkeepError> {
        if self.environment.is_inside_step {
            return Err(UpkeepError::InsideStep);
        }
        let guard = self.lock_for_operation(Workspace::patience()).map_err(|error| match error {
            LockError::Disk(error) => UpkeepError::Disk(error),
            busy @ LockError::Busy { .. } => UpkeepError::Locked { holder: busy.to_string() },
        })?;
        let steps = running_steps(&self.store.read()?)?;
        let may_go_on = steps.is_empty() || busy == WhileBusy::GoOn;
        if may_go_on { Ok(guard) } else { Err(UpkeepError::Busy { steps }) }
    }
}

fn running_steps(reader: &Reader<'_>) -> Result<Vec<StepId>, StoreError> {
    let windows = reader.open_windows()?.into_iter();
    Ok(windows.filter(|window| window.state == WindowState::Open).map(|window| window.step).collect())
}

/// All content that any path holds or ever held.
fn everything_held(reader: &Reader<'_>) -> Result<BTreeSet<(ContentHash, WorkspacePath)>, StoreError> {
    let mut held = BTreeSet::new();
    let mut add = |path: &WorkspacePath, entry: &Entry| {
        held.extend(entry.content().map(|content| (*content, path.clone())));
    };
    for transition in reader.transitions_since(Seq(0))? {
        add(&transition.path, &transition.before);
        add(&transition.path, &transition.after);
    }
    let index = reader.index()?;
    for path in index.paths_below(&WorkspacePath::root()) {
        add(&path, &index.entry(&path));
    }
    Ok(held)
}

fn listed(steps: &[StepId]) -> String {
    steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
