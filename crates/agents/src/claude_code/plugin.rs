//! Setup: a plugin with hooks on the events that matter and commands for the chat, in a folder of ours that the client
//! reads in place, and the client's own commands that register it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::setup::{
    SetupCommand, SetupError, SetupFile, SetupPlan, SetupRequest, SetupScope, json, kept, shell_word, version,
};

/// The client's program.
const PROGRAM: &str = "claude";
/// What the marketplace, and the plugin in it, are called.
const PLUGIN: &str = "takeback@takeback";
/// A hook that takes longer than this is given up by the client, which then goes on.
const HOOK_SECONDS_MAX: u64 = 30;

/// The events that are listened to. What is not here costs nothing.
const EVENTS: [&str; 14] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PostCompact",
    "Stop",
    "StopFailure",
];

/// The commands of the chat, each with its page.
const COMMANDS: [(&str, &str); 8] = [
    ("undo.md", include_str!("plugin/commands/undo.md")),
    ("redo.md", include_str!("plugin/commands/redo.md")),
    ("rewind.md", include_str!("plugin/commands/rewind.md")),
    ("revert.md", include_str!("plugin/commands/revert.md")),
    ("preview.md", include_str!("plugin/commands/preview.md")),
    ("log.md", include_str!("plugin/commands/log.md")),
    ("status.md", include_str!("plugin/commands/status.md")),
    ("versions.md", include_str!("plugin/commands/versions.md")),
];

/// What would be done to plug takeback in.
pub(super) fn install(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let program = program(request)?;
    let mut files = Vec::new();
    for (path, text) in plugin_files(request) {
        files.extend(SetupFile::writing(&path, text.into_bytes())?);
    }
    let settings = settings(request)?;
    let is_registered = settings.is_enabled;
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let folder = folder(request).display().to_string();
    let mut commands = Vec::new();
    if !is_registered {
        let scope = scope(request);
        commands.push(SetupCommand {
            words: words(&[&program, "plugin", "marketplace", "add", &folder]),
            folder: project(request),
            why: "tells Claude Code where the plugin is",
        });
        commands.push(SetupCommand {
            words: words(&[&program, "plugin", "install", PLUGIN, "--scope", scope]),
            folder: project(request),
            why: "switches the plugin on",
        });
    }
    let mut settled = Vec::new();
    if !is_registered {
        let change = SetupFile { after: Some(settings.with_plugin(&folder)?), ..settings.as_it_is() };
        files.extend(kept::remember(request, &change)?);
        settled.push(change);
    }
    let notes = vec!["Sessions that run already take the plugin up when they are started again".to_owned()];
    let version = version(Path::new(&program));
    Ok(SetupPlan {
        notes: if commands.is_empty() && files.is_empty() { Vec::new() } else { notes },
        files,
        commands,
        settled,
        version,
    })
}

/// What would be done to take it out again.
pub(super) fn remove(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let mut files = Vec::new();
    for (path, _) in plugin_files(request) {
        files.extend(SetupFile::removing(&path)?);
    }
    let mut commands = Vec::new();
    let mut settled = Vec::new();
    let settings = settings(request)?;
    files.extend(kept::forget(request, &settings.path)?);
    if settings.is_enabled {
        let after = match kept::before(request, &settings.path, settings.bytes.as_deref()) {
            Some(before) => before,
            None => Some(settings.without_plugin()?),
        };
        settled.push(SetupFile { after, ..settings.as_it_is() });
        let program = program(request)?;
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        commands.push(SetupCommand {
            words: words(&[&program, "plugin", "uninstall", PLUGIN, "--scope", scope(request)]),
            folder: project(request),
            why: "switches the plugin off",
        });
        commands.push(SetupCommand {
            words: words(&[&program, "plugin", "marketplace", "remove", "takeback"]),
            folder: project(request),
            why: "makes Claude Code forget where it was",
        });
    }
    Ok(SetupPlan { files, commands, settled, ..SetupPlan::default() })
}

fn program(request: &SetupRequest) -> Result<String, SetupError> {
    let search_path = request.home.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let found = disk::child::find_program(PROGRAM, search_path).map(|path| path.display().to_string());
    found.ok_or(SetupError::Command { command: PROGRAM.to_owned(), reason: "it is not in the PATH".to_owned() })
}

fn scope(request: &SetupRequest) -> &'static str {
    match request.scope {
        SetupScope::User => "user",
        SetupScope::Project(_) => "project",
    }
}

/// The client decides by the folder it runs in which project is meant.
fn project(request: &SetupRequest) -> Option<PathBuf> {
    match &request.scope {
        SetupScope::User => None,
        SetupScope::Project(folder) => Some(folder.clone()),
    }
}

/// The folder that holds the marketplace with the one plugin in it.
fn folder(request: &SetupRequest) -> PathBuf {
    request.own_folder.join("claude-code")
}

fn plugin_files(request: &SetupRequest) -> Vec<(PathBuf, String)> {
    let folder = folder(request);
    let plugin = folder.join("takeback");
    let mut files = vec![
        (folder.join(".claude-plugin/marketplace.json"), pretty(&marketplace())),
        (plugin.join(".claude-plugin/plugin.json"), pretty(&manifest())),
        (plugin.join("hooks/hooks.json"), pretty(&hooks(&request.program))),
    ];
    files.extend(COMMANDS.iter().map(|(name, page)| (plugin.join("commands").join(name), (*page).to_owned())));
    files
}

fn marketplace() -> Value {
    json!({
        "name": "takeback",
        "owner": { "name": "takeback" },
        "plugins": [{ "name": "takeback", "source": "./takeback", "description": DESCRIPTION }],
    })
}

const DESCRIPTION: &str = "Take back what an agent did, files and conversation, and bring it again";

fn manifest() -> Value {
    json!({
        "name": "takeback",
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "author": { "name": "takeback" },
    })
}

fn hooks(program: &Path) -> Value {
    let command = format!("{} hook {}", shell_word(&program.display().to_string()), super::NAME);
    let hook = json!({ "type": "command", "command": command, "timeout": HOOK_SECONDS_MAX });
    let events = EVENTS.iter().map(|event| ((*event).to_owned(), json!([{ "hooks": [hook] }])));
    json!({ "hooks": events.collect::<serde_json::Map<_, _>>() })
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// The client's settings of the scope that is set up.
struct Settings {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    is_enabled: bool,
}

fn settings(request: &SetupRequest) -> Result<Settings, SetupError> {
    let path = match &request.scope {
        SetupScope::User => config_folder(request).join("settings.json"),
        SetupScope::Project(folder) => folder.join(".claude/settings.json"),
    };
    let bytes = crate::setup::read(&path)?;
    let said: Value = bytes.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    let is_enabled = said["enabledPlugins"][PLUGIN].as_bool() == Some(true);
    Ok(Settings { path, bytes, is_enabled })
}

impl Settings {
    fn as_it_is(&self) -> SetupFile {
        SetupFile { path: self.path.clone(), before: self.bytes.clone(), after: self.bytes.clone(), is_program: false }
    }

    /// The user's settings as they are, with the plugin switched on.
    fn with_plugin(&self, folder: &str) -> Result<Vec<u8>, SetupError> {
        let marketplace = json!({ "source": { "source": "directory", "path": folder } });
        let known = json::set_member(&self.text()?, &["extraKnownMarketplaces", "takeback"], &marketplace);
        let on = known.and_then(|text| json::set_member(&text, &["enabledPlugins", PLUGIN], &Value::Bool(true)));
        on.map(String::into_bytes).map_err(|error| self.not_understood(&error))
    }

    /// The user's settings as they are, without the plugin.
    fn without_plugin(&self) -> Result<Vec<u8>, SetupError> {
        let off = json::remove_member(&self.text()?, &["enabledPlugins", PLUGIN]);
        let forgotten = off.and_then(|text| json::remove_member(&text, &["extraKnownMarketplaces", "takeback"]));
        forgotten.map(String::into_bytes).map_err(|error| self.not_understood(&error))
    }

    fn text(&self) -> Result<String, SetupError> {
        let bytes = self.bytes.clone().unwrap_or_default();
        String::from_utf8(bytes).map_err(|error| self.not_understood(&error))
    }

    fn not_understood(&self, error: &dyn std::error::Error) -> SetupError {
        SetupError::NotUnderstood { path: self.path.display().to_string(), reason: error.to_string() }
    }
}

fn config_folder(request: &SetupRequest) -> PathBuf {
    let moved = request.home.variables.get("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    moved.unwrap_or_else(|| request.home.home_folder.join(".claude"))
}
