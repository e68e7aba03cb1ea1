//! [`Inside`]: takeback as a library, in this process.

use std::path::Path;

use takeback::{Environment, Takeback, Workspace};

use crate::Fault;

/// A workspace that this process keeps open.
pub(super) struct Inside {
    /// It.
    pub(super) workspace: Workspace,
}

impl Inside {
    /// Opens the workspace at `root`, with its state in an empty folder.
    pub(super) fn open(root: &Path, home: &Path) -> Result<Self, Fault> {
        let takeback = Takeback::new(Environment {
            state_folder: home.join("state"),
            config_folder: None,
            home_folder: Some(home.to_owned()),
            temp_folder: home.join("temp"),
            helper_program: None,
            watcher: takeback::WatcherChoice::Off,
            agent_home: takeback::AgentHome::default(),
            speaks_from_chat: false,
            is_inside_step: false,
        });
        Ok(Self { workspace: takeback.workspace_at(root)? })
    }
}
