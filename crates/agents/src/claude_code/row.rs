//! One row of a transcript: what of it matters for the conversation's shape. The row itself stays the bytes it is.

use std::ops::Range;

use serde_json::Value;

/// A row that is part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// Where its line is in the file, without the line's end.
    pub(super) line: Range<usize>,
    /// Its id.
    pub(super) uuid: String,
    /// The row it follows; across a compaction the one it followed before.
    pub(super) parent: Option<String>,
    /// What it is.
    pub(super) kind: RowKind,
    /// The client's id of the prompt, for rows of the user.
    pub(super) prompt_id: Option<String>,
    /// The calls it makes.
    pub(super) calls: Vec<String>,
    /// The calls it answers.
    pub(super) answers: Vec<String>,
    /// For the start of a compacted conversation: the first row before it that stays in the context.
    pub(super) keeps_from: Option<String>,
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

/// How texts begin that the client writes as if the user had.
const NOISE: [&str; 5] =
    ["<task-notification>", "<local-command", "<command-name>", "<command-message>", "[Request interrupted"];

impl Row {
    /// The row on a line; none if the line is no part of the tree.
    pub(super) fn of(line: Range<usize>, value: &Value) -> Option<Self> {
        let uuid = text(value, "uuid")?;
        if value["isSidechain"].as_bool() == Some(true) {
            return None;
        }
        let content = &value["message"]["content"];
        let kind = kind(value, content)?;
        Some(Self {
            line,
            uuid,
            parent: text(value, "parentUuid").or_else(|| text(value, "logicalParentUuid")),
            kind,
            prompt_id: text(value, "promptId"),
            calls: blocks(content, "tool_use", "id"),
            answers: blocks(content, "tool_result", "tool_use_id"),
            keeps_from: keeps_from(value),
        })
    }

    /// The id its entry has: the client's hooks name a prompt by its own id.
    pub(super) fn entry_id(&self) -> &str {
        match (&self.kind, &self.prompt_id) {
            (RowKind::Prompt, Some(id)) => id,
            _ => &self.uuid,
        }
    }
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
    let said = said(content);
    !is_meta && origin == "human" && !NOISE.iter().any(|beginning| said.trim_start().starts_with(beginning))
}

fn said(content: &Value) -> &str {
    let first_text = || content.as_array()?.iter().find_map(|block| block["text"].as_str());
    content.as_str().or_else(first_text).unwrap_or_default()
}

fn blocks(content: &Value, kind: &str, field: &str) -> Vec<String> {
    let blocks = content.as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().filter(|block| block["type"] == kind).filter_map(|block| text(block, field)).collect()
}

fn keeps_from(value: &Value) -> Option<String> {
    let metadata = &value["compactMetadata"];
    let preserved = metadata["preservedMessages"]["uuids"].as_array().and_then(|uuids| uuids.first()?.as_str());
    let segment = metadata["preservedSegment"]["headUuid"].as_str();
    preserved.or(segment).map(str::to_owned)
}

fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
}
