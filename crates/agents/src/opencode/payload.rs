//! What the plugin sends, as events, and what it reads as an answer. The plugin speaks the canonical shape with OpenCode's
//! own names of tools.

use serde_json::{Value, json};

use super::NAME;
use crate::driver::Answer;
use crate::{Event, EventKind, ToolCall, ToolClass, TranslateError, generic, json_text};

/// Tools that change nothing in a workspace.
const READ_ONLY: [&str; 12] = [
    "read",
    "glob",
    "grep",
    "list",
    "ls",
    "webfetch",
    "websearch",
    "codesearch",
    "todoread",
    "todowrite",
    "question",
    "skill",
];

/// Turns one payload into an event.
pub(super) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    let (value, raw) = json_text::parse(payload)?;
    let event = generic::event(NAME, &value, raw)?;
    let kind = kind(&value, event.kind);
    Ok(Event { kind, ..event })
}

/// What the plugin reads.
pub(super) fn answer(event: &Event, answer: &Answer) -> Option<String> {
    let printed = match (answer, event.name.as_str()) {
        (Answer::Handled { text }, "Command") => json!({ "handled": text }),
        (Answer::Tell { text }, "UserPromptSubmit") => json!({ "tell": text }),
        _ => return None,
    };
    Some(printed.to_string())
}

fn kind(value: &Value, canonical: EventKind) -> EventKind {
    match (value["hook_event_name"].as_str().unwrap_or_default(), canonical) {
        ("Command", _) => {
            let arguments = generic::text(value, "arguments").unwrap_or_default();
            let words: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
            EventKind::Command { words: if words.is_empty() { vec!["status".to_owned()] } else { words } }
        }
        ("ConversationMoved", _) => EventKind::ConversationMoved,
        (_, EventKind::Prompt { text, .. }) if text.trim().is_empty() => EventKind::Unknown,
        (_, EventKind::BeforeTool(call)) => EventKind::BeforeTool(classed(call)),
        (_, EventKind::AfterTool { call, response }) => EventKind::AfterTool { call: classed(call), response },
        // What was compacted is read from the database.
        (_, EventKind::PreCompact | EventKind::PostCompact { .. }) => EventKind::Unknown,
        (_, kind) => kind,
    }
}

fn classed(call: ToolCall) -> ToolCall {
    let class = match call.tool.name.as_str() {
        name if READ_ONLY.contains(&name) => ToolClass::ReadOnly,
        "task" => ToolClass::SpawnsSubagent,
        "write" | "edit" | "multiedit" => call.class,
        _ => ToolClass::Open,
    };
    ToolCall { class, ..call }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(tool: &str, input: &Value) -> ToolClass {
        let payload = json!({"hook_event_name":"PreToolUse","session_id":"ses_1","tool_name":tool,"tool_use_id":"c","tool_input":input});
        match translate(payload.to_string().as_bytes()).expect("an event").kind {
            EventKind::BeforeTool(call) => call.class,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn tools_are_known_by_opencodes_names() {
        let file = json!({"filePath":"/w/a","file_path":"/w/a"});
        assert_eq!(class("write", &file), ToolClass::Structured { paths: vec!["/w/a".into()] });
        assert_eq!(class("read", &file), ToolClass::ReadOnly);
        assert_eq!(class("bash", &json!({"command":"ls"})), ToolClass::Open);
        assert_eq!(class("task", &json!({"prompt":"x"})), ToolClass::SpawnsSubagent);
        assert_eq!(class("some_mcp_tool", &file), ToolClass::Open);
    }

    #[test]
    fn a_command_without_words_asks_for_the_status() {
        let kind = |arguments: &str| {
            let payload = json!({"hook_event_name":"Command","session_id":"ses_1","arguments":arguments});
            translate(payload.to_string().as_bytes()).expect("an event").kind
        };
        assert_eq!(kind("undo 2"), EventKind::Command { words: vec!["undo".into(), "2".into()] });
        assert_eq!(kind(" "), EventKind::Command { words: vec!["status".into()] });
    }
}
