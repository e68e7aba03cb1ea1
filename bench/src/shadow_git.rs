//! [`ShadowGit`]: what tools do today: a git repository beside the work tree that takes everything in at every step.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::Fault;
use crate::place::Place;

/// A repository beside a work tree.
pub(crate) struct ShadowGit {
    repository: PathBuf,
    work_tree: PathBuf,
}

impl ShadowGit {
    /// Makes the repository.
    pub(crate) fn new(place: &Place) -> Result<Self, Fault> {
        let git = Self { repository: place.shadow(), work_tree: place.work_tree() };
        git.run(&["init", "--quiet"])?;
        git.run(&["config", "gc.auto", "0"])?;
        Ok(git)
    }

    /// Takes everything in; gives the name of the tree and how long it took.
    pub(crate) fn capture(&self) -> Result<(String, Duration), Fault> {
        let start = Instant::now();
        self.run(&["add", "--all"])?;
        let tree = self.run(&["write-tree"])?;
        Ok((tree, start.elapsed()))
    }

    /// Brings a whole tree back.
    pub(crate) fn restore_all(&self, tree: &str) -> Result<Duration, Fault> {
        let start = Instant::now();
        self.run(&["read-tree", tree])?;
        self.run(&["checkout-index", "--force", "--all"])?;
        Ok(start.elapsed())
    }

    /// Brings files back that are known to have changed.
    pub(crate) fn restore_some(&self, tree: &str, paths: &[String]) -> Result<Duration, Fault> {
        self.run(&["read-tree", tree])?;
        let list = paths.iter().fold(String::new(), |mut list, path| {
            let _ = write!(list, "{path}\0");
            list
        });
        let start = Instant::now();
        let mut command = self.command(&["checkout-index", "--force", "-z", "--stdin"]);
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(list.as_bytes())?;
        }
        let has_worked = child.wait()?.success();
        if has_worked { Ok(start.elapsed()) } else { Err("git checkout-index failed".into()) }
    }

    fn run(&self, arguments: &[&str]) -> Result<String, Fault> {
        let output = self.command(arguments).output()?;
        if !output.status.success() {
            return Err(format!("git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.work_tree);
        command.env("GIT_DIR", &self.repository).env("GIT_WORK_TREE", &self.work_tree);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
    }
}
