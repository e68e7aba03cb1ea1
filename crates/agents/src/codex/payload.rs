//! Hook payloads of Codex as events, and what its hooks print to answer. The payloads are close to the canonical shape;
//! here is what differs.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::NAME;
use crate::driver::Answer;
use crate::typed::typed_command;
use crate::{Event, EventKind, StartSource, ToolCall, ToolClass, TranslateError, generic, json_text};

/// Turns one payload into an event.
pub(super) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    let (value, raw) = json_text::parse(payload)?;
    let event = generic::event(NAME, &value, raw)?;
    let transcript = generic::text(&value, "transcript_path").filter(|path| !path.is_empty()).map(PathBuf::from);
    let kind = kind(&value, event.kind);
    Ok(Event { transcript, kind, ..event })
}

/// What the client's hook prints.
pub(super) fn answer(event: &Event, answer: &Answer) -> Option<String> {
    if event.name != "UserPromptSubmit" {
        return None;
    }
    let printed = match answer {
        Answer::Handled { text } => json!({ "decision": "block", "reason": text }),
        Answer::Tell { text } => json!({
            "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "additionalContext": text },
        }),
    };
    Some(printed.to_string())
}

fn kind(value: &Value, canonical: EventKind) -> EventKind {
    match canonical {
        EventKind::SessionStart { parent, .. } => session_start(value, parent),
        EventKind::Prompt { text, id, content } => match typed_command(&text) {
            Some(words) => EventKind::Command { words },
            None => EventKind::Prompt { text, id, content },
        },
        EventKind::BeforeTool(call) => EventKind::BeforeTool(patch(call)),
        EventKind::AfterTool { call, response } => EventKind::AfterTool { call: patch(call), response },
        // What was compacted is read from the rollout.
        EventKind::PreCompact | EventKind::PostCompact { .. } => EventKind::Unknown,
        kind => kind,
    }
}

/// A compaction starts no session anew: the turn it falls into goes on. After a clearing the id is a new one.
fn session_start(value: &Value, parent: Option<String>) -> EventKind {
    let source = match value["source"].as_str() {
        Some("compact") => return EventKind::ConversationMoved,
        Some("fork") => StartSource::Fork,
        Some("startup" | "clear") | None => StartSource::Startup,
        Some(_) => StartSource::Resume,
    };
    EventKind::SessionStart { source, parent }
}

/// A patch names the files it changes in its own text.
fn patch(call: ToolCall) -> ToolCall {
    if call.tool.name != "apply_patch" {
        return call;
    }
    let text = call.command.clone().unwrap_or_default();
    let paths = patched_paths(&text);
    let summary = paths.join(", ");
    ToolCall { class: ToolClass::Structured { paths }, command: None, summary: generic::one_line(&summary), ..call }
}

fn patched_paths(patch: &str) -> Vec<String> {
    const BEGINNINGS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let path_on = |line: &str| {
        BEGINNINGS.iter().find_map(|beginning| line.strip_prefix(beginning)).map(|path| path.trim().to_owned())
    };
    patch.lines().filter_map(path_on).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(value: &serde_json::Value) -> Event {
        translate(value.to_string().as_bytes()).expect("an event")
    }

    #[test]
    fn a_patch_claims_every_file_it_names() {
        let patch = "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.txt\n*** Move to: c/b.txt\n@@\n*** Delete File: d\n*** End Patch";
        let event =
            event(&json!({"hook_event_name":"PreToolUse","session_id":"s","turn_id":"t","tool_name":"apply_patch",
            "tool_use_id":"u","tool_input":{"command":patch}}));
        let EventKind::BeforeTool(call) = event.kind else { panic!("{:?}", event.kind) };
        let paths = ["a.txt", "b.txt", "c/b.txt", "d"].map(str::to_owned).to_vec();
        assert_eq!(call.class, ToolClass::Structured { paths });
        assert_eq!(call.command, None);
    }

    #[test]
    fn a_compaction_starts_no_session() {
        let kind =
            |source: &str| event(&json!({"hook_event_name":"SessionStart","session_id":"s","source":source})).kind;
        assert_eq!(kind("compact"), EventKind::ConversationMoved);
        assert_eq!(kind("clear"), EventKind::SessionStart { source: StartSource::Startup, parent: None });
        assert_eq!(kind("resume"), EventKind::SessionStart { source: StartSource::Resume, parent: None });
    }

    #[test]
    fn a_prompt_goes_by_the_id_of_its_turn_and_our_command_opens_none() {
        let kind = |prompt: &str| {
            event(&json!({"hook_event_name":"UserPromptSubmit","session_id":"s","turn_id":"t7","prompt":prompt})).kind
        };
        assert_eq!(kind("hello"), EventKind::Prompt { text: "hello".into(), id: Some("t7".into()), content: None });
        assert_eq!(kind("takeback undo 2"), EventKind::Command { words: vec!["undo".into(), "2".into()] });
        assert!(matches!(kind("takeback redo the parser"), EventKind::Prompt { .. }));
    }
}
