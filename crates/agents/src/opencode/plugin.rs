//! Setup: one plugin file in the folder from which OpenCode loads plugins. Nothing else of the user's is touched.

use std::path::PathBuf;

use crate::setup::{SetupError, SetupFile, SetupPlan, SetupRequest, SetupScope, version};

const PLUGIN: &str = include_str!("plugin/takeback.js");

/// What would be done to plug takeback in.
pub(super) fn install(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let program = serde_json::Value::from(request.program.display().to_string()).to_string();
    let text = PLUGIN.replace("\"@PROGRAM@\"", &program);
    let files: Vec<SetupFile> = SetupFile::writing(&path(request), text.into_bytes())?.into_iter().collect();
    let search_path = request.home.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let version = disk::child::find_program("opencode", search_path).and_then(|program| version(&program));
    let notes = if files.is_empty() {
        Vec::new()
    } else {
        vec![
            "Sessions that run already take the plugin up when OpenCode is started again; in the chat, type `/takeback undo`".to_owned(),
            "With any plugin there, OpenCode fetches `@opencode-ai/plugin` once from the npm registry".to_owned(),
            "With `\"snapshot\": false` in opencode.json a cut shows in a running chat at once; with snapshots on, at its next start".to_owned(),
        ]
    };
    Ok(SetupPlan { files, notes, version, ..SetupPlan::default() })
}

/// What would be done to take it out again.
pub(super) fn remove(request: &SetupRequest) -> Result<SetupPlan, SetupError> {
    let files = SetupFile::removing(&path(request))?.into_iter().collect();
    Ok(SetupPlan { files, ..SetupPlan::default() })
}

fn path(request: &SetupRequest) -> PathBuf {
    let folder = match &request.scope {
        SetupScope::User => config_folder(request),
        SetupScope::Project(folder) => folder.join(".opencode"),
    };
    folder.join("plugin/takeback.js")
}

fn config_folder(request: &SetupRequest) -> PathBuf {
    let variable =
        |name: &str| request.home.variables.get(name).filter(|folder| folder.starts_with('/')).map(PathBuf::from);
    variable("OPENCODE_CONFIG_DIR")
        .or_else(|| variable("XDG_CONFIG_HOME").map(|folder| folder.join("opencode")))
        .unwrap_or_else(|| request.home.home_folder.join(".config/opencode"))
}
