//! [`Tools`]: what is fetched once: the trees, and formatters that lie outside of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::catalogue::Tree;
use crate::Fault;

/// Where all that was fetched lies.
pub(crate) struct Tools {
    folder: PathBuf,
}

/// Formatters.
const INSTALL: &str =
    "python3 -m venv venv && venv/bin/pip install -q black wheel && npm install --silent --prefix . prettier";

impl Tools {
    /// Installs the tools in the target folder, unless they are there.
    pub(crate) fn fetch(root: &Path) -> Result<Self, Fault> {
        let tools = Self { folder: crate::repository::target_folder(root).join("trees") };
        once(&tools.folder.join("tools"), INSTALL)?;
        Ok(tools)
    }

    /// Where the tools are.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("tools")
    }

    /// Copies a tree into an empty folder; it is fetched if it is not there.
    pub(crate) fn unpack(&self, tree: &Tree, folder: &Path) -> Result<(), Fault> {
        let fetched = self.folder.join(tree.name.replace(' ', "-"));
        once(&fetched, tree.fetch)?;
        // Not whose the files are: git does not work in folders of others.
        let status = Command::new("cp")
            .args(["-R", "--no-dereference", "--preserve=mode,timestamps,links"])
            .arg(fetched.join("tree/."))
            .arg(folder)
            .status()?;
        if status.success() { Ok(()) } else { Err(format!("{} could not be copied", tree.name).into()) }
    }
}

/// Runs a script in a new folder. If it fails, the folder goes, so that the next run tries again.
fn once(folder: &Path, script: &str) -> Result<(), Fault> {
    if folder.exists() {
        return Ok(());
    }
    println!("Fetching {}", folder.display());
    fs::create_dir_all(folder)?;
    let status = Command::new("sh").args(["-c", script]).current_dir(folder).status()?;
    if status.success() {
        return Ok(());
    }
    fs::remove_dir_all(folder)?;
    Err(format!("this failed: {script}").into())
}
