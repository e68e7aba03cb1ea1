//! Plugging takeback into an agent, as plans: which files would change to what, and which of the agent's own programs
//! would run. An agent's folder says what its setup is; here is what all of them share. Deciding writes nothing.

pub(crate) mod json;
pub(crate) mod kept;
mod perform;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::child::Invocation;
use thiserror::Error;

use crate::driver::AgentHome;

pub use perform::perform;

/// What is to be set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupRequest {
    /// For whom.
    pub scope: SetupScope,
    /// The takeback program that the agent is to call, absolute.
    pub program: PathBuf,
    /// A folder of ours for files the agent reads in place, absolute.
    pub own_folder: PathBuf,
    /// Where the agent keeps its files.
    pub home: AgentHome,
}

/// For whom an agent is set up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetupScope {
    /// For the user, in every folder.
    User,
    /// For one project, in the files that lie in it.
    Project(PathBuf),
}

/// What setting up, or removing, would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SetupPlan {
    /// The files that change, in the order they are written.
    pub files: Vec<SetupFile>,
    /// Programs of the agent that run afterwards, in their order.
    pub commands: Vec<SetupCommand>,
    /// Settings that those programs write anew as a whole: what is to be in them at the end, as the user had laid them
    /// out. Written only if the program has left the same meaning.
    pub settled: Vec<SetupFile>,
    /// What the user has to know or do, as sentences.
    pub notes: Vec<String>,
    /// The version of the agent that was met.
    pub version: Option<String>,
}

/// One file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupFile {
    /// Where, absolute.
    pub path: PathBuf,
    /// What it holds now; none: it is not there.
    pub before: Option<Vec<u8>>,
    /// What it is to hold; none: it is removed.
    pub after: Option<Vec<u8>>,
    /// Whether it is a program.
    pub is_program: bool,
}

/// One run of a program of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetupCommand {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The folder it runs in; none: any.
    pub folder: Option<PathBuf>,
    /// Why, as a phrase for people.
    pub why: &'static str,
}

/// A setup could not be worked out or carried out. What was left untouched is said.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SetupError {
    /// A settings file is not what the agent itself would read.
    #[error("`{path}` is not understood, nothing was changed: {reason}")]
    NotUnderstood {
        /// The file.
        path: String,
        /// What the parser said.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{verb} `{path}` failed: {reason}; run the setup again when that is cured")]
    File {
        /// What was being done.
        verb: &'static str,
        /// The file.
        path: String,
        /// What went wrong.
        reason: String,
    },
    /// The agent's program is not there or said no.
    #[error("`{command}` failed: {reason}")]
    Command {
        /// What was run.
        command: String,
        /// What it said.
        reason: String,
    },
    /// The agent cannot be set up that way.
    #[error("{agent} cannot be set up {way}: nothing was changed")]
    Unsupported {
        /// The agent.
        agent: &'static str,
        /// How.
        way: &'static str,
    },
}

impl SetupFile {
    /// A file that is to hold these bytes; none if it does already.
    pub(crate) fn writing(path: &Path, after: Vec<u8>) -> Result<Option<Self>, SetupError> {
        let before = read(path)?;
        let is_there = before.as_ref() == Some(&after);
        let file = Self { path: path.to_owned(), before, after: Some(after), is_program: false };
        Ok((!is_there).then_some(file))
    }

    /// A file that is to go; none if it is not there.
    pub(crate) fn removing(path: &Path) -> Result<Option<Self>, SetupError> {
        let before = read(path)?;
        Ok(before.is_some().then(|| Self { path: path.to_owned(), before, after: None, is_program: false }))
    }
}

/// What a file holds; none if it is not there.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, SetupError> {
    disk::state::read(path).map_err(|error| SetupError::File {
        verb: "Reading",
        path: path.display().to_string(),
        reason: error.to_string(),
    })
}

/// A word as the shell reads it.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+".contains(&byte);
    if !word.is_empty() && word.bytes().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The version a program tells when it is asked; none if it does not within its time.
pub(crate) fn version(program: &Path) -> Option<String> {
    let output = disk::child::run(&Invocation {
        program,
        arguments: &[OsStr::new("--version")],
        variables: &[],
        removed_variables: &[],
        folder: None,
        input: b"",
        limit: Duration::from_secs(20),
    });
    let text = String::from_utf8(output.ok()?.stdout).ok()?;
    let is_version = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit()) && word.contains('.');
    text.split_whitespace().find(is_version).map(str::to_owned)
}

/// What an agent's folder knows of being set up.
pub trait Setup: Sync {
    /// What would be done to plug takeback in; a plan without files and commands if it is plugged in already. Writes
    /// nothing.
    fn install(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError>;

    /// What would be done to take it out again; settings of the user stay byte for byte. Writes nothing.
    fn remove(&self, request: &SetupRequest) -> Result<SetupPlan, SetupError>;
}
