//! Reversible work for coding agents, as a library.
//!
//! [`Takeback`] finds the workspace a folder belongs to and receives what agents say of themselves; [`Workspace`] takes
//! back, brings again and tells what has happened. Nothing here prints, reads arguments or looks at the environment,
//! and every rule that could be decided without a disk lives in `decide`.
#![forbid(unsafe_code)]

mod apply;
mod checkpoint;
mod choice;
mod claims;
mod doctor;
mod environment;
mod error;
mod first_capture;
mod heads;
mod history;
mod home;
mod host;
mod inspect;
mod moment;
mod neighbours;
mod order;
mod original;
mod preview;
mod record;
mod recording;
mod recover;
mod report;
mod run;
mod settings;
mod status;
mod takeback;
mod talk;
mod upkeep;
mod windows;
mod workspace;

pub use apply::Agreement;
pub use decide::effects::EffectClass;
pub use decide::{DiffHunk, DiffLine, DiffSide};
pub use disk::clock::now_ns;
pub use doctor::{Diagnosis, GapTally, Trial, TrialError, try_out};
pub use environment::Environment;
pub use error::{OrderError, RecordError, WorkspaceError};
pub use first_capture::HELPER_COMMAND;
pub use history::{CheckpointView, OperationView, PathChange, SessionView, StepView, TurnView};
pub use host::{HostSession, HostStep, HostTurn};
pub use inspect::{
    CheckpointDetail, ContentDiff, DiffView, FileChange, FileDiff, InspectError, OperationDetail, Shown, StepDetail,
    Target, TurnDetail,
};
pub use order::{CheckpointName, Order, Permits, RevertTarget, Selection};
pub use record::Received;
pub use report::{ConversationReport, ConversationResult, FileReport, NamedEffect, NamedGap, Report, Trouble};
pub use run::{Command, CommandEnd, INSIDE_STEP_VARIABLE, RunError};
pub use settings::{Retention, Settings};
pub use status::StatusView;
pub use store::{Compacted, Damage, DamageKind, OperationState, PurgeError, Purged, StepExit, VerifyReport};
pub use takeback::{ReceiveError, Takeback};
pub use talk::{ContextView, SaidView, VersionView};
pub use upkeep::{CleanedUp, PurgePreview, UpkeepError, WhileBusy};
pub use workspace::{CoverageMode, Workspace};
