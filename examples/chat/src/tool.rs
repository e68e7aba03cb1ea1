//! [`Tool`]: what the model may do in the folder. Every run has a window of takeback around it, so that all it changes can
//! be taken back.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use takeback::HostTurn;

use crate::Failure;

/// One call of a tool.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Tool {
    /// Writes one file.
    Write {
        /// Where, below the folder.
        path: String,
        /// All of it.
        content: String,
    },
    /// Runs a command in a shell; it may change anything.
    Shell(String),
}

impl Tool {
    /// One line that says what it does.
    pub(crate) fn summary(&self) -> String {
        match self {
            Tool::Write { path, .. } => format!("write {path}"),
            Tool::Shell(command) => format!("$ {command}"),
        }
    }

    /// Runs it as a step of the turn; returns what the model is told. A tool that fails is no failure of the chat.
    pub(crate) fn run(&self, turn: &HostTurn<'_>, folder: &Path) -> Result<String, Failure> {
        let step = match self {
            Tool::Write { path, .. } => turn.begin_edit("Write", &[path.as_str()])?,
            Tool::Shell(command) => turn.begin_step("Shell", command)?,
        };
        let answer = self.work(folder);
        step.end(answer.is_err())?;
        Ok(answer.unwrap_or_else(|error| format!("failed: {error}")))
    }

    fn work(&self, folder: &Path) -> std::io::Result<String> {
        match self {
            Tool::Write { path, content } => {
                let path = folder.join(path);
                fs::create_dir_all(path.parent().unwrap_or(folder))?;
                fs::write(path, content)?;
                Ok("written".to_owned())
            }
            Tool::Shell(command) => {
                let ended = Command::new("sh").args(["-c", command]).current_dir(folder).output()?;
                let said = [ended.stdout, ended.stderr].concat();
                Ok(format!("{}{}", String::from_utf8_lossy(&said), ended.status))
            }
        }
    }
}
