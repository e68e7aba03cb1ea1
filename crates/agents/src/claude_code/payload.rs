//! Hook payloads of Claude Code as events, and what its hooks print to answer. The payloads are close to the canonical
//! shape; here is what differs.

use std::path::PathBuf;

use model::TurnStatus;
use serde_json::{Value, json};

use super::row::is_machine_made;
use super::tools::classified;
use super::{NAME, OUR_COMMANDS};
use crate::driver::Answer;
use crate::{Event, EventKind, StartSource, TranslateError, generic, json_text};

/// Turns one payload into an event.
pub(super) fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    let (value, raw) = json_text::parse(payload)?;
    if is_stop_of_nobody(&value) {
        return unknown(value, raw);
    }
    let event = generic::event(NAME, &value, raw)?;
    let kind = kind(&value, event.kind);
    let turn_id = generic::text(&value, "prompt_id").or(event.turn_id);
    let transcript = generic::text(&value, "transcript_path").filter(|path| !path.is_empty()).map(PathBuf::from);
    Ok(Event { turn_id, transcript, kind, ..event })
}

/// What the client's hook prints.
pub(super) fn answer(event: &Event, answer: &Answer) -> Option<String> {
    match (answer, event.name.as_str()) {
        (Answer::Handled { text }, "UserPromptExpansion") => Some(json!({ "decision": "block", "reason": text })),
        (Answer::Handled { text }, "UserPromptSubmit") => Some(json!({
            "decision": "block",
            "reason": text,
            "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": true },
        })),
        (Answer::Tell { text }, "UserPromptSubmit") => Some(json!({
            "hookSpecificOutput": { "hookEventName": "UserPromptSubmit", "additionalContext": text },
        })),
        _ => None,
    }
    .map(|value| value.to_string())
}

/// The client sends this when it has compacted: subagents of no type, which never started, have stopped.
fn is_stop_of_nobody(value: &Value) -> bool {
    let is_subagent_event = matches!(value["hook_event_name"].as_str(), Some("SubagentStart" | "SubagentStop"));
    let has_no_id = generic::text(value, "agent_id").is_none_or(|id| id.is_empty());
    is_subagent_event && (has_no_id || value["agent_type"] == "")
}

fn unknown(mut value: Value, raw: String) -> Result<Event, TranslateError> {
    let name = generic::text(&value, "hook_event_name").unwrap_or_default();
    value["hook_event_name"] = Value::String(format!("{name} of nobody"));
    generic::event(NAME, &value, raw).map(|event| Event { name, ..event })
}

fn kind(value: &Value, canonical: EventKind) -> EventKind {
    match (value["hook_event_name"].as_str().unwrap_or_default(), canonical) {
        ("UserPromptSubmit", EventKind::Prompt { text, id, content }) if is_human(&text) => {
            EventKind::Prompt { text, id, content }
        }
        ("UserPromptSubmit", _) => EventKind::Unknown,
        ("UserPromptExpansion", _) => command(value).map_or(EventKind::Unknown, |words| EventKind::Command { words }),
        ("StopFailure", _) => EventKind::Stop { status: TurnStatus::Failed, background_tasks: background_tasks(value) },
        // What was compacted is read from the transcript.
        (_, EventKind::PreCompact | EventKind::PostCompact { .. }) => EventKind::Unknown,
        (_, EventKind::SessionStart { parent, .. }) => session_start(value, parent),
        (_, EventKind::BeforeTool(call)) => EventKind::BeforeTool(classified(value, call)),
        (_, EventKind::AfterTool { call, response }) => {
            EventKind::AfterTool { call: classified(value, call), response }
        }
        (_, kind) => kind,
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

/// A prompt of a human that is none of our commands: those are answered when they are expanded, which leaves the input
/// line empty.
fn is_human(prompt: &str) -> bool {
    let is_ours = prompt.strip_prefix('/').is_some_and(|command| command.starts_with(OUR_COMMANDS));
    !is_ours && !is_machine_made(prompt)
}

/// The words of one of our commands.
fn command(value: &Value) -> Option<Vec<String>> {
    let name = generic::text(value, "command_name")?;
    let verb = name.strip_prefix(OUR_COMMANDS).filter(|verb| !verb.is_empty())?;
    let arguments = generic::text(value, "command_args").unwrap_or_default();
    let words = std::iter::once(verb).chain(arguments.split_whitespace()).map(str::to_owned);
    Some(words.collect())
}

fn background_tasks(value: &Value) -> Option<usize> {
    value["background_tasks"].as_array().map(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(payload: &str) -> Event {
        translate(payload.as_bytes()).expect("an event")
    }

    #[test]
    fn only_a_prompt_that_a_human_typed_is_a_prompt() {
        let kind = |prompt: &str| {
            event(
                &json!({"hook_event_name":"UserPromptSubmit","session_id":"s","prompt_id":"p","prompt":prompt})
                    .to_string(),
            )
            .kind
        };
        assert_eq!(
            kind("hello"),
            EventKind::Prompt { text: "hello".to_owned(), id: Some("p".to_owned()), content: None }
        );
        assert_eq!(kind("<task-notification>\nx"), EventKind::Unknown);
        assert_eq!(kind("/takeback:undo 2"), EventKind::Unknown);
        assert_eq!(kind("  "), EventKind::Unknown);
        assert!(matches!(kind("/other"), EventKind::Prompt { .. }));
    }

    #[test]
    fn our_command_is_answered_where_it_is_expanded() {
        let event = event(
            r#"{"hook_event_name":"UserPromptExpansion","session_id":"s","command_name":"takeback:undo","command_args":"2 --files"}"#,
        );
        assert_eq!(event.kind, EventKind::Command { words: vec!["undo".into(), "2".into(), "--files".into()] });
        let printed = answer(&event, &Answer::Handled { text: "Undid".to_owned() }).expect("an answer");
        assert_eq!(
            serde_json::from_str::<Value>(&printed).expect("JSON"),
            json!({"decision":"block","reason":"Undid"})
        );
    }

    #[test]
    fn a_subagent_without_an_id_or_a_type_stops_nobody() {
        for (id, kind) in [("", "general-purpose"), ("a1", "")] {
            let payload =
                json!({"hook_event_name":"SubagentStop","session_id":"s","agent_id":id,"agent_type":kind}).to_string();
            let event = event(&payload);
            assert_eq!((event.name.as_str(), event.kind), ("SubagentStop", EventKind::Unknown));
        }
    }

    #[test]
    fn a_compaction_starts_no_session() {
        let kind = |source: &str| {
            event(&json!({"hook_event_name":"SessionStart","session_id":"s","source":source}).to_string()).kind
        };
        assert_eq!(kind("compact"), EventKind::ConversationMoved);
        assert_eq!(kind("clear"), EventKind::SessionStart { source: StartSource::Startup, parent: None });
        assert_eq!(kind("fork"), EventKind::SessionStart { source: StartSource::Fork, parent: None });
        assert_eq!(kind("resume"), EventKind::SessionStart { source: StartSource::Resume, parent: None });
    }

    #[test]
    fn an_error_of_the_model_ends_the_turn_as_failed() {
        let kind = event(r#"{"hook_event_name":"StopFailure","session_id":"s","error":"unknown"}"#).kind;
        assert_eq!(kind, EventKind::Stop { status: TurnStatus::Failed, background_tasks: None });
    }
}
