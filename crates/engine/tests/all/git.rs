//! The machine's git, run apart from anybody's settings, on a repository beside the work tree.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A repository with its work tree elsewhere.
pub(crate) struct Git {
    repository: PathBuf,
    work_tree: PathBuf,
}

/// Whether git can be run at all.
pub(crate) fn is_there() -> bool {
    Command::new("git").arg("--version").output().is_ok_and(|output| output.status.success())
}

impl Git {
    pub(crate) fn init(repository: &Path, work_tree: &Path) -> Self {
        let git = Self { repository: repository.to_owned(), work_tree: work_tree.to_owned() };
        git.run(&["init", "--quiet", "--initial-branch=main"]);
        git
    }

    /// Makes the work tree what a commit says.
    pub(crate) fn checkout(&self, commit: &str) {
        self.run(&["checkout", "--quiet", "--force", "--detach", commit]);
    }

    /// The tree of a commit.
    pub(crate) fn tree_of(&self, commit: &str) -> String {
        self.run(&["rev-parse", &format!("{commit}^{{tree}}")])
    }

    /// The tree that the work tree would be as a commit, ignored files too.
    pub(crate) fn tree_of_work_tree(&self) -> String {
        self.run(&["add", "--all", "--force", "."]);
        self.run(&["write-tree"])
    }

    /// Reads a stream of commits.
    pub(crate) fn fast_import(&self, stream: &[u8]) {
        let mut child = self.command(&["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stream).unwrap();
        assert!(child.wait().unwrap().success(), "git fast-import");
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(&self.work_tree);
        command.env("GIT_DIR", &self.repository).env("GIT_WORK_TREE", &self.work_tree);
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
        command
    }
}
