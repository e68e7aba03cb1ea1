//! [`Recording`]: what a client has sent and written in a scene. The client's hooks write each payload into a file of its
//! own, named after the time; its conversations are taken from where it keeps them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use super::Kinds;
use super::scrub::Scrub;
use crate::frame::{Scene, files_below, put, tool};

/// The events of Claude Code that its versions have in common, but for those whose hooks replace what it would do.
const OF_CLAUDE: [&str; 20] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "PreToolUse",
    "PermissionRequest",
    "PermissionDenied",
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Notification",
    "Stop",
    "StopFailure",
    "TaskCreated",
    "TaskCompleted",
    "CwdChanged",
];

/// Those of Codex.
const OF_CODEX: [&str; 12] = [
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "Stop",
    "Interrupt",
];

/// takeback's plugin, through which OpenCode sends its events.
const PLUGIN: &str = include_str!("../../../../agents/src/opencode/plugin/takeback.js");
/// The word in it that stands for the program it calls.
const PROGRAM_IN_PLUGIN: &str = "\"@PROGRAM@\"";

/// Where Claude Code and Codex write conversations down.
const CONVERSATIONS: [&str; 2] = [".claude/projects", ".codex/sessions"];
/// Where OpenCode does, and where the rows of that are kept in a recording.
const DATABASE: &str = ".local/share/opencode/opencode.db";
const ROWS: &str = ".local/share/opencode/rows.jsonl";
/// The tables of the database that hold conversations.
const TABLES: [&str; 3] = ["session", "message", "part"];

/// What a client has sent and written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Recording {
    /// Its files by their paths; those of the client's home below `home`.
    files: BTreeMap<PathBuf, String>,
}

/// Makes the client tell what happens.
pub(super) fn listen(scene: &Scene<'_>) {
    let program = write_recorder(scene);
    let home = scene.world.home();
    let hook = json!([{ "hooks": [{ "type": "command", "command": program.to_string_lossy(), "timeout": 20 }] }]);
    let hooks = |events: &[&str]| events.iter().map(|event| ((*event).to_owned(), hook.clone())).collect::<Value>();
    match scene.client().agent() {
        "claude-code" => put(&home, ".claude/settings.json", &json!({ "hooks": hooks(&OF_CLAUDE) }).to_string()),
        "codex" => put(&home, ".codex/hooks.json", &json!({ "hooks": hooks(&OF_CODEX) }).to_string()),
        _ => {
            let name = Value::from(program.to_string_lossy()).to_string();
            put(&home, ".config/opencode/plugin/takeback.js", &PLUGIN.replace(PROGRAM_IN_PLUGIN, &name));
        }
    }
}

/// A program that writes what it reads into a file of its own.
fn write_recorder(scene: &Scene<'_>) -> PathBuf {
    let folder = payloads(scene);
    fs::create_dir(&folder).expect("a folder can be made");
    let program = folder.with_file_name("recorder");
    let script = format!("#!/bin/sh\ncat > '{}'/$(date +%s%N)-$$.json\n", folder.display());
    fs::write(&program, script).expect("a file can be written");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode can be set");
    program
}

fn payloads(scene: &Scene<'_>) -> PathBuf {
    scene.world.home().with_file_name("payloads")
}

/// Everything that was sent and written, without what belongs to this machine.
pub(super) fn collect(scene: &Scene<'_>) -> Recording {
    let home = scene.world.home();
    let scrub = Scrub::of(home.parent().expect("a home lies in a folder"));
    let sent = files_below(&payloads(scene)).iter().map(|path| scrub.line(read(path).trim_end()) + "\n").collect();
    let mut files = BTreeMap::from([(PathBuf::from("hooks.jsonl"), sent)]);
    for path in CONVERSATIONS.iter().flat_map(|folder| files_below(&home.join(folder))) {
        // A subagent's own conversation lies in a folder below that of the project, and nobody reads it.
        if path.extension().is_some_and(|extension| extension == "jsonl")
            && !path.iter().any(|part| part == "subagents")
        {
            let place = Path::new("home").join(path.strip_prefix(&home).expect("it lies in there"));
            let text = read(&path).lines().map(|line| scrub.line(line) + "\n").collect();
            files.insert(PathBuf::from(scrub.text(&place.to_string_lossy())), text);
        }
    }
    if home.join(DATABASE).exists() {
        files.insert(Path::new("home").join(ROWS), rows(&home.join(DATABASE), &scrub));
    }
    Recording { files }
}

fn read(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).expect("it can be read")).into_owned()
}

/// The tables of a database and their rows, one JSON object a line.
fn rows(database: &Path, scrub: &Scrub) -> String {
    let mut lines = String::new();
    for table in TABLES {
        let schema =
            format!("SELECT sql FROM sqlite_schema WHERE tbl_name = '{table}' AND sql NOT NULL ORDER BY type DESC");
        lines.extend(ask(database, &schema).iter().map(|it| format!("{}\n", json!({ "make": it["sql"] }))));
        for mut row in ask(database, &format!("SELECT * FROM {table} ORDER BY rowid")) {
            for column in row.as_object_mut().expect("a row is an object").values_mut() {
                if let Value::String(text) = column {
                    *text = scrub.line(text);
                }
            }
            lines += &format!("{}\n", json!({ "table": table, "row": row }));
        }
    }
    lines
}

fn ask(database: &Path, sql: &str) -> Vec<Value> {
    let program = tool("sqlite3").expect("sqlite3 is needed to record what OpenCode writes");
    let output = Command::new(program).arg("-json").arg(database).arg(sql).output().expect("it can be started");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

impl Recording {
    /// Reads a recording that was kept.
    pub(super) fn load(folder: &Path) -> Self {
        let name = |path: &Path| path.strip_prefix(folder).expect("it lies in there").to_owned();
        Self { files: files_below(folder).iter().map(|path| (name(path), read(path))).collect() }
    }

    /// Keeps it in the place of an older one. What is expected of the older one is left where it is.
    pub(super) fn save(&self, folder: &Path) {
        if folder.join("home").exists() {
            fs::remove_dir_all(folder.join("home")).expect("it can be removed");
        }
        for (path, text) in &self.files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("folders can be made");
            fs::write(path, text).expect("a file can be written");
        }
    }

    /// The names of the events that were sent, with the tools they are about.
    pub(super) fn kinds(&self) -> Kinds {
        let sent = self.files.get(Path::new("hooks.jsonl")).map(String::as_str).unwrap_or_default();
        let payloads = sent.lines().map(|line| serde_json::from_str::<Value>(line).expect("a payload is JSON"));
        let word = |payload: &Value, field: &str| payload[field].as_str().unwrap_or_default().to_owned();
        payloads
            .map(|payload| format!("{} {}", word(&payload, "hook_event_name"), word(&payload, "tool_name")))
            .collect()
    }
}
