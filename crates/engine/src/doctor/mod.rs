//! How takeback fares here: a trial on a scratch folder, and what is known of the workspace. Reads the workspace, writes
//! nothing into it; what is good or bad about the findings is for the faces to say.

mod edits;
mod file_system;
mod hook_trial;
mod picture;
mod scratch;
mod tally;
mod trial;

use disk::DiskError;
use model::{OperationId, Tree as _, WorkspacePath};

pub use hook_trial::try_hook;
pub use tally::GapTally;
pub use trial::{Trial, TrialError, try_out};

use tally::tally;

use crate::error::RecordError;
use crate::moment::Moment;
use crate::watcher::WatcherView;
use crate::workspace::{CoverageMode, Workspace};

/// What is known of a workspace that bears on how well it is looked after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// How much of it is watched.
    pub coverage: CoverageMode,
    /// How many paths are known.
    pub entries: usize,
    /// What of them is not covered, the most frequent reason first.
    pub gaps: Vec<GapTally>,
    /// What is wrong in the settings files, as sentences.
    pub settings_wrong: Vec<String>,
    /// Operations that could not be taken back completely.
    pub stuck: Vec<OperationId>,
    /// What the store takes on disk, in bytes.
    pub stored_bytes: u64,
    /// What is free on the disk that holds the store, in bytes.
    pub free_bytes: u64,
    /// How long a barrier takes when nothing has changed, in nanoseconds: the median of a few. None before the first
    /// capture is made.
    pub barrier_ns: Option<u64>,
    /// How the watcher fares.
    pub watcher: WatcherView,
    /// The kind of file system, if the system tells.
    pub file_system: Option<String>,
    /// Whether names that differ only in case are one name there.
    pub folds_case: bool,
}

/// How many barriers are measured; the one before them catches up with what has changed.
const BARRIERS: usize = 5;

impl Workspace {
    /// Looks at how the workspace is looked after.
    ///
    /// The present state is recorded a few times, to measure how long that takes. Nothing in the workspace is written.
    pub fn diagnose(&self) -> Result<Diagnosis, RecordError> {
        let barrier_ns = if self.has_first_capture()? { Some(self.measure_barrier()?) } else { None };
        let reader = self.store.read()?;
        let index = reader.index()?;
        let stuck = reader.open_operations()?.into_iter().filter(|one| one.state == store::OperationState::Stuck);
        Ok(Diagnosis {
            coverage: self.coverage_mode()?,
            entries: index.len(),
            gaps: tally(index.paths_below(&WorkspacePath::root()).into_iter().filter_map(|path| {
                let reason = index.entry(&path).gap()?;
                Some((path, reason))
            })),
            settings_wrong: self.read_settings().1,
            stuck: stuck.map(|operation| operation.id).collect(),
            stored_bytes: self.stored_bytes()?,
            free_bytes: disk::state::free_space_bytes(self.state_path())?,
            barrier_ns,
            watcher: self.watcher()?,
            file_system: file_system::kind_of(self.root_path()),
            folds_case: worktree::is_case_insensitive(&self.root, &WorkspacePath::root())?,
        })
    }

    fn measure_barrier(&self) -> Result<u64, RecordError> {
        self.pass_barrier()?;
        let mut times_ns = Vec::new();
        for _ in 0..BARRIERS {
            let began_ns = disk::clock::monotonic_ns();
            self.pass_barrier()?;
            times_ns.push(disk::clock::monotonic_ns().saturating_sub(began_ns));
        }
        times_ns.sort_unstable();
        Ok(times_ns[BARRIERS / 2])
    }

    fn pass_barrier(&self) -> Result<(), RecordError> {
        self.record("doctor", |recording| recording.enter(&Moment::of("doctor", None)))?;
        Ok(())
    }
}

/// The device that a folder lies on.
fn device_of(folder: &std::path::Path) -> Result<u64, DiskError> {
    Ok(disk::Dir::open(folder)?.stat_self()?.stamp.device)
}
