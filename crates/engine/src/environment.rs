//! [`Environment`]: what the outer world says, as values. A face reads the variables once and hands them in; nothing in
//! this crate looks at the environment itself.

use std::path::PathBuf;

/// The folders and programs an engine works with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Environment {
    /// Where all state lives (`$TAKEBACK_HOME`, else the platform's data folder).
    pub state_folder: PathBuf,
    /// Where the user's own settings file may lie.
    pub config_folder: Option<PathBuf>,
    /// The user's home folder; work in it starts in touched-paths mode.
    pub home_folder: Option<PathBuf>,
    /// The folder for temporary files; work directly in it starts in touched-paths mode.
    pub temp_folder: PathBuf,
    /// The program that can be started again as a detached helper for the first capture. Without it the first tool
    /// waits for the whole capture itself.
    pub helper_program: Option<PathBuf>,
    /// Whether the watcher is used.
    pub watcher: crate::WatcherChoice,
    /// Where agents keep their files, and the variables that say so.
    pub agent_home: agents::AgentHome,
    /// Whether a person asks from inside an agent's chat, so that the agent itself waits for the answer.
    pub speaks_from_chat: bool,
    /// Whether this process was started by an agent's own step, which may not do everything a person may.
    pub is_inside_step: bool,
}
