//! [`Machine`]: where the numbers were taken; numbers of two machines are not to be compared.

use std::fmt;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::Fault;

/// What the numbers depend on.
#[derive(Debug)]
pub(crate) struct Machine {
    processor: String,
    cores: usize,
    kernel: String,
    file_system: String,
    /// How many processes wanted to run during the minute before; a busy machine makes all numbers doubtful.
    load: String,
    git: String,
}

impl Machine {
    /// Looks at the machine and at the file system of `folder`.
    pub(crate) fn look(folder: &Path) -> Result<Self, Fault> {
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processors.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        Ok(Self {
            processor: model.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned()),
            cores: std::thread::available_parallelism()?.get(),
            kernel: said(Command::new("uname").arg("-sr"))?,
            file_system: file_system(folder)?,
            load: load.split(' ').next().unwrap_or_default().to_owned(),
            git: said(Command::new("git").arg("--version"))?,
        })
    }

    /// The machine for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "processor": self.processor,
            "cores": self.cores,
            "kernel": self.kernel,
            "file_system": self.file_system,
            "load_before": self.load,
            "git": self.git,
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { processor, cores, kernel, file_system, load, git } = self;
        write!(out, "{processor}, {cores} cores, {kernel}, {file_system}, load {load}, {git}")
    }
}

/// The type of the file system that a folder lies on, as it is mounted.
fn file_system(folder: &Path) -> Result<String, Fault> {
    let table = said(Command::new("df").arg("--output=fstype").arg(folder))?;
    Ok(table.lines().last().unwrap_or_default().to_owned())
}

fn said(command: &mut Command) -> Result<String, Fault> {
    let output = command.output().map_err(|error| format!("run {:?}: {error}", command.get_program()))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
