//! The canonical shape itself: one JSON object per event, for scripts, tests and hosts without a file of their own.

use serde_json::Value;

use crate::tools::{is_read_only, leaves_work_running, spawns_subagent};
use crate::{Event, EventKind, StartSource, ToolCall, ToolClass, ToolResponse, ToolUse, TranslateError, json_text};
use model::{MessageKind, TurnStatus};

/// A summary of more characters than this is cut.
const SUMMARY_CHARACTERS_MAX: usize = 200;

/// Turns one object of the canonical shape into an event. Fields that are not known are ignored; an event name that is
/// not known becomes [`EventKind::Unknown`].
pub fn translate(payload: &[u8]) -> Result<Event, TranslateError> {
    let (value, raw) = json_text::parse(payload)?;
    event("generic", &value, raw)
}

/// The same for a payload that is parsed already and comes from an agent whose shape is like the canonical one.
pub(crate) fn event(agent: &str, value: &Value, raw: String) -> Result<Event, TranslateError> {
    let name = text(value, "hook_event_name").ok_or(TranslateError::MissingField { field: "hook_event_name" })?;
    let session = text(value, "session_id")
        .filter(|id| !id.is_empty())
        .ok_or(TranslateError::MissingField { field: "session_id" })?;
    let kind = kind(&name, value, &raw)?;
    let speaker = match kind {
        EventKind::SubagentStart { .. } | EventKind::SubagentStop { .. } => None,
        _ => text(value, "agent_id").filter(|id| !id.is_empty()),
    };
    Ok(Event {
        agent: agent.to_owned(),
        name,
        session,
        agent_id: speaker,
        turn_id: text(value, "turn_id"),
        cwd: text(value, "cwd"),
        transcript: None,
        kind,
        raw,
    })
}

fn kind(name: &str, value: &Value, raw: &str) -> Result<EventKind, TranslateError> {
    Ok(match name {
        "SessionStart" => session_start(value),
        "UserPromptSubmit" => EventKind::Prompt {
            text: text(value, "prompt").unwrap_or_default(),
            id: text(value, "prompt_id").or_else(|| text(value, "turn_id")),
            content: json_text::member(raw, "content").filter(|_| !value["content"].is_null()),
        },
        "PreToolUse" => EventKind::BeforeTool(tool_call(value)?),
        "PermissionRequest" => EventKind::PermissionRequest(tool_use(value)?),
        "PermissionDenied" => EventKind::PermissionDenied(tool_use(value)?),
        "PostToolUse" => after_tool(value, Ended::Well)?,
        "PostToolUseFailure" => after_tool(value, Ended::Badly)?,
        "SubagentStart" => {
            EventKind::SubagentStart { id: required(value, "agent_id")?, parent: text(value, "parent_agent_id") }
        }
        "SubagentStop" => EventKind::SubagentStop { id: required(value, "agent_id")? },
        "PreCompact" => EventKind::PreCompact,
        "PostCompact" => {
            let summary = text(value, "summary").unwrap_or_default();
            EventKind::PostCompact { id: text(value, "id"), summary, keeps_from: text(value, "first_kept_id") }
        }
        "Interrupt" => EventKind::Interrupt,
        "Stop" => stop(value),
        "SessionEnd" => EventKind::SessionEnd,
        "Message" => message(value)?,
        _ => EventKind::Unknown,
    })
}

fn session_start(value: &Value) -> EventKind {
    let source = match value["source"].as_str() {
        Some("fork") => StartSource::Fork,
        Some("startup") | None => StartSource::Startup,
        Some(_) => StartSource::Resume,
    };
    EventKind::SessionStart { source, parent: text(value, "parent_session_id") }
}

fn stop(value: &Value) -> EventKind {
    let status = text(value, "status").and_then(|code| TurnStatus::from_code(&code));
    let background_tasks = match &value["background_tasks"] {
        Value::Array(tasks) => Some(tasks.len()),
        Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
        _ => None,
    };
    let status = status.filter(|status| *status != TurnStatus::Open).unwrap_or(TurnStatus::Completed);
    EventKind::Stop { status, background_tasks }
}

fn message(value: &Value) -> Result<EventKind, TranslateError> {
    let role = text(value, "role").unwrap_or_default();
    let kind = match value["kind"].as_str() {
        Some(code) => MessageKind::from_code(code).unwrap_or(MessageKind::Injected),
        None if role == "assistant" => MessageKind::Assistant,
        None => MessageKind::Injected,
    };
    let content = match &value["content"] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Ok(EventKind::Message { id: required(value, "id")?, parent: text(value, "parent"), role, kind, content })
}

fn tool_use(value: &Value) -> Result<ToolUse, TranslateError> {
    Ok(ToolUse { name: required(value, "tool_name")?, id: text(value, "tool_use_id") })
}

pub(crate) fn tool_call(value: &Value) -> Result<ToolCall, TranslateError> {
    let tool = tool_use(value)?;
    let input = &value["tool_input"];
    let command = command(input);
    let path = text(input, "file_path").or_else(|| text(input, "notebook_path"));
    let class = match &path {
        _ if is_read_only(&tool.name) => ToolClass::ReadOnly,
        _ if spawns_subagent(&tool.name) => ToolClass::SpawnsSubagent,
        Some(path) => ToolClass::Structured { paths: vec![path.clone()] },
        None => ToolClass::Open,
    };
    let reads = if is_read_only(&tool.name) { path.clone().or_else(|| text(input, "path")) } else { None };
    let is_background =
        input["run_in_background"].as_bool() == Some(true) || command.as_deref().is_some_and(leaves_work_running);
    let summary = command.clone().or(path).or_else(|| text(input, "description")).or_else(|| text(input, "prompt"));
    let summary = one_line(&summary.unwrap_or_else(|| tool.name.clone()));
    Ok(ToolCall { tool, class, command, reads: reads.into_iter().collect(), summary, is_background })
}

/// A shell command is a string, or a list of words as some agents have it.
fn command(input: &Value) -> Option<String> {
    match &input["command"] {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            Some(words.iter().map(|word| word.as_str().unwrap_or_default()).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

enum Ended {
    Well,
    Badly,
}

fn after_tool(value: &Value, ended: Ended) -> Result<EventKind, TranslateError> {
    let answer = &value["tool_response"];
    let background_ids = ["backgroundTaskId", "background_task_id", "shellId"];
    let response = ToolResponse {
        has_failed: matches!(ended, Ended::Badly),
        original_file: text(answer, "originalFile"),
        duration_ms: value["duration_ms"].as_u64(),
        is_background: background_ids.iter().any(|field| answer[*field].is_string()),
    };
    Ok(EventKind::AfterTool { call: tool_call(value)?, response })
}

fn required(value: &Value, field: &'static str) -> Result<String, TranslateError> {
    text(value, field).filter(|text| !text.is_empty()).ok_or(TranslateError::MissingField { field })
}

pub(crate) fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field).and_then(Value::as_str).map(str::to_owned)
}

pub(crate) fn one_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let more = line.chars().count() > SUMMARY_CHARACTERS_MAX || text.lines().nth(1).is_some();
    let mut short: String = line.chars().take(SUMMARY_CHARACTERS_MAX).collect();
    if more {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(text: &str) -> Event {
        translate(text.as_bytes()).expect("an event")
    }

    #[test]
    fn a_shell_call_is_open_and_summed_up_by_its_command() {
        let event = event(
            r#"{"hook_event_name":"PreToolUse","session_id":"a","cwd":"/x","tool_name":"Bash","tool_use_id":"u1",
                "tool_input":{"command":"make\nmake install"},"more":1}"#,
        );
        let EventKind::BeforeTool(call) = event.kind else { panic!("{:?}", event.kind) };
        assert_eq!((call.class, call.summary.as_str()), (ToolClass::Open, "make…"));
        assert_eq!(call.tool.id.as_deref(), Some("u1"));
    }

    #[test]
    fn a_tool_that_names_a_file_is_structured_unless_it_only_reads() {
        let class = |tool: &str| {
            let payload = format!(
                r#"{{"hook_event_name":"PreToolUse","session_id":"a","tool_name":"{tool}","tool_input":{{"file_path":"f"}}}}"#
            );
            match event(&payload).kind {
                EventKind::BeforeTool(call) => call.class,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(class("Write"), ToolClass::Structured { paths: vec!["f".to_owned()] });
        assert_eq!(class("Read"), ToolClass::ReadOnly);
    }

    #[test]
    fn an_unknown_event_is_kept_and_a_missing_session_is_an_error() {
        assert_eq!(event(r#"{"hook_event_name":"Later","session_id":"a"}"#).kind, EventKind::Unknown);
        let wrong = translate(br#"{"hook_event_name":"Stop"}"#);
        assert_eq!(wrong, Err(TranslateError::MissingField { field: "session_id" }));
        assert!(translate(b"[]").is_err());
        assert!(translate(b"{\"hook_event_name\":\"Stop\",\"session").is_err());
    }

    #[test]
    fn a_stop_says_how_the_turn_ended_and_what_still_runs() {
        let kind =
            event(r#"{"hook_event_name":"Stop","session_id":"a","status":"failed","background_tasks":[{}]}"#).kind;
        assert_eq!(kind, EventKind::Stop { status: TurnStatus::Failed, background_tasks: Some(1) });
    }
}
