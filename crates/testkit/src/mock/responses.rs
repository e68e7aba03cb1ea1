//! OpenAI Responses, as Codex speaks it, with both families of tools: many plain ones, or one that runs code.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::dialect::{Call, Dialect, Reply, StreamEvent};
use super::history::{Line, Role};

/// OpenAI Responses.
pub(super) struct Responses;

impl Dialect for Responses {
    fn lines(&self, body: &Value) -> Vec<Line> {
        match &body["input"] {
            Value::String(text) => vec![Line::text(Role::User, text)],
            Value::Array(items) => items.iter().flat_map(lines_of).collect(),
            _ => Vec::new(),
        }
    }

    fn tools(&self, body: &Value) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        add_tools(&body["tools"], &mut names);
        for item in body["input"].as_array().map(Vec::as_slice).unwrap_or_default() {
            if item["type"] == "additional_tools" {
                add_tools(&item["tools"], &mut names);
            }
        }
        names
    }

    fn stream(&self, reply: &Reply<'_>) -> Vec<StreamEvent> {
        let items = items(reply);
        let mut begun = response(reply, &[]);
        begun["status"] = "in_progress".into();
        let mut events = vec![json!({ "type": "response.created", "response": begun })];
        events.extend(items.iter().enumerate().flat_map(|(index, item)| stream_of(index, item)));
        events.push(json!({ "type": "response.completed", "response": response(reply, &items) }));
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = number.into();
        }
        events.iter().map(StreamEvent::typed).collect()
    }

    fn whole(&self, reply: &Reply<'_>) -> Value {
        response(reply, &items(reply))
    }
}

/// Tools stand alone or in named groups.
fn add_tools(tools: &Value, names: &mut BTreeSet<String>) {
    for tool in tools.as_array().map(Vec::as_slice).unwrap_or_default() {
        names.extend(tool["name"].as_str().or(tool["type"].as_str()).map(str::to_owned));
        add_tools(&tool["tools"], names);
    }
}

fn lines_of(item: &Value) -> Vec<Line> {
    match item["type"].as_str().unwrap_or("message") {
        "message" => message_lines(item),
        kind if kind.ends_with("_call_output") => vec![Line::value(Role::Result, item)],
        kind if kind.ends_with("_call") => vec![Line::value(Role::Call, item)],
        _ => vec![Line::value(Role::System, item)],
    }
}

fn message_lines(item: &Value) -> Vec<Line> {
    let role = match item["role"].as_str() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        _ => Role::System,
    };
    match &item["content"] {
        Value::String(text) => vec![Line::text(role, text)],
        Value::Array(parts) => parts.iter().map(|part| part_line(role, part)).collect(),
        _ => Vec::new(),
    }
}

fn part_line(role: Role, part: &Value) -> Line {
    part["text"].as_str().map_or_else(|| Line::value(role, part), |text| Line::text(role, text))
}

fn items(reply: &Reply<'_>) -> Vec<Value> {
    if reply.calls.is_empty() {
        return vec![json!({
            "type": "message",
            "id": format!("msg_{:06}", reply.number),
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": reply.text, "annotations": [] }],
        })];
    }
    reply.calls.iter().enumerate().map(|(index, call)| item(reply.number, index, call)).collect()
}

fn item(number: u64, index: usize, call: &Call) -> Value {
    let name = &call.name;
    let (id, call_id) = (format!("item_{number:06}_{index}"), format!("call_{number:06}_{index}"));
    if call.is_free_form() {
        json!({ "type": "custom_tool_call", "id": id, "call_id": call_id, "name": name, "input": call.input, "status": "completed" })
    } else {
        let arguments = call.input.to_string();
        json!({ "type": "function_call", "id": id, "call_id": call_id, "name": name, "arguments": arguments, "status": "completed" })
    }
}

fn response(reply: &Reply<'_>, items: &[Value]) -> Value {
    json!({
        "id": format!("resp_{:06}", reply.number),
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": reply.body["model"],
        "output": items,
        "usage": {
            "input_tokens": reply.tokens,
            "input_tokens_details": { "cached_tokens": 0 },
            "output_tokens": 10,
            "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": reply.tokens + 10,
        },
    })
}

fn stream_of(index: usize, item: &Value) -> Vec<Value> {
    let mut opening = item.clone();
    opening["status"] = "in_progress".into();
    let text = &item["content"][0]["text"];
    let mut events = Vec::new();
    if text.is_string() {
        opening["content"] = json!([]);
    }
    events.push(json!({ "type": "response.output_item.added", "output_index": index, "item": opening }));
    if text.is_string() {
        let id = &item["id"];
        events.push(json!({ "type": "response.output_text.delta", "output_index": index, "content_index": 0, "item_id": id, "delta": text }));
    }
    events.push(json!({ "type": "response.output_item.done", "output_index": index, "item": item }));
    events
}
