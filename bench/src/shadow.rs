//! [`Shadow`]: what tools do today: a git repository beside the work tree that takes everything in at every step.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Fault;

/// A repository beside a work tree.
#[derive(Debug)]
pub(crate) struct Shadow {
    repository: PathBuf,
    work_tree: PathBuf,
}

impl Shadow {
    /// Makes the repository in an empty folder.
    pub(crate) fn new(repository: PathBuf, work_tree: &Path) -> Result<Self, Fault> {
        let git = Self { repository, work_tree: work_tree.to_owned() };
        git.run(&["init", "--quiet"])?;
        git.run(&["config", "gc.auto", "0"])?;
        Ok(git)
    }

    /// Takes everything in; gives the name of the tree.
    pub(crate) fn capture(&self) -> Result<String, Fault> {
        self.run(&["add", "--all"])?;
        self.run(&["write-tree"])
    }

    /// Brings a whole tree back.
    pub(crate) fn restore_all(&self, tree: &str) -> Result<(), Fault> {
        self.run(&["read-tree", tree])?;
        self.run(&["checkout-index", "--force", "--all"]).map(drop)
    }

    /// Makes `tree` the one that [`Shadow::restore_listed`] takes files from.
    pub(crate) fn read_tree(&self, tree: &str) -> Result<(), Fault> {
        self.run(&["read-tree", tree]).map(drop)
    }

    /// Brings exactly these files back.
    pub(crate) fn restore_listed(&self, paths: &[String]) -> Result<(), Fault> {
        let mut command = self.command(&["checkout-index", "--force", "-z", "--stdin"]);
        let mut child = command.stdin(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().ok_or("git takes no input")?;
        input.write_all(paths.join("\0").as_bytes())?;
        drop(input);
        if child.wait()?.success() { Ok(()) } else { Err("git checkout-index failed".into()) }
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
