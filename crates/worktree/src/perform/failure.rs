//! Why a step could not be done, checked or taken back.

use disk::{DiskError, SupplyError};
use model::{Reason, WorkspacePath};

/// What stood behind a failure, if it was not the user's files themselves.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// The operating system refused; a full disk is told by [`DiskError::is_no_space`].
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// The store could not give the content.
    #[error(transparent)]
    Supply(#[from] SupplyError),
}

/// The step that could not be done. Those before it are done, nothing of it or after it is.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` was left as it is: {}{}", why(*reason), second_version(kept_beside.as_ref()))]
pub struct PerformFailure {
    index: usize,
    path: WorkspacePath,
    reason: Option<Reason>,
    kept_beside: Option<WorkspacePath>,
    source: Option<PerformError>,
}

/// Something that could not be taken back or cleaned up. It was left as it is.
#[derive(Debug, thiserror::Error)]
#[error("`{path}` was left as it is: {}{}", why(*reason), second_version(kept_beside.as_ref()))]
pub struct Stuck {
    /// Where.
    pub path: WorkspacePath,
    /// Why; none if it is not about this path, as with a full disk: the source says then.
    pub reason: Option<Reason>,
    /// Where a second version of it stays.
    pub kept_beside: Option<WorkspacePath>,
    /// What stood behind it.
    pub source: Option<PerformError>,
}

impl PerformFailure {
    /// Its place in the list of steps; the length of the list if only the final sync failed.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Its path.
    pub fn path(&self) -> &WorkspacePath {
        &self.path
    }

    /// Why; none if it is not about this path, as with a full disk: the source says then.
    pub fn reason(&self) -> Option<Reason> {
        self.reason
    }

    /// Where a second version of it had to stay, because somebody saved in the very instant of the exchange.
    pub fn kept_beside(&self) -> Option<&WorkspacePath> {
        self.kept_beside.as_ref()
    }
}

/// A failure before it is known of which step.
#[derive(Debug)]
pub(super) struct Halt {
    pub(super) reason: Option<Reason>,
    /// Whether a second version stays at the temporary path of the step, or at its path if it has none.
    pub(super) keeps_second: bool,
    pub(super) source: Option<PerformError>,
}

impl Halt {
    /// The failure of this step, whose temporary path is `temporary`.
    pub(super) fn of_step(
        self,
        index: usize,
        path: &WorkspacePath,
        temporary: Option<WorkspacePath>,
    ) -> PerformFailure {
        let kept_beside = self.kept_at(path, temporary);
        PerformFailure { index, path: path.clone(), reason: self.reason, kept_beside, source: self.source }
    }

    /// What is stuck at this path, whose step has this `temporary` path.
    pub(super) fn of_path(self, path: &WorkspacePath, temporary: Option<WorkspacePath>) -> Stuck {
        let kept_beside = self.kept_at(path, temporary);
        Stuck { path: path.clone(), reason: self.reason, kept_beside, source: self.source }
    }

    /// The same failure, with a second version that stays.
    pub(super) fn keeping_second(self) -> Self {
        Self { keeps_second: true, ..self }
    }

    /// The same failure, with a second version that stays unless `removed` says that none is there any more.
    pub(super) fn keeping_unless(self, removed: Result<(), Halt>) -> Self {
        if removed.is_err() { self.keeping_second() } else { self }
    }

    /// The same failure, met while reading: what must not be read is unreadable.
    pub(super) fn while_reading(error: DiskError) -> Self {
        let reason = if error.is_permission() { Some(Reason::Unreadable) } else { reason_of(&error) };
        Self { reason, keeps_second: false, source: Some(error.into()) }
    }

    /// Whether it says no more than that something else is there than was expected.
    pub(super) fn is_only_unexpected(&self) -> bool {
        !self.keeps_second && matches!(self.reason, Some(Reason::Drift | Reason::TypeChange | Reason::UnsafePath))
    }

    fn kept_at(&self, path: &WorkspacePath, temporary: Option<WorkspacePath>) -> Option<WorkspacePath> {
        self.keeps_second.then(|| temporary.unwrap_or_else(|| path.clone()))
    }
}

impl From<Reason> for Halt {
    fn from(reason: Reason) -> Self {
        Self { reason: Some(reason), keeps_second: false, source: None }
    }
}

impl From<DiskError> for Halt {
    fn from(error: DiskError) -> Self {
        Self { reason: reason_of(&error), keeps_second: false, source: Some(error.into()) }
    }
}

impl From<SupplyError> for Halt {
    fn from(error: SupplyError) -> Self {
        let reason = match &error {
            SupplyError::Missing(_) | SupplyError::Damaged(_) => Some(Reason::MissingContent),
            SupplyError::Write(_) => None,
        };
        Self { reason, keeps_second: false, source: Some(error.into()) }
    }
}

/// A refusal in the words of a plan: what is there or not there against expectation is drift. None if it says nothing
/// about the path.
fn reason_of(error: &DiskError) -> Option<Reason> {
    if error.is_not_found() || error.is_not_empty() {
        Some(Reason::Drift)
    } else if error.leads_astray() {
        Some(Reason::UnsafePath)
    } else if error.is_permission() || error.is_mount_point() {
        Some(Reason::Permission)
    } else {
        None
    }
}

fn why(reason: Option<Reason>) -> &'static str {
    reason.map_or("the system refused", Reason::code)
}

/// The end of a message, if a second version stays.
fn second_version(kept_beside: Option<&WorkspacePath>) -> String {
    kept_beside.map(|path| format!("; another version of it is at `{path}`")).unwrap_or_default()
}
