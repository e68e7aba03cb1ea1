//! [`World`]: a temporary folder with a project, a home and a state folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Fault;

/// A scratch copy of the repository and everything around it. Removed when it is dropped.
pub(crate) struct World {
    folder: PathBuf,
    /// The copy.
    pub(crate) project: PathBuf,
    program: PathBuf,
}

/// Builds the program and gives its path.
pub(crate) fn build(root: &Path) -> Result<PathBuf, Fault> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status =
        Command::new(cargo).args(["build", "--release", "--quiet", "-p", "takeback-app"]).current_dir(root).status()?;
    if !status.success() {
        return Err("The program could not be built".into());
    }
    let target = crate::repository::target_folder(root);
    Ok(target.join("release/takeback"))
}

impl World {
    /// A world with an empty project.
    pub(crate) fn empty(program: PathBuf) -> Result<Self, Fault> {
        let folder = std::env::temp_dir().join(format!("takeback-demo-{}", std::process::id()));
        let world = Self { project: folder.join("project"), folder, program };
        fs::create_dir_all(world.folder.join("home"))?;
        fs::create_dir_all(&world.project)?;
        Ok(world)
    }

    /// A world whose project is a copy of what git knows of the repository.
    pub(crate) fn new(root: &Path, program: PathBuf) -> Result<Self, Fault> {
        let world = Self::empty(program)?;
        let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output()?;
        for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let name = Path::new(std::str::from_utf8(name)?);
            let copy = world.project.join(name);
            fs::create_dir_all(copy.parent().ok_or("A file of the repository has no folder")?)?;
            fs::copy(root.join(name), copy)?;
        }
        Ok(world)
    }

    /// Runs the program with these arguments and shows the command and what it prints.
    pub(crate) fn show(&self, arguments: &[&str]) -> Result<(), Fault> {
        println!("  $ takeback {}", arguments.join(" "));
        let output = self.command().args(arguments).output()?;
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            println!("    {line}");
        }
        if output.status.success() {
            return Ok(());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned().into())
    }

    /// The program, in the project, with a home and a state of its own.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(&self.project)
            .env("HOME", self.folder.join("home"))
            .env("TAKEBACK_HOME", self.folder.join("state"))
            .stdin(Stdio::null());
        command
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A folder for temporary files may as well be emptied by somebody else.
        drop(fs::remove_dir_all(&self.folder));
    }
}
