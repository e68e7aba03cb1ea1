//! Reversible work for coding agents, as a library.
//!
//! [`Takeback`] finds the workspace a folder belongs to and receives what agents say of themselves; [`Workspace`] takes
//! back, brings again and tells what has happened. Nothing here prints, reads arguments or looks at the environment,
//! and every rule that could be decided without a disk lives in `decide`.
//!
//! # Example
//!
//! A host that drives its own agent: whatever happens between the beginning and the end of a step is that step's, and
//! can be taken back and brought again.
//!
//! ```
//! use model::{Outcome, Scope, TurnStatus};
//! use takeback::{Agreement, Environment, Order, Permits, Selection, Takeback};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scratch = tempfile::tempdir()?;
//! let (folder, state_folder) = (scratch.path().join("project"), scratch.path().join("state"));
//! std::fs::create_dir(&folder)?;
//! std::fs::write(folder.join("notes.txt"), "mine\n")?;
//!
//! let takeback = Takeback::new(Environment {
//!     state_folder,
//!     config_folder: None,
//!     home_folder: None,
//!     temp_folder: std::env::temp_dir(),
//!     helper_program: None,
//!     watcher: takeback::WatcherChoice::Off,
//!     agent_home: takeback::AgentHome::default(),
//!     speaks_from_chat: false,
//!     is_inside_step: false,
//! });
//! let workspace = takeback.workspace_at(&folder)?;
//!
//! // One turn with one step that may change anything.
//! let session = workspace.begin_session("my-host", "session-1")?;
//! let turn = session.begin_turn("tidy up")?;
//! let step = turn.begin_step("shell", "rm notes.txt")?;
//! std::fs::remove_file(folder.join("notes.txt"))?;
//! step.end(false)?;
//! turn.end(TurnStatus::Completed)?;
//!
//! // See what taking it back would do, then do exactly that.
//! let order = |selection| Order {
//!     session: Some(session.id),
//!     selection,
//!     scope: Scope::Both,
//!     policy: None,
//!     memory: None,
//!     permits: Permits::NONE,
//! };
//! let undo = order(Selection::UndoTurns { count: 1 });
//! let shown = workspace.preview(&undo)?;
//! let report = workspace.apply(&undo, Agreement::To(&shown), &mut |_, _| {})?;
//! assert_eq!(report.outcome, Outcome::Done);
//! assert_eq!(std::fs::read_to_string(folder.join("notes.txt"))?, "mine\n");
//!
//! // And bring it again.
//! workspace.apply(&order(Selection::Redo { count: 1 }), Agreement::Whatever, &mut |_, _| {})?;
//! assert!(!folder.join("notes.txt").exists());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod apply;
mod checkpoint;
mod choice;
mod claims;
mod doctor;
mod driven;
mod entries;
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
mod opened;
mod order;
mod original;
mod preview;
mod record;
mod recording;
mod recover;
mod report;
mod rest;
mod run;
mod sessions;
mod settings;
mod standing;
mod status;
mod takeback;
mod talk;
mod upkeep;
mod watcher;
mod windows;
mod workspace;

pub use agents::AgentHome;
pub use apply::Agreement;
pub use decide::effects::EffectClass;
pub use decide::{DiffHunk, DiffLine, DiffSide, diff_text};
pub use disk::clock::now_ns;
pub use disk::{PrivateSocket, SocketError, Termination};
pub use doctor::{Diagnosis, GapTally, Trial, TrialError, try_hook, try_out};
pub use driven::ACTIVATION_COMMAND;
pub use entries::NewEntry;
pub use environment::Environment;
pub use error::{OrderError, RecordError, WorkspaceError};
pub use first_capture::HELPER_COMMAND;
pub use history::{CheckpointView, OperationView, PathChange, SessionView, StepView, TurnView};
pub use host::{HostSession, HostStep, HostTurn};
pub use inspect::{
    Author, AuthorKind, BlameView, BlamedLine, CheckpointDetail, ContentDiff, DiffView, FileChange, FileDiff,
    InspectError, OperationDetail, Shown, StepDetail, Target, TurnDetail,
};
pub use opened::OpenedSession;
pub use order::{CheckpointName, Maker, Order, Permits, RevertTarget, Selection};
pub use record::Received;
pub use report::{
    AtAgent, Attachment, ConversationReport, ConversationResult, FileReport, NamedContest, NamedDependent, NamedEffect,
    NamedGap, NamedReader, Report, Trouble,
};
pub use rest::Rest;
pub use run::{Command, CommandEnd, INSIDE_STEP_VARIABLE, RunError};
pub use sessions::PutAwayError;
pub use settings::{Retention, Settings};
pub use standing::Standing;
pub use status::StatusView;
pub use store::{Compacted, Damage, DamageKind, OperationState, PurgeError, Purged, StepExit, VerifyReport};
pub use takeback::{ReceiveError, Takeback};
pub use talk::{ContextView, Forked, OwnTurns, RetireError, SaidView, VersionDiff, VersionSide, VersionView};
pub use upkeep::{CleanedUp, PurgePreview, UpkeepError, WhileBusy};
pub use watch::HelperError;
pub use watcher::{WATCHER_COMMAND, WatcherChoice, WatcherState, WatcherView, end_watcher, run_watcher};
pub use workspace::{CoverageMode, Workspace};
