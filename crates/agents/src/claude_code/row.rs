//! One row of a transcript: what of it matters for the conversation's shape. The row itself stays the bytes it is.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

/// A row that is part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Where its line is in the file, without the line's end.
    pub(super) line: Range<usize>,
    /// Its id.
    pub(super) uuid: String,
    /// The place of the row it follows, which stands before it; across a compaction the one it followed before.
    pub(super) parent: Option<usize>,
    /// What it is.
    pub(super) kind: RowKind,
    /// The client's id of the prompt, for rows of the user.
    pub(super) prompt_id: Option<String>,
    /// The session whose model run wrote it, if it was copied from there.
    pub(super) origin: Option<String>,
    /// The calls it makes.
    pub(super) calls: Vec<String>,
    /// The calls it answers.
    pub(super) answers: Vec<String>,
    /// For the start of a compacted conversation: the rows before it that stay in the context.
    pub(super) preserved: Vec<usize>,
}

/// What a row is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    /// What a human typed.
    Prompt,
    /// What the client puts in on behalf of the user.
    Injected,
    /// What a tool answered.
    ToolResult,
    /// What the model said.
    Assistant,
    /// The beginning of a compacted conversation.
    Boundary,
    /// The summary of what was compacted.
    Summary,
    /// Everything else that hangs in the tree.
    Other,
}

/// How texts begin that the client writes as if the user had. A command that is expanded into a prompt begins with
/// `<command-message>` and is the user's; one the client carries out itself begins with its name.
const MACHINE_MADE: [&str; 4] = ["<task-notification>", "<local-command", "<command-name>", "[Request interrupted"];

/// Whether no human has typed this, although it comes in the user's name.
pub(super) fn is_machine_made(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || MACHINE_MADE.iter().any(|beginning| text.starts_with(beginning))
}

impl Row {
    /// The row on a line; none if the line is no part of the tree. `places` are those of the rows before it.
    pub(super) fn of(line: Range<usize>, value: &Value, places: &HashMap<String, usize>) -> Option<Self> {
        let uuid = text(value, "uuid")?;
        let content = &value["message"]["content"];
        let kind = kind(value, content)?;
        Some(Self {
            line,
            uuid,
            parent: parent(value, places),
            kind,
            prompt_id: text(value, "promptId"),
            origin: text(value, "requestSessionId").filter(|origin| value["sessionId"] != origin.as_str()),
            calls: blocks(content, "tool_use", "id"),
            answers: blocks(content, "tool_result", "tool_use_id"),
            preserved: preserved(value, places),
        })
    }

    /// The id its entry has: the client's hooks name a prompt by its own id.
    pub(super) fn entry_id(&self) -> &str {
        match (self.kind, &self.prompt_id) {
            (RowKind::Prompt, Some(id)) => id,
            _ => &self.uuid,
        }
    }

    /// Whether a human typed it.
    pub(super) fn is_prompt(&self) -> bool {
        self.kind == RowKind::Prompt
    }

    /// Whether a compacted conversation begins here.
    pub(super) fn is_boundary(&self) -> bool {
        self.kind == RowKind::Boundary
    }
}

/// The place of the row that a value follows. A compaction may name one that the client never wrote down; then it follows
/// the last of those it preserved, which lie right before it.
pub(super) fn parent(value: &Value, places: &HashMap<String, usize>) -> Option<usize> {
    if let Some(uuid) = text(value, "parentUuid") {
        return places.get(&uuid).copied();
    }
    let named = text(value, "logicalParentUuid").and_then(|uuid| places.get(&uuid).copied());
    let tail = value["compactMetadata"]["preservedSegment"]["tailUuid"].as_str();
    named.or_else(|| tail.and_then(|uuid| places.get(uuid).copied())).or_else(|| preserved(value, places).pop())
}

/// A text that is there and not empty.
pub(super) fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn kind(value: &Value, content: &Value) -> Option<RowKind> {
    Some(match value["type"].as_str()? {
        "user" if value["isCompactSummary"].as_bool() == Some(true) => RowKind::Summary,
        "user" if !blocks(content, "tool_result", "tool_use_id").is_empty() => RowKind::ToolResult,
        "user" if is_human(value, content) => RowKind::Prompt,
        "user" => RowKind::Injected,
        "assistant" => RowKind::Assistant,
        "system" if value["subtype"] == "compact_boundary" => RowKind::Boundary,
        "system" | "attachment" => RowKind::Other,
        _ => return None,
    })
}

fn is_human(value: &Value, content: &Value) -> bool {
    let is_meta = value["isMeta"].as_bool() == Some(true);
    let origin = value["origin"]["kind"].as_str().unwrap_or("human");
    let has_other_blocks = content.as_array().is_some_and(|blocks| blocks.iter().any(|block| block["type"] != "text"));
    !is_meta && origin == "human" && (has_other_blocks || !is_machine_made(said(content)))
}

fn said(content: &Value) -> &str {
    let first_text = || content.as_array()?.iter().find_map(|block| block["text"].as_str());
    content.as_str().or_else(first_text).unwrap_or_default()
}

fn blocks(content: &Value, kind: &str, field: &str) -> Vec<String> {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter(|block| block["type"] == kind).filter_map(|block| text(block, field)).collect()
}

fn preserved(value: &Value, places: &HashMap<String, usize>) -> Vec<usize> {
    let metadata = &value["compactMetadata"];
    let listed = metadata["preservedMessages"]["uuids"].as_array().map(Vec::as_slice).unwrap_or_default();
    let place = |uuid: &Value| places.get(uuid.as_str()?).copied();
    let preserved: Vec<usize> = listed.iter().filter_map(place).collect();
    if preserved.is_empty() {
        place(&metadata["preservedSegment"]["headUuid"]).into_iter().collect()
    } else {
        preserved
    }
}
