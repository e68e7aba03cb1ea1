//! Setup: hooks in the hooks file of Codex, beside whatever else the user has in it. Codex asks once whether it may run
//! them, and asks again when the command changes, so the command stays the same in every version.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::rollout::codex_home;
use crate::setup::json::{JsonError, push_element, remove_elements};
use crate::setup::{SetupError, SetupFile, SetupPlan, SetupRequest, SetupScope, kept, version};

/// A hook that takes longer than this is given up by Codex, which then goes on.
const HOOK_SECONDS_MAX: u64 = 30;
/// The same for events at which Codex waits no longer.
const PARTING_SECONDS_MAX: u64 = 3;

/// The events that are listened to.
const EVENTS: [&str; 10] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
];

/// What would be done to plug takeback in.
pub(super) fn install(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let path = path(request);
    let before = crate::setup::read(&path)?;
    let mut text = text(&path, before.clone())?;
    for event in EVENTS {
        text = push_element(&text, &["hooks", event], &hook(request, event))
            .map_err(|error| not_understood(&path, &error))?;
    }
    let search_path = request.home.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let version = disk::child::find_program("codex", search_path).and_then(|program| version(&program));
    if before.as_deref() == Some(text.as_bytes()) {
        return Ok(SetupPlan { version, ..SetupPlan::default() });
    }
    let change = SetupFile { path, before, after: Some(text.into_bytes()), is_program: false };
    let files = kept::remember(request, &change)?.into_iter().chain([change]).collect();
    let notes = vec![
        "Codex asks at its next start whether it may run these hooks: choose to trust them, or nothing is recorded"
            .to_owned(),
        "In the chat, type `takeback undo` as a prompt: it is answered without asking the model".to_owned(),
    ];
    Ok(SetupPlan { files, notes, version, ..SetupPlan::default() })
}

/// What would be done to take it out again.
pub(super) fn remove(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let path = path(request);
    let now = crate::setup::read(&path)?;
    let Some(bytes) = now.clone() else { return Ok(SetupPlan::default()) };
    let after = match kept::before(request, &path, Some(&bytes)) {
        Some(before) => before,
        None => Some(without_hooks(&path, bytes)?),
    };
    let mut files: Vec<SetupFile> = kept::forget(request, &path)?.into_iter().collect();
    if after != now {
        files.push(SetupFile { path, before: now, after, is_program: false });
    }
    Ok(SetupPlan { files, ..SetupPlan::default() })
}

fn without_hooks(path: &std::path::Path, bytes: Vec<u8>) -> Result<Vec<u8>, SetupError> {
    let mut text = text(path, Some(bytes))?;
    let is_ours = |value: &Value| {
        let hooks = value["hooks"].as_array().map(Vec::as_slice).unwrap_or_default();
        hooks.iter().any(|hook| hook["command"].as_str().is_some_and(|command| command.ends_with(" hook codex")))
    };
    for event in EVENTS {
        text = remove_elements(&text, &["hooks", event], &is_ours).map_err(|error| not_understood(path, &error))?;
    }
    Ok(text.into_bytes())
}

fn path(request: &SetupRequest) -> PathBuf {
    match &request.scope {
        SetupScope::User => codex_home(&request.home).join("hooks.json"),
        SetupScope::Project(folder) => folder.join(".codex/hooks.json"),
    }
}

fn hook(request: &SetupRequest, event: &str) -> Value {
    let seconds = if matches!(event, "SessionEnd" | "Interrupt") { PARTING_SECONDS_MAX } else { HOOK_SECONDS_MAX };
    let program = request.program.display().to_string();
    let command = format!("{} hook {}", crate::setup::shell_word(&program), super::NAME);
    json!({ "hooks": [{ "type": "command", "command": command, "timeout": seconds }] })
}

fn text(path: &std::path::Path, bytes: Option<Vec<u8>>) -> Result<String, SetupError> {
    String::from_utf8(bytes.unwrap_or_default())
        .map_err(|error| SetupError::NotUnderstood { path: path.display().to_string(), reason: error.to_string() })
}

fn not_understood(path: &std::path::Path, error: &JsonError) -> SetupError {
    SetupError::NotUnderstood { path: path.display().to_string(), reason: error.to_string() }
}
