//! `cargo xtask clients`: installs the agents that the tests in `crates/clients` drive, in the versions they name, below
//! the target folder. Needs the npm registry once; what is there already stays. Touches no agent of the user's. Versions
//! that are only there to be recorded anew are installed with `TAKEBACK_RECORD=1`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::repository::target_folder;
use crate::{Fault, Verdict};

/// Which agents, from the root; the tests read the same list.
const LIST: &str = "crates/clients/clients.json";

/// The registry fails now and then; so often it is asked for one agent.
const TRIES: usize = 3;

/// Installs what is missing.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    let list: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(root.join(LIST))?)?;
    let folder = folder(root);
    let mut verdict = Verdict::Clean;
    let wants_all = std::env::var_os("TAKEBACK_RECORD").is_some();
    for row in list.iter().filter(|row| wants_all || row["only_recorded"] != true) {
        let pin = Pin::read(row).ok_or("a row of the list of clients lacks a field")?;
        if let Err(fault) = pin.install(&folder) {
            println!("{} {} could not be installed: {fault}", pin.name, pin.version);
            verdict = Verdict::Found;
        }
    }
    Ok(verdict)
}

/// Where they are installed: a folder of the user's choice, or one that goes with the target folder.
fn folder(root: &Path) -> PathBuf {
    std::env::var_os("TAKEBACK_CLIENTS").map_or_else(|| target_folder(root).join("clients"), PathBuf::from)
}

/// An agent in one version.
struct Pin<'a> {
    name: &'a str,
    version: &'a str,
    package: &'a str,
}

impl<'a> Pin<'a> {
    fn read(row: &'a Value) -> Option<Self> {
        Some(Self { name: row["name"].as_str()?, version: row["version"].as_str()?, package: row["package"].as_str()? })
    }

    /// Installs it beside its place and moves it there once it is whole: a run that was ended half way leaves nothing
    /// that looks installed.
    fn install(&self, clients: &Path) -> Result<(), Fault> {
        let place = clients.join(format!("{}-{}", self.name, self.version));
        if place.exists() {
            return Ok(());
        }
        println!("Installing {} {}", self.package, self.version);
        let unfinished = place.with_extension("unfinished");
        let mut ended = self.fetch(&unfinished);
        for _ in 1..TRIES {
            if ended.is_ok() {
                break;
            }
            ended = self.fetch(&unfinished);
        }
        ended?;
        Ok(std::fs::rename(&unfinished, &place)?)
    }

    fn fetch(&self, folder: &Path) -> Result<(), Fault> {
        if folder.exists() {
            std::fs::remove_dir_all(folder)?;
        }
        std::fs::create_dir_all(folder)?;
        let package = json!({ "private": true, "dependencies": { self.package: self.version } });
        std::fs::write(folder.join("package.json"), package.to_string())?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder).stdin(Stdio::null());
        let status = npm.status().map_err(|error| format!("run npm: {error}"))?;
        if status.success() { Ok(()) } else { Err("npm failed".into()) }
    }
}
