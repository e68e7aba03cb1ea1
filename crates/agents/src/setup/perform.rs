//! Carrying a setup out: files one after the other, then the agent's own programs. A file that is no longer what the plan
//! saw stops everything; whatever was written by then is taken back.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use disk::child::Invocation;
use serde_json::Value;

use super::{SetupCommand, SetupError, SetupFile, SetupPlan, read};
use crate::driver::AgentHome;

/// An agent's program that takes longer is ended.
const COMMAND_LIMIT: Duration = Duration::from_secs(120);

/// Writes the files of a plan and runs its programs.
///
/// On success everything is as the plan says. On an error every file holds what it held before, except where a program of
/// the agent has changed something of its own by then; the error says which part failed. Modes, owners and links of files
/// that are there stay.
pub fn perform(plan: &SetupPlan, home: &AgentHome) -> Result<(), SetupError> {
    let mut written = Vec::new();
    let done = plan.files.iter().try_for_each(|file| {
        write(file)?;
        written.push(file);
        Ok(())
    });
    let done = done.and_then(|()| plan.commands.iter().try_for_each(|command| run(command, home)));
    let done = done.and_then(|()| plan.settled.iter().try_for_each(settle));
    if done.is_err() {
        for file in written.into_iter().rev() {
            let back = SetupFile { before: file.after.clone(), after: file.before.clone(), ..file.clone() };
            // What cannot be put back is named by the next run, which finds the file as it is.
            _ = write(&back);
        }
    }
    done
}

fn write(file: &SetupFile) -> Result<(), SetupError> {
    if read(&file.path)? != file.before {
        return Err(SetupError::File {
            verb: "Changing",
            path: file.path.display().to_string(),
            reason: "somebody changed it meanwhile".to_owned(),
        });
    }
    let failed = |verb: &'static str, error: disk::DiskError| SetupError::File {
        verb,
        path: file.path.display().to_string(),
        reason: error.to_string(),
    };
    match &file.after {
        Some(bytes) => disk::state::write_over(&file.path, bytes).map_err(|error| failed("Writing", error)),
        None => disk::state::remove(&file.path).map(|_| ()).map_err(|error| failed("Removing", error)),
    }
}

/// The agent's program has written its settings anew, in its own layout: the user's layout comes back, if it means the
/// same. If it does not, the program knows better.
fn settle(file: &SetupFile) -> Result<(), SetupError> {
    let now = read(&file.path)?;
    if meaning(now.as_deref()) == meaning(file.after.as_deref()) {
        return write(&SetupFile { before: now, ..file.clone() });
    }
    Ok(())
}

/// What settings say, whatever they look like. Nothing, and empty containers, say nothing.
fn meaning(bytes: Option<&[u8]>) -> Option<Value> {
    let value: Value = bytes.map_or(Some(Value::Null), |bytes| serde_json::from_slice(bytes).ok())?;
    Some(without_empty(value))
}

fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members: serde_json::Map<_, _> = members
                .into_iter()
                .map(|(name, value)| (name, without_empty(value)))
                .filter(|(_, value)| !value.is_null())
                .collect();
            if members.is_empty() { Value::Null } else { Value::Object(members) }
        }
        other => other,
    }
}

fn run(command: &SetupCommand, home: &AgentHome) -> Result<(), SetupError> {
    let failed = |reason: String| SetupError::Command { command: command.words.join(" "), reason };
    let (program, arguments) = command.words.split_first().ok_or_else(|| failed("it is empty".to_owned()))?;
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let output = disk::child::run(&Invocation {
        program: Path::new(program),
        arguments: &arguments,
        variables: &[("HOME", home.home_folder.as_os_str())],
        removed_variables: &["CLAUDECODE", "CODEX_SANDBOX"],
        folder: command.folder.as_deref(),
        input: b"",
        limit: COMMAND_LIMIT,
    })
    .map_err(|error| failed(error.to_string()))?;
    if output.status == Some(0) {
        return Ok(());
    }
    let said = if output.stderr.is_empty() { output.stdout } else { output.stderr };
    Err(failed(String::from_utf8_lossy(&said).trim().chars().take(400).collect()))
}
