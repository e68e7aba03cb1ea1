//! OpenAI chat completions, as OpenCode speaks it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::dialect::{Dialect, Reply, StreamEvent};
use super::history::{Line, Role};

/// OpenAI chat completions.
pub(super) struct Chat;

impl Dialect for Chat {
    fn lines(&self, body: &Value) -> Vec<Line> {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        messages.iter().flat_map(lines_of).collect()
    }

    fn tools(&self, body: &Value) -> BTreeSet<String> {
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).map(str::to_owned).collect()
    }

    fn stream(&self, reply: &Reply<'_>) -> Vec<StreamEvent> {
        let choice = |delta: Value, finish: Value| json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
        let chunk = |choices: Value| {
            let mut chunk = completion(reply, "chat.completion.chunk");
            chunk["choices"] = choices;
            chunk
        };
        let mut last = chunk(json!([]));
        last["usage"] = usage(reply);
        let chunks = [chunk(choice(message(reply), Value::Null)), chunk(choice(json!({}), finish_reason(reply))), last];
        let end = StreamEvent { name: None, data: "[DONE]".to_owned() };
        chunks.iter().map(StreamEvent::nameless).chain([end]).collect()
    }

    fn whole(&self, reply: &Reply<'_>) -> Value {
        let mut whole = completion(reply, "chat.completion");
        whole["choices"] = json!([{ "index": 0, "message": message(reply), "finish_reason": finish_reason(reply) }]);
        whole["usage"] = usage(reply);
        whole
    }
}

fn lines_of(message: &Value) -> Vec<Line> {
    let role = match message["role"].as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => return vec![Line::value(Role::Result, message)],
        _ => Role::System,
    };
    let mut lines = match &message["content"] {
        Value::String(text) if text.is_empty() => Vec::new(),
        Value::String(text) => vec![Line::text(role, text)],
        Value::Array(parts) => parts.iter().map(|part| part_line(role, part)).collect(),
        _ => Vec::new(),
    };
    let calls = message["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    lines.extend(calls.iter().map(|call| Line::value(Role::Call, call)));
    lines
}

fn part_line(role: Role, part: &Value) -> Line {
    part["text"].as_str().map_or_else(|| Line::value(role, part), |text| Line::text(role, text))
}

fn completion(reply: &Reply<'_>, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-{:06}", reply.number),
        "object": object,
        "created": 0,
        "model": reply.body["model"],
    })
}

fn message(reply: &Reply<'_>) -> Value {
    if reply.calls.is_empty() {
        return json!({ "role": "assistant", "content": reply.text });
    }
    let call = |(index, call): (usize, &super::dialect::Call)| {
        let id = format!("call_{:06}_{index}", reply.number);
        let function = json!({ "name": call.name, "arguments": call.input.to_string() });
        json!({ "index": index, "id": id, "type": "function", "function": function })
    };
    let calls: Vec<Value> = reply.calls.iter().enumerate().map(call).collect();
    json!({ "role": "assistant", "content": null, "tool_calls": calls })
}

fn finish_reason(reply: &Reply<'_>) -> Value {
    if reply.calls.is_empty() { "stop".into() } else { "tool_calls".into() }
}

fn usage(reply: &Reply<'_>) -> Value {
    json!({ "prompt_tokens": reply.tokens, "completion_tokens": 10, "total_tokens": reply.tokens + 10 })
}
