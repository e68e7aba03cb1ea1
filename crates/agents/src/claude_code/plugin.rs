//! The plugin: hooks on the events that matter, commands for the chat, and a module for the clients that take one. It lies
//! in a folder of ours that the client reads in place, as the one plugin of a marketplace.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::setup::shell_word;

/// The name of the marketplace, and of the plugin in it.
pub(super) const NAME: &str = "takeback";

/// What both are for.
const DESCRIPTION: &str = "Take back what an agent did, files and conversation, and bring it again";

/// A hook that takes longer than this is given up by the client, which then goes on.
const HOOK_SECONDS_MAX: u64 = 30;

/// The first version that was seen to take modules.
const TAKES_MODULES_SINCE: [u64; 3] = [2, 1, 332];

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

/// The module, and the word in it that stands for our program.
const MODULE: &str = include_str!("plugin/hooks/register.ts");
const PROGRAM_IN_MODULE: &str = "'@takeback@'";

/// Whether the client loads modules of plugins into its own process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modules {
    /// It does.
    Taken,
    /// It does not, or nobody knows.
    NotTaken,
}

impl Modules {
    /// What a client of this version does.
    pub(super) fn of_version(version: Option<&str>) -> Self {
        let numbers = version.and_then(|version| version.split('.').map(|part| part.parse().ok()).collect());
        let takes_them = numbers.is_some_and(|numbers: Vec<u64>| numbers.as_slice() >= TAKES_MODULES_SINCE.as_slice());
        if takes_them { Self::Taken } else { Self::NotTaken }
    }
}

/// Every file of the marketplace in `folder`, whose hooks call `program`.
pub(super) fn files(folder: &Path, program: &Path, modules: Modules) -> Vec<(PathBuf, String)> {
    let plugin = folder.join(NAME);
    let mut files = vec![
        (folder.join(".claude-plugin/marketplace.json"), pretty(&marketplace())),
        (plugin.join(".claude-plugin/plugin.json"), pretty(&manifest())),
        (plugin.join("hooks/hooks.json"), pretty(&hooks(program, modules))),
    ];
    if modules == Modules::Taken {
        files.push((module_path(folder), module(program)));
    }
    files.extend(COMMANDS.iter().map(|(name, page)| (plugin.join("commands").join(name), (*page).to_owned())));
    files
}

/// Where the module lies, if there is one.
pub(super) fn module_path(folder: &Path) -> PathBuf {
    folder.join(NAME).join("hooks/register.ts")
}

fn marketplace() -> Value {
    json!({
        "name": NAME,
        "owner": { "name": NAME },
        "plugins": [{ "name": NAME, "source": format!("./{NAME}"), "description": DESCRIPTION }],
    })
}

fn manifest() -> Value {
    json!({
        "name": NAME,
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "author": { "name": NAME },
    })
}

fn hooks(program: &Path, modules: Modules) -> Value {
    let command = format!("{} hook {}", shell_word(&program.display().to_string()), super::NAME);
    let hook = json!({ "type": "command", "command": command, "timeout": HOOK_SECONDS_MAX });
    let events = EVENTS.iter().map(|event| ((*event).to_owned(), json!([{ "hooks": [hook] }])));
    let mut hooks = json!({ "hooks": events.collect::<serde_json::Map<_, _>>() });
    if modules == Modules::Taken {
        hooks["modules"] = json!(["./register.ts"]);
    }
    hooks
}

/// JSON writes a text in a way that the module's language reads, too.
fn module(program: &Path) -> String {
    MODULE.replace(PROGRAM_IN_MODULE, &Value::from(program.display().to_string()).to_string())
}

fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_that_take_modules_get_one() {
        for version in ["2.1.332", "2.1.1000", "2.2.0", "3.0"] {
            assert_eq!(Modules::of_version(Some(version)), Modules::Taken, "{version}");
        }
        for version in [None, Some("2.1.197"), Some("1.9.999"), Some("2.1.x"), Some("")] {
            assert_eq!(Modules::of_version(version), Modules::NotTaken, "{version:?}");
        }
        let listed = |modules| files(Path::new("/own"), Path::new("/bin/takeback"), modules);
        let module = module_path(Path::new("/own"));
        assert!(listed(Modules::Taken).iter().any(|(path, _)| *path == module));
        assert!(!listed(Modules::NotTaken).iter().any(|(path, text)| *path == module || text.contains("register.ts")));
    }

    #[test]
    fn the_program_is_named_as_each_file_reads_it() {
        let program = Path::new("/home/us er/it's \"here\"/takeback");
        let files = files(Path::new("/own"), program, Modules::Taken);
        let text = |name: &str| &files.iter().find(|(path, _)| path.ends_with(name)).expect("the file").1;
        let hooks: Value = serde_json::from_str(text("hooks/hooks.json")).expect("JSON");
        let command = hooks["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().expect("a command");
        assert_eq!(command, r#"'/home/us er/it'\''s "here"/takeback' hook claude-code"#);
        let module = text("hooks/register.ts");
        assert!(module.contains(r#"const PROGRAM = "/home/us er/it's \"here\"/takeback""#), "{module}");
    }
}
