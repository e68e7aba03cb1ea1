//! Setup: the plugin's files are written, and the client's own commands register it. Where the client's program is not
//! found, its settings are edited instead, from which it takes the plugin up by itself.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::place::config_folder;
use super::plugin::{self, Modules};
use crate::setup::{SetupCommand, SetupError, SetupFile, SetupPlan, SetupRequest, SetupScope, json, kept, version};

/// The client's program.
const PROGRAM: &str = "claude";

/// How the client calls the plugin.
const PLUGIN: &str = "takeback@takeback";

/// What would be done to plug takeback in.
pub(super) fn install(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let program = program(request);
    let version = program.as_deref().and_then(|program| version(Path::new(program)));
    let mut plan = SetupPlan { files: plugin_files(request, version.as_deref())?, version, ..SetupPlan::default() };
    let settings = Settings::read(request)?;
    if !settings.is_enabled {
        let folder = folder(request).display().to_string();
        let change = SetupFile { after: Some(settings.with_plugin(&folder)?), ..settings.as_it_is() };
        plan.files.extend(kept::remember(request, &change)?);
        let commands = [
            (vec!["plugin", "marketplace", "add", &folder], "tells Claude Code where the plugin is"),
            (vec!["plugin", "install", PLUGIN, "--scope", scope(request)], "switches the plugin on"),
        ];
        change_settings(&mut plan, request, program.as_deref(), change, &commands);
    }
    if !(plan.commands.is_empty() && plan.files.is_empty()) {
        plan.notes.push("Sessions that run already take the plugin up when they are started again".to_owned());
    }
    Ok(plan)
}

/// What would be done to take it out again.
pub(super) fn remove(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let mut plan = SetupPlan::default();
    for (path, _) in plugin::files(&folder(request), &request.program, Modules::Taken) {
        plan.files.extend(SetupFile::removing(&path)?);
    }
    let settings = Settings::read(request)?;
    plan.files.extend(kept::forget(request, &settings.path)?);
    if settings.is_enabled {
        let after = match kept::before(request, &settings.path, settings.bytes.as_deref()) {
            Some(before) => before,
            None => Some(settings.without_plugin()?),
        };
        let change = SetupFile { after, ..settings.as_it_is() };
        let commands = [
            (vec!["plugin", "uninstall", PLUGIN, "--scope", scope(request)], "switches the plugin off"),
            (vec!["plugin", "marketplace", "remove", plugin::NAME], "makes Claude Code forget where it was"),
        ];
        change_settings(&mut plan, request, program(request).as_deref(), change, &commands);
    }
    Ok(plan)
}

/// Changes the settings by the client's own commands, whose layout is then put right; without a client, directly.
fn change_settings(
    plan: &mut SetupPlan,
    request: &SetupRequest,
    program: Option<&str>,
    change: SetupFile,
    commands: &[(Vec<&str>, &'static str)],
) {
    let Some(program) = program else {
        plan.notes.push(format!("`{PROGRAM}` is not in the PATH: only its settings change"));
        plan.files.push(change);
        return;
    };
    plan.commands.extend(commands.iter().map(|(words, why)| SetupCommand {
        words: std::iter::once(&program).chain(words).map(|word| (*word).to_owned()).collect(),
        folder: project(request),
        why,
    }));
    plan.settled.push(change);
}

fn plugin_files(request: &SetupRequest, version: Option<&str>) -> Result<Vec<SetupFile>, SetupError> {
    let folder = folder(request);
    let modules = Modules::of_version(version);
    let mut files = Vec::new();
    for (path, text) in plugin::files(&folder, &request.program, modules) {
        files.extend(SetupFile::writing(&path, text.into_bytes())?);
    }
    if modules == Modules::NotTaken {
        files.extend(SetupFile::removing(&plugin::module_path(&folder))?);
    }
    Ok(files)
}

fn program(request: &SetupRequest) -> Option<String> {
    let search_path = request.home.variables.get("PATH").map(String::as_str).unwrap_or_default();
    disk::child::find_program(PROGRAM, search_path).map(|path| path.display().to_string())
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
    request.own_folder.join(super::NAME)
}

/// The client's settings of the scope that is set up.
struct Settings {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    is_enabled: bool,
}

impl Settings {
    fn read(request: &SetupRequest) -> Result<Self, SetupError> {
        let path = match &request.scope {
            SetupScope::User => config_folder(&request.home).join("settings.json"),
            SetupScope::Project(folder) => folder.join(".claude/settings.json"),
        };
        let bytes = crate::setup::read(&path)?;
        let said: Value = bytes.as_deref().and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
        let is_enabled = said["enabledPlugins"][PLUGIN].as_bool() == Some(true);
        Ok(Self { path, bytes, is_enabled })
    }

    fn as_it_is(&self) -> SetupFile {
        SetupFile { path: self.path.clone(), before: self.bytes.clone(), after: self.bytes.clone(), is_program: false }
    }

    /// The user's settings as they are, with the plugin switched on.
    fn with_plugin(&self, folder: &str) -> Result<Vec<u8>, SetupError> {
        let marketplace = json!({ "source": { "source": "directory", "path": folder } });
        let known = json::set_member(&self.text()?, &["extraKnownMarketplaces", plugin::NAME], &marketplace);
        let on = known.and_then(|text| json::set_member(&text, &["enabledPlugins", PLUGIN], &Value::Bool(true)));
        on.map(String::into_bytes).map_err(|error| self.not_understood(&error))
    }

    /// The user's settings as they are, without the plugin.
    fn without_plugin(&self) -> Result<Vec<u8>, SetupError> {
        let off = json::remove_member(&self.text()?, &["enabledPlugins", PLUGIN]);
        let forgotten = off.and_then(|text| json::remove_member(&text, &["extraKnownMarketplaces", plugin::NAME]));
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
