//! [`World`]: a throw-away workspace, what a user may do in it, and the program to be driven there.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, lchown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::agent::Agent;
use crate::program::{self, Ran};
use crate::tree::{self, Tree};

/// A throw-away workspace with everything around it. Gone when dropped.
#[derive(Debug)]
pub struct World {
    folder: TempDir,
    program: PathBuf,
    variables: Vec<(OsString, OsString)>,
    /// Who runs the program; none: whoever runs the test.
    user: Option<u32>,
}

/// A user without any powers.
const PLAIN_USER: u32 = 61_234;

impl World {
    /// Makes an empty workspace, a home and a folder for temporary files; `program` is what [`World::takeback`] runs.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let world = Self { folder, program: program.into(), variables: Vec::new(), user: None };
        for name in ["workspace", "home", "temp"] {
            fs::create_dir(world.folder.path().join(name)).expect("a folder can be made");
        }
        world
    }

    /// The workspace.
    pub fn workspace(&self) -> PathBuf {
        self.folder.path().join("workspace")
    }

    /// Where the program keeps its state.
    pub fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A path in the workspace as the system spells it.
    pub fn at(&self, path: &str) -> PathBuf {
        self.workspace().join(path)
    }

    /// From now on the program runs as a user whom permissions hold back, who owns everything that is here now. Whoever
    /// runs the test may be such a user already.
    pub fn give_up_powers(&mut self) {
        let owner = fs::metadata(self.folder.path()).expect("the folder of a world is there").uid();
        if owner == 0 {
            give_away(self.folder.path());
            self.user = Some(PLAIN_USER);
        }
    }

    /// Sets a variable for every later run of the program.
    pub fn set_variable(&mut self, name: &str, value: &str) {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.into(), value.into()));
    }

    /// Takes a variable away again.
    pub fn clear_variable(&mut self, name: &str) {
        self.variables.retain(|(known, _)| known != name);
    }

    /// Writes a file, making the folders above it.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a path in the workspace has a folder")).expect("folders can be made");
        fs::write(path, bytes).expect("a file can be written");
    }

    /// The text of a file; none if nothing is there.
    pub fn read(&self, path: &str) -> Option<String> {
        let bytes = fs::read(self.at(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes a file or a link.
    pub fn remove(&self, path: &str) {
        fs::remove_file(self.at(path)).expect("a file can be removed");
    }

    /// Makes a folder with the folders above it.
    pub fn make_dir(&self, path: &str) {
        fs::create_dir_all(self.at(path)).expect("a folder can be made");
    }

    /// Makes a link.
    pub fn link(&self, path: &str, target: &str) {
        symlink(target, self.at(path)).expect("a link can be made");
    }

    /// Sets permission bits.
    pub fn set_mode(&self, path: &str, mode: u32) {
        fs::set_permissions(self.at(path), fs::Permissions::from_mode(mode)).expect("a mode can be set");
    }

    /// Everything in the workspace.
    pub fn look(&self) -> Tree {
        tree::look(&self.workspace())
    }

    /// Runs the program in the workspace; neither its input nor its output is a terminal.
    pub fn takeback(&self, arguments: &[&str]) -> Ran {
        self.takeback_in(&self.workspace(), arguments, b"")
    }

    /// Runs the program in another folder, with this standard input.
    pub fn takeback_in(&self, folder: &Path, arguments: &[&str], input: &[u8]) -> Ran {
        let mut command = Command::new(&self.program);
        command.current_dir(folder).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", self.home());
        command.env("TAKEBACK_HOME", self.state()).env("TMPDIR", self.folder.path().join("temp"));
        // All tests are run with the watcher and without it.
        command.envs(std::env::var_os("TAKEBACK_WATCHER").map(|choice| ("TAKEBACK_WATCHER", choice)));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        program::run(command, arguments.iter().map(|&argument| argument.to_owned()).collect(), input)
    }

    /// Hands one event of the canonical shape to the program.
    pub fn hook(&self, event: &[u8]) -> Ran {
        self.takeback_in(&self.workspace(), &["hook", "generic"], event)
    }

    /// An agent that begins a session.
    pub fn agent(&self, session: &str) -> Agent<'_> {
        Agent::start(self, session)
    }
}

/// Makes the plain user the owner of a path and of everything below it.
fn give_away(path: &Path) {
    lchown(path, Some(PLAIN_USER), Some(PLAIN_USER)).expect("root may give things away");
    if path.is_dir() && !path.is_symlink() {
        for entry in fs::read_dir(path).expect("the folder of a world can be listed") {
            give_away(&entry.expect("the folder of a world can be listed").path());
        }
    }
}
