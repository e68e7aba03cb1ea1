//! Hook payloads of Claude Code as events, and what its hooks print to answer. The payloads are close to the canonical
//! shape; here is what differs.

use std::path::PathBuf;

use model::TurnStatus;
use serde_json::{Value, json};

use super::NAME;
use crate::driver::Answer;
use crate::{Event, EventKind, TranslateError, generic, json_text};

/// What our own commands are called in the chat: `/takeback:undo 2`.
const COMMAND_PREFIX: &str = "takeback:";

/// How prompts begin that no human has typed.
const MACHINE_PROMPTS: [&str; 5] =
    ["<task-notification>", "<local-command", "<command-name>", "<command-message>", "[Request interrupted"];

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

/// The client sends this when it has compacted: a subagent of no name has stopped.
fn is_stop_of_nobody(value: &Value) -> bool {
    let is_subagent_event = matches!(value["hook_event_name"].as_str(), Some("SubagentStart" | "SubagentStop"));
    is_subagent_event && generic::text(value, "agent_id").is_none_or(|id| id.is_empty())
}

fn unknown(mut value: Value, raw: String) -> Result<Event, TranslateError> {
    let name = generic::text(&value, "hook_event_name").unwrap_or_default();
    value["hook_event_name"] = Value::String(format!("{name} of nobody"));
    generic::event(NAME, &value, raw).map(|event| Event { name, ..event })
}

fn kind(value: &Value, canonical: EventKind) -> EventKind {
    match (value["hook_event_name"].as_str().unwrap_or_default(), canonical) {
        ("UserPromptSubmit", EventKind::Prompt { text, id }) if is_human(&text) => EventKind::Prompt { text, id },
        ("UserPromptSubmit", _) => EventKind::Unknown,
        ("UserPromptExpansion", _) => command(value).map_or(EventKind::Unknown, |words| EventKind::Command { words }),
        ("StopFailure", _) => EventKind::Stop { status: TurnStatus::Failed, background_tasks: background_tasks(value) },
        // What was compacted is read from the transcript.
        (_, EventKind::PreCompact | EventKind::PostCompact { .. }) => EventKind::Unknown,
        (_, kind) => kind,
    }
}

/// A prompt of a human that is none of our commands: those are answered when they are expanded, which leaves the input
/// line empty.
fn is_human(prompt: &str) -> bool {
    let is_ours = prompt.strip_prefix('/').is_some_and(|command| command.starts_with(COMMAND_PREFIX));
    !is_ours && !MACHINE_PROMPTS.iter().any(|beginning| prompt.trim_start().starts_with(beginning))
}

/// The words of one of our commands.
fn command(value: &Value) -> Option<Vec<String>> {
    let name = generic::text(value, "command_name")?;
    let verb = name.strip_prefix(COMMAND_PREFIX).filter(|verb| !verb.is_empty())?;
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
        assert_eq!(kind("hello"), EventKind::Prompt { text: "hello".to_owned(), id: Some("p".to_owned()) });
        assert_eq!(kind("<task-notification>\nx"), EventKind::Unknown);
        assert_eq!(kind("/takeback:undo 2"), EventKind::Unknown);
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
    fn a_subagent_without_a_name_stops_nobody() {
        let kind = event(r#"{"hook_event_name":"SubagentStop","session_id":"s","agent_id":"","agent_type":""}"#).kind;
        assert_eq!(kind, EventKind::Unknown);
    }

    #[test]
    fn an_error_of_the_model_ends_the_turn_as_failed() {
        let kind = event(r#"{"hook_event_name":"StopFailure","session_id":"s","error":"unknown"}"#).kind;
        assert_eq!(kind, EventKind::Stop { status: TurnStatus::Failed, background_tasks: None });
    }
}
