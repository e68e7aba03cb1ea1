//! [`World`]: a workspace in a temporary folder with a state folder of its own beside it.

use std::path::{Path, PathBuf};

use model::{ConflictPolicy, Scope, SessionId};
use takeback::{Agreement, CheckpointName, Environment, Order, Permits, Report, Selection, Takeback, Workspace};
use tempfile::TempDir;

use crate::tree::{Snapshot, snapshot};

/// Nothing held back: edits from outside and control files are taken like any other.
pub(crate) const EVERYTHING: Permits =
    Permits { include_outside: true, include_control: true, even_if_busy: false, ..Permits::NONE };

pub(crate) struct World {
    pub(crate) folder: TempDir,
    pub(crate) root: PathBuf,
}

impl World {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("workspace");
        std::fs::create_dir(&root).unwrap();
        Self { folder, root }
    }

    pub(crate) fn open(&self) -> Workspace {
        open(self.folder.path())
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        snapshot(&self.root)
    }
}

/// Opens the workspace in a world's folder.
pub(crate) fn open(folder: &Path) -> Workspace {
    let environment = Environment {
        state_folder: folder.join("state"),
        config_folder: None,
        home_folder: Some(folder.join("home")),
        temp_folder: folder.join("temp"),
        helper_program: None,
        watcher: takeback::WatcherChoice::Off,
        agent_home: takeback::AgentHome::default(),
        speaks_from_chat: false,
        is_inside_step: false,
    };
    Takeback::new(environment).workspace_at(&folder.join("workspace")).unwrap()
}

/// An order of one session for the files alone.
pub(crate) fn order(session: SessionId, selection: Selection) -> Order {
    Order {
        session: Some(session),
        selection,
        scope: Scope::Files,
        policy: Some(ConflictPolicy::Stop),
        memory: None,
        permits: Permits::NONE,
    }
}

/// The order to return to a checkpoint with everything.
pub(crate) fn restore(session: SessionId, checkpoint: CheckpointName) -> Order {
    let selection = Selection::Restore { checkpoint, paths: Vec::new() };
    Order { policy: Some(ConflictPolicy::Take), permits: EVERYTHING, ..order(session, selection) }
}

/// Carries an order out, whatever it comes to.
pub(crate) fn apply(workspace: &Workspace, order: &Order) -> Report {
    workspace.apply(order, Agreement::Whatever, &mut |_, _| {}).unwrap()
}
