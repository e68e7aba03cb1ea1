//! Rollouts: the lines of a thread, and the conversation that follows from them. A rollout may begin in the middle of an
//! older one, which it names by thread, ordinal and byte; that part is read from there.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};

use model::MessageKind;
use serde_json::Value;

use crate::driver::{Conversation, DriverError, NativeEntry, Seat};

/// A chain of rollouts longer than this is a circle.
const BASES_MAX: usize = 64;
/// A line longer than this is left out.
const LINE_BYTES_MAX: usize = 64 << 20;

/// A thread, read.
#[derive(Debug, Default)]
pub(super) struct Thread {
    /// Its lines, those of older rollouts first.
    pub(super) lines: Vec<Line>,
    /// The file of the newest part.
    pub(super) path: PathBuf,
    /// Whether all of it is in that one file.
    pub(super) is_in_one_file: bool,
    /// The version that wrote the newest part.
    pub(super) version: Option<String>,
    /// Lines that were left out.
    pub(super) unreadable: usize,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line {
    /// Its bytes without the line's end.
    pub(super) bytes: Vec<u8>,
    value: Value,
}

/// Where one rollout goes on from another.
struct Base {
    thread: String,
    end_ordinal: u64,
    end_bytes: u64,
}

/// How texts begin that Codex puts in on behalf of the user.
const INJECTED: [&str; 8] = [
    "<environment_context>",
    "<user_instructions>",
    "<permissions",
    "<turn_aborted>",
    "<user_shell_command>",
    "<skill",
    "<subagent",
    "# AGENTS.md instructions",
];

/// Reads the thread of a seat.
pub(super) fn read(seat: &Seat) -> Result<Thread, DriverError> {
    let path = path(seat)?.ok_or_else(|| DriverError::NoConversation { native: seat.native.clone() })?;
    let mut thread = Thread { path: path.clone(), is_in_one_file: true, ..Thread::default() };
    let mut parts = Vec::new();
    let mut next = Some((path, None));
    while let Some((path, end)) = next.take() {
        if parts.len() > BASES_MAX {
            return Err(DriverError::UnknownShape {
                reason: "rollouts that go on from each other in a circle".to_owned(),
            });
        }
        let lines = lines(&path, end, &mut thread.unreadable)?;
        let meta = meta(&lines)?;
        thread.version = thread.version.or_else(|| meta["cli_version"].as_str().map(str::to_owned));
        if let Some(base) = base(meta)? {
            thread.is_in_one_file = false;
            next = Some((find_base(seat, &path, &base)?, Some(base.end_bytes)));
        }
        parts.push(lines);
    }
    thread.lines = parts.into_iter().rev().flatten().collect();
    Ok(thread)
}

/// The folder where Codex keeps everything.
pub(super) fn codex_home(seat_home: &crate::driver::AgentHome) -> PathBuf {
    let moved = seat_home.variables.get("CODEX_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    moved.unwrap_or_else(|| seat_home.home_folder.join(".codex"))
}

/// An id that can be part of a file's name and nothing else.
pub(super) fn checked_id(native: &str) -> Result<&str, DriverError> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    if !native.is_empty() && native.len() <= 64 && native.bytes().all(is_plain) && !native.starts_with('-') {
        Ok(native)
    } else {
        Err(DriverError::UnknownShape { reason: "the id of the thread is no plain word".to_owned() })
    }
}

/// The newest rollout of a seat: a rewind in place goes on in a new file of the same thread.
fn path(seat: &Seat) -> Result<Option<PathBuf>, DriverError> {
    let id = checked_id(&seat.native)?;
    let mut files = rollouts_of(seat, id);
    files.extend(seat.transcript.clone().filter(|path| is_rollout_of(path, id) && is_plain(path)));
    files.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
    Ok(files.pop())
}

/// Every rollout of a thread.
fn rollouts_of(seat: &Seat, thread: &str) -> Vec<PathBuf> {
    rollouts(seat, |path| is_rollout_of(path, thread))
}

/// Every rollout that fits: `sessions/YEAR/MONTH/DAY/rollout-TIME-THREAD[_SEGMENT].jsonl`.
fn rollouts(seat: &Seat, fits: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let list = |folder: &PathBuf| disk::state::list(folder).unwrap_or_default();
    let years = list(&codex_home(&seat.home).join("sessions"));
    let days = years.iter().flat_map(list).collect::<Vec<_>>().into_iter().flat_map(|month| list(&month));
    let files = days.flat_map(|day| list(&day));
    files.filter(|path| fits(path)).collect()
}

/// Whether a path that was told leads where it says.
fn is_plain(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|part| part == Component::ParentDir)
}

fn is_rollout_of(path: &Path, thread: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.strip_prefix("rollout-").and_then(|name| name.strip_suffix(".jsonl")).unwrap_or_default();
    stem.ends_with(&format!("-{thread}")) || stem.contains(&format!("-{thread}_"))
}

/// Whether it is the rollout that goes by an id: a thread's first one by the thread's, a later one by its own.
fn goes_by(path: &Path, id: &str) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    is_rollout_of(path, id) || name.strip_suffix(".jsonl").is_some_and(|stem| stem.ends_with(&format!("_{id}")))
}

fn lines(path: &Path, end: Option<u64>, unreadable: &mut usize) -> Result<Vec<Line>, DriverError> {
    let failed = |error: disk::DiskError| DriverError::Failed { verb: "Reading a rollout", reason: error.to_string() };
    let bytes = disk::state::read_from(path, 0, end.unwrap_or(u64::MAX)).map_err(failed)?;
    let bytes = bytes.ok_or_else(|| DriverError::UnknownShape { reason: "a rollout is missing".to_owned() })?;
    let mut lines = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) if line.len() <= LINE_BYTES_MAX => lines.push(Line { bytes: line.to_vec(), value }),
            _ => *unreadable += 1,
        }
    }
    Ok(lines)
}

fn meta(lines: &[Line]) -> Result<&Value, DriverError> {
    let first = lines.first().filter(|line| line.value["type"] == "session_meta");
    let unknown = || DriverError::UnknownShape { reason: "a rollout does not begin with what it is".to_owned() };
    first.map(|line| &line.value["payload"]).ok_or_else(unknown)
}

fn base(meta: &Value) -> Result<Option<Base>, DriverError> {
    let base = &meta["history_base"];
    if base.is_null() {
        return Ok(None);
    }
    let parts = (|| {
        let thread = checked_id(base["thread_id"].as_str()?).ok()?.to_owned();
        Some(Base {
            thread,
            end_ordinal: base["end_ordinal_exclusive"].as_u64()?,
            end_bytes: base["end_byte_offset"].as_u64()?,
        })
    })();
    parts
        .map(Some)
        .ok_or_else(|| DriverError::UnknownShape { reason: "a rollout goes on from something unknown".to_owned() })
}

/// The rollout another one goes on from: of those that go by the id, the newest that has the right line in the right
/// place.
fn find_base(seat: &Seat, from: &Path, base: &Base) -> Result<PathBuf, DriverError> {
    let mut files = rollouts(seat, |path| goes_by(path, &base.thread));
    files.retain(|path| path != from);
    files.sort_by(|one, other| other.file_name().cmp(&one.file_name()));
    let fits = |path: &PathBuf| {
        let lines = lines(path, Some(base.end_bytes), &mut 0).unwrap_or_default();
        lines.last().and_then(|line| line.value["ordinal"].as_u64()) == base.end_ordinal.checked_sub(1)
    };
    let unknown = || DriverError::UnknownShape { reason: "the rollout it goes on from is not there".to_owned() };
    files.into_iter().find(fits).ok_or_else(unknown)
}

impl Line {
    fn payload(&self) -> &Value {
        &self.value["payload"]
    }

    /// The turn that begins here.
    pub(super) fn begins_turn(&self) -> Option<&str> {
        let begins = self.value["type"] == "event_msg" && self.payload()["type"] == "task_started";
        self.payload()["turn_id"].as_str().filter(|_| begins)
    }

    fn user_text(&self) -> Option<&str> {
        let payload = self.payload();
        let is_user =
            self.value["type"] == "response_item" && payload["type"] == "message" && payload["role"] == "user";
        let text = payload["content"].as_array()?.iter().find_map(|block| block["text"].as_str());
        is_user.then(|| text.unwrap_or_default())
    }

    /// What it is in the conversation; none if it is no part of it.
    fn kind(&self) -> Option<MessageKind> {
        let payload = self.payload();
        match (self.value["type"].as_str()?, payload["type"].as_str().unwrap_or_default()) {
            ("compacted", _) => Some(MessageKind::Compaction),
            ("response_item", kind) if kind.ends_with("_output") => Some(MessageKind::Tool),
            ("response_item", "message") if payload["role"] == "assistant" => Some(MessageKind::Assistant),
            ("response_item", "message") => Some(MessageKind::Injected),
            ("response_item", _) => Some(MessageKind::Assistant),
            _ => None,
        }
    }
}

/// The conversation of a thread: one line of turns. A line that is there twice counts once.
pub(super) fn conversation(thread: &Thread) -> Conversation {
    let mut conversation = Conversation { version: thread.version.clone(), ..Conversation::default() };
    let mut turn: Option<String> = None;
    let mut taken = HashSet::new();
    let mut repeated = 0_usize;
    for (place, line) in thread.lines.iter().enumerate() {
        if let Some(id) = line.begins_turn() {
            turn = Some(id.to_owned());
            continue;
        }
        let Some(kind) = line.kind() else { continue };
        let entry = entry(line, kind, place, turn.as_ref(), &conversation.line);
        if !taken.insert(entry.id.clone()) {
            repeated += 1;
            continue;
        }
        if entry.kind == MessageKind::Prompt {
            conversation.line.push(entry.id.clone());
        }
        conversation.entries.push(entry);
    }
    let left_out = [(thread.unreadable, "torn or not understood"), (repeated, "there twice")];
    let left_out = left_out.into_iter().filter(|(count, _)| *count > 0);
    conversation.left_out = left_out.map(|(count, what)| format!("{count} lines of the rollout are {what}")).collect();
    conversation
}

/// What a line is in a turn. The first thing that was typed in a turn is its prompt.
fn entry(line: &Line, kind: MessageKind, place: usize, turn: Option<&String>, prompts: &[String]) -> NativeEntry {
    let is_typed = line.user_text().is_some_and(|text| !INJECTED.iter().any(|tag| text.trim_start().starts_with(tag)));
    let before = prompts.last().cloned();
    let role = line.payload()["role"].as_str().unwrap_or("assistant").to_owned();
    let payload = line.bytes.clone();
    let ordinal = line.value["ordinal"].as_u64().unwrap_or(place as u64);
    match turn.filter(|turn| is_typed && before.as_ref() != Some(*turn)) {
        Some(turn) => NativeEntry {
            id: turn.clone(),
            prompt: Some(turn.clone()),
            prompt_before: before,
            role,
            kind: MessageKind::Prompt,
            payload,
            keeps_from: None,
        },
        None => {
            let id = format!("{}/{ordinal}", turn.map_or("before", String::as_str));
            NativeEntry { id, prompt: before, prompt_before: None, role, kind, payload, keeps_from: None }
        }
    }
}
