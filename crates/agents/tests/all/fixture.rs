//! [`Fixture`]: what one client has sent and written, and [`Home`]: a home folder that holds what it has written.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use agents::{AgentHome, Conversation, Driver, Event, EventKind, Seat, translate};
use rusqlite::types::Value as Column;
use rusqlite::{Connection, params_from_iter};
use serde_json::Value;
use tempfile::TempDir;

/// The folder the clients were started in, as the recordings have it.
pub(crate) const PROJECT: &str = "/home/user/project";
/// The rows of OpenCode's database in a recording, and the database that is made of them.
pub(crate) const ROWS: &str = ".local/share/opencode/rows.jsonl";
pub(crate) const DATABASE: &str = ".local/share/opencode/opencode.db";

/// What one client in one version has sent and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// The client.
    pub(crate) agent: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
}

/// All there are.
pub(crate) const ALL: [Fixture; 6] = [
    Fixture { agent: "claude-code", version: "2.1.197" },
    Fixture { agent: "claude-code", version: "2.1.332" },
    Fixture { agent: "codex", version: "0.153.4" },
    Fixture { agent: "codex", version: "0.171.0" },
    Fixture { agent: "opencode", version: "1.17.19" },
    Fixture { agent: "opencode", version: "1.18.33" },
];

/// Files by their paths below a home.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

impl Fixture {
    /// Its folder.
    pub(crate) fn folder(&self) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(self.agent).join(self.version)
    }

    /// The payloads its hooks were given, in their order.
    pub(crate) fn payloads(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder().join("hooks.jsonl")).expect("a recording has payloads");
        text.lines().map(str::to_owned).collect()
    }

    /// The events they are.
    pub(crate) fn events(&self) -> Vec<Event> {
        let event = |payload: &String| translate(self.agent, payload.as_bytes()).expect("it is one of a real client");
        self.payloads().iter().map(event).collect()
    }

    /// The ids of the conversations in which something was asked, in the order of their first prompts.
    pub(crate) fn conversations(&self) -> Vec<String> {
        let mut ids: Vec<String> = Vec::new();
        for event in self.events() {
            if matches!(event.kind, EventKind::Prompt { .. }) && !ids.contains(&event.session) {
                ids.push(event.session);
            }
        }
        ids
    }

    /// What it has written into its home.
    pub(crate) fn files(&self) -> Files {
        let home = self.folder().join("home");
        let name = |path: &PathBuf| path.strip_prefix(&home).expect("it lies in there").to_owned();
        files_below(&home).iter().map(|path| (name(path), fs::read(path).expect("it can be read"))).collect()
    }

    /// Its levers.
    pub(crate) fn driver(&self) -> &'static dyn Driver {
        agents::driver(self.agent).expect("it has some")
    }
}

/// The files below a folder, by name.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> =
        entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect();
    paths.sort();
    paths
}

/// A home folder with files of a client in it, and a folder around it in which nothing else lies.
pub(crate) struct Home {
    around: TempDir,
    agent: Fixture,
}

impl Home {
    /// Writes the files there.
    pub(crate) fn with(agent: Fixture, files: &Files) -> Self {
        let home = Self { around: tempfile::tempdir().expect("a temporary folder can be made"), agent };
        for (path, bytes) in files {
            let place = home.path().join(path);
            fs::create_dir_all(place.parent().expect("a file lies in a folder")).expect("folders can be made");
            if path == Path::new(ROWS) {
                make_database(&home.path().join(DATABASE), bytes);
            } else {
                fs::write(place, bytes).expect("a file can be written");
            }
        }
        home
    }

    /// Where it is.
    pub(crate) fn path(&self) -> PathBuf {
        self.around.path().join("home")
    }

    /// A conversation in it.
    pub(crate) fn seat(&self, native: &str) -> Seat {
        let home = AgentHome { home_folder: self.path(), ..AgentHome::default() };
        Seat { native: native.to_owned(), transcript: None, cwd: PathBuf::from(PROJECT), home }
    }

    /// Reads a conversation in it.
    pub(crate) fn read(&self, native: &str) -> Result<Conversation, agents::DriverError> {
        self.agent.driver().read(&self.seat(native))
    }

    /// Everything that lies in and around it, but for what the database itself leaves beside it: of the database the
    /// ids of its rows.
    pub(crate) fn look(&self) -> Files {
        let mut files = Files::new();
        for path in files_below(self.around.path()) {
            let name = path.strip_prefix(self.around.path()).expect("it lies in there").to_owned();
            if path.ends_with(DATABASE) {
                files.insert(name, ids_in(&path));
            } else if !name.to_string_lossy().contains("opencode.db-") {
                files.insert(name, fs::read(path).expect("it can be read"));
            }
        }
        files
    }
}

/// A database that holds these rows; a line that is no row is passed over, and so is a row that does not go in.
fn make_database(path: &Path, rows: &[u8]) {
    let database = Connection::open(path).expect("a database can be made");
    let mut sql = "PRAGMA foreign_keys = OFF; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;".to_owned();
    sql += "CREATE TABLE project (id TEXT PRIMARY KEY);";
    database.execute_batch(&sql).expect("it takes the first table");
    for line in rows.split(|byte| *byte == b'\n') {
        let Ok(line) = serde_json::from_slice::<Value>(line) else { continue };
        if let Some(sql) = line["make"].as_str() {
            _ = database.execute_batch(sql);
        }
        if let (Some(table), Some(row)) = (line["table"].as_str(), line["row"].as_object()) {
            let names: Vec<String> = row.keys().map(|name| format!("\"{}\"", name.replace('"', ""))).collect();
            let places = vec!["?"; names.len()].join(",");
            let sql = format!("INSERT INTO \"{}\" ({}) VALUES ({places})", table.replace('"', ""), names.join(","));
            _ = database.execute(&sql, params_from_iter(row.values().map(column)));
        }
    }
    let sql = "INSERT OR IGNORE INTO project SELECT DISTINCT project_id FROM session; COMMIT;";
    // Without its tables it is a database nobody knows.
    _ = database.execute_batch(sql).or_else(|_| database.execute_batch("COMMIT;"));
}

fn column(value: &Value) -> Column {
    match value {
        Value::Null => Column::Null,
        Value::String(text) => Column::Text(text.clone()),
        Value::Number(number) => number.as_i64().map_or(Column::Real(0.5), Column::Integer),
        other => Column::Text(other.to_string()),
    }
}

fn ids_in(database: &Path) -> Vec<u8> {
    let Ok(database) = Connection::open(database) else { return Vec::new() };
    let mut ids = String::new();
    for sql in
        ["SELECT id, revert FROM session", "SELECT id, session_id FROM message", "SELECT id, message_id FROM part"]
    {
        let Ok(mut statement) = database.prepare(&format!("{sql} ORDER BY 1")) else { continue };
        let rows = statement.query_map((), |row| Ok((row.get::<_, Column>(0)?, row.get::<_, Column>(1)?)));
        rows.into_iter().flatten().flatten().for_each(|row| ids += &format!("{row:?}\n"));
    }
    ids.into_bytes()
}
