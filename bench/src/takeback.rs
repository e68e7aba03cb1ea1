//! [`Takeback`]: the released program, started for one thing after the other as an agent's hooks start it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Fault;
use crate::place::{Place, target_folder};

const SESSION: &str = "bench";

/// The program, at work in one place.
pub(crate) struct Takeback<'a> {
    program: &'a Path,
    place: &'a Place,
}

/// Builds the program as it is released and says where it is.
pub(crate) fn build() -> Result<PathBuf, Fault> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--quiet", "--release", "-p", "takeback-app"]).env("CARGO_TARGET_DIR", target_folder());
    if !command.current_dir(env!("CARGO_MANIFEST_DIR")).status()?.success() {
        return Err("the program could not be built".into());
    }
    Ok(target_folder().join("release/takeback"))
}

impl<'a> Takeback<'a> {
    pub(crate) fn new(program: &'a Path, place: &'a Place) -> Self {
        Self { program, place }
    }

    /// Captures everything for the first time, from start to exit of the process.
    pub(crate) fn first_capture(&self) -> Result<Duration, Fault> {
        let start = Instant::now();
        let output = self.command(&["first-capture"]).output()?;
        succeeded(output, "first-capture").map(|_| start.elapsed())
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) -> Result<(), Fault> {
        Ok(std::fs::remove_dir_all(self.place.state())?)
    }

    /// Starts the session and opens its first turn.
    pub(crate) fn begin(&self) -> Result<(), Fault> {
        self.hook("SessionStart", json!({"source": "startup"}))?;
        self.begin_turn("0")
    }

    /// Opens a turn.
    pub(crate) fn begin_turn(&self, id: &str) -> Result<(), Fault> {
        self.hook("UserPromptSubmit", json!({"prompt": "measure", "prompt_id": id})).map(drop)
    }

    /// Closes the turn.
    pub(crate) fn end_turn(&self) -> Result<(), Fault> {
        self.hook("Stop", json!({"status": "completed"})).map(drop)
    }

    /// The hook before a shell command.
    pub(crate) fn before_tool(&self, id: &str) -> Result<Duration, Fault> {
        self.hook("PreToolUse", tool(id))
    }

    /// The hook after a shell command.
    pub(crate) fn after_tool(&self, id: &str) -> Result<Duration, Fault> {
        self.hook("PostToolUse", tool(id))
    }

    /// Takes the newest turn back.
    pub(crate) fn undo(&self) -> Result<Duration, Fault> {
        let start = Instant::now();
        let output = self.command(&["undo", "--session", SESSION, "--yes", "--json"]).output()?;
        let taken = start.elapsed();
        let report: Value = serde_json::from_slice(&succeeded(output, "undo")?)?;
        if report["outcome"] == "done" { Ok(taken) } else { Err(format!("undo: {report}").into()) }
    }

    /// Hands one event over; gives the time from start to exit. Whatever a hook says is a fault here.
    fn hook(&self, event: &str, mut fields: Value) -> Result<Duration, Fault> {
        fields["hook_event_name"] = event.into();
        fields["session_id"] = SESSION.into();
        fields["cwd"] = self.place.work_tree().to_string_lossy().into();
        let start = Instant::now();
        let mut command = self.command(&["hook", "generic"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        if let Some(mut input) = child.stdin.take() {
            input.write_all(fields.to_string().as_bytes())?;
        }
        let output = child.wait_with_output()?;
        let taken = start.elapsed();
        if !output.stderr.is_empty() {
            return Err(format!("{event}: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
        succeeded(output, event).map(|_| taken)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.program);
        command.args(arguments).current_dir(self.place.work_tree());
        command.env("HOME", self.place.home()).env("TMPDIR", self.place.temporary());
        command.env("TAKEBACK_HOME", self.place.state()).env_remove("XDG_CONFIG_HOME");
        command
    }
}

fn tool(id: &str) -> Value {
    json!({"tool_name": "Bash", "tool_use_id": id, "tool_input": {"command": "make"}, "tool_response": {}})
}

fn succeeded(output: Output, what: &str) -> Result<Vec<u8>, Fault> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("takeback {what}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into())
}
