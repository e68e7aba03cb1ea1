//! [`Product`]: the released program, started for one thing after the other as an agent's hooks start it.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::Fault;

const SESSION: &str = "bench";

/// The built program.
#[derive(Debug)]
pub(crate) struct Program {
    path: PathBuf,
}

/// The program at work in one tree, with a home of its own.
#[derive(Debug)]
pub(crate) struct Product<'a> {
    program: &'a Program,
    work_tree: &'a Path,
    home: PathBuf,
}

impl Program {
    /// Builds the program as it is released, into this target folder.
    pub(crate) fn build(target: &Path) -> Result<Self, Fault> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(["build", "--quiet", "--release", "-p", "takeback-app"]).env("CARGO_TARGET_DIR", target);
        if !command.current_dir(env!("CARGO_MANIFEST_DIR")).status()?.success() {
            return Err("the program could not be built".into());
        }
        Ok(Self { path: target.join("release").join("takeback") })
    }
}

impl<'a> Product<'a> {
    /// Nothing is known of the tree yet; `home` is an empty folder.
    pub(crate) fn new(program: &'a Program, work_tree: &'a Path, home: PathBuf) -> Self {
        Self { program, work_tree, home }
    }

    /// Where its state lies.
    pub(crate) fn state(&self) -> PathBuf {
        self.home.join("state")
    }

    /// Captures everything for the first time.
    pub(crate) fn first_capture(&self) -> Result<(), Fault> {
        let output = self.command(&[takeback::HELPER_COMMAND]).output()?;
        succeeded(output, "first-capture").map(drop)
    }

    /// Starts the session; everything is captured already.
    pub(crate) fn begin_session(&self) -> Result<(), Fault> {
        self.hook("SessionStart", json!({ "source": "startup" }))
    }

    /// Opens a turn.
    pub(crate) fn begin_turn(&self, id: &str) -> Result<(), Fault> {
        self.hook("UserPromptSubmit", json!({ "prompt": "measure", "prompt_id": id }))
    }

    /// Closes the turn.
    pub(crate) fn end_turn(&self) -> Result<(), Fault> {
        self.hook("Stop", json!({ "status": "completed" }))
    }

    /// The hook before a shell command.
    pub(crate) fn before_tool(&self, id: &str) -> Result<(), Fault> {
        self.hook("PreToolUse", tool(id))
    }

    /// The hook after a shell command.
    pub(crate) fn after_tool(&self, id: &str) -> Result<(), Fault> {
        self.hook("PostToolUse", tool(id))
    }

    /// Takes the newest turn back.
    pub(crate) fn undo(&self) -> Result<(), Fault> {
        let output = self.command(&["undo", "--session", SESSION, "--yes", "--json"]).output()?;
        let report: Value = serde_json::from_slice(&succeeded(output, "undo")?)?;
        if report["outcome"] == "done" { Ok(()) } else { Err(format!("undo: {report}").into()) }
    }

    /// Reads what the next run of the newest session gets.
    pub(crate) fn context(&self) -> Result<(), Fault> {
        succeeded(self.command(&["context", "--json"]).output()?, "context").map(drop)
    }

    /// Runs a command in the session and reads what it prints for programs.
    pub(crate) fn ask(&self, arguments: &[&str]) -> Result<(), Fault> {
        let mut command = self.command(arguments);
        succeeded(command.args(["--session", SESSION, "--json"]).output()?, arguments[0]).map(drop)
    }

    /// The command that serves a host.
    pub(crate) fn serve(&self) -> Command {
        self.command(&["serve"])
    }

    /// Hands one event over. Whatever a hook says is a fault here.
    fn hook(&self, event: &str, mut fields: Value) -> Result<(), Fault> {
        fields["hook_event_name"] = event.into();
        fields["session_id"] = SESSION.into();
        fields["cwd"] = self.work_tree.to_string_lossy().into();
        let mut command = self.command(&["hook", "generic"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let mut input = child.stdin.take().ok_or("the hook takes no input")?;
        input.write_all(fields.to_string().as_bytes())?;
        drop(input);
        let output = child.wait_with_output()?;
        if !output.stderr.is_empty() {
            return Err(format!("{event}: {}", String::from_utf8_lossy(&output.stderr).trim()).into());
        }
        succeeded(output, event).map(drop)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program.path);
        command.args(arguments).current_dir(self.work_tree).env_clear();
        command.envs(std::env::var_os("TAKEBACK_WATCHER").map(|choice| ("TAKEBACK_WATCHER", choice)));
        command.env("HOME", &self.home).env("TMPDIR", self.home.join("temp")).env("TAKEBACK_HOME", self.state());
        command
    }
}

fn tool(id: &str) -> Value {
    json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": "make" }, "tool_response": {} })
}

fn succeeded(output: Output, what: &str) -> Result<Vec<u8>, Fault> {
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("takeback {what}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()).into())
}
