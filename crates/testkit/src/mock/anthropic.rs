//! Anthropic Messages, as Claude Code speaks it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::dialect::{Dialect, Reply, StreamEvent};
use super::history::{Line, Role};

/// Anthropic Messages.
pub(super) struct Anthropic;

impl Dialect for Anthropic {
    fn lines(&self, body: &Value) -> Vec<Line> {
        let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        messages.iter().flat_map(lines_of).collect()
    }

    fn tools(&self, body: &Value) -> BTreeSet<String> {
        let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        tools.iter().filter_map(|tool| tool["name"].as_str()).map(str::to_owned).collect()
    }

    fn stream(&self, reply: &Reply<'_>) -> Vec<StreamEvent> {
        let blocks = blocks(reply);
        let mut message = message(reply, json!([]));
        message["stop_reason"] = Value::Null;
        let mut events = vec![json!({ "type": "message_start", "message": message })];
        events.extend(blocks.iter().enumerate().flat_map(|(index, block)| stream_of(index, block)));
        events.push(json!({
            "type": "message_delta",
            "delta": { "stop_reason": stop_reason(reply), "stop_sequence": null },
            "usage": { "output_tokens": 20 },
        }));
        events.push(json!({ "type": "message_stop" }));
        events.iter().map(StreamEvent::typed).collect()
    }

    fn whole(&self, reply: &Reply<'_>) -> Value {
        message(reply, blocks(reply).into())
    }
}

fn lines_of(message: &Value) -> Vec<Line> {
    let role = match message["role"].as_str() {
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => Role::User,
    };
    match &message["content"] {
        Value::String(text) => vec![Line::text(role, text)],
        Value::Array(blocks) => blocks.iter().map(|block| line_of(role, block)).collect(),
        _ => Vec::new(),
    }
}

fn line_of(role: Role, block: &Value) -> Line {
    match (block["type"].as_str(), block["text"].as_str()) {
        (Some("text"), Some(text)) => Line::text(role, text),
        (Some("tool_use"), _) => Line::value(Role::Call, block),
        (Some("tool_result"), _) => Line::value(Role::Result, block),
        _ => Line::value(role, block),
    }
}

fn blocks(reply: &Reply<'_>) -> Vec<Value> {
    if reply.calls.is_empty() {
        return vec![json!({ "type": "text", "text": reply.text })];
    }
    let block = |(index, call): (usize, &super::dialect::Call)| {
        let id = format!("toolu_mock{:06}{index}", reply.number);
        json!({ "type": "tool_use", "id": id, "name": call.name, "input": call.input })
    };
    reply.calls.iter().enumerate().map(block).collect()
}

fn message(reply: &Reply<'_>, content: Value) -> Value {
    json!({
        "id": format!("msg_mock{:06}", reply.number),
        "type": "message",
        "role": "assistant",
        "model": reply.body["model"],
        "content": content,
        "stop_reason": stop_reason(reply),
        "stop_sequence": null,
        "usage": {
            "input_tokens": reply.tokens,
            "output_tokens": 20,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
        },
    })
}

fn stop_reason(reply: &Reply<'_>) -> &'static str {
    if reply.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn stream_of(index: usize, block: &Value) -> [Value; 3] {
    let mut opening = block.clone();
    let delta = if block["type"] == "tool_use" {
        opening["input"] = json!({});
        json!({ "type": "input_json_delta", "partial_json": block["input"].to_string() })
    } else {
        opening["text"] = "".into();
        json!({ "type": "text_delta", "text": block["text"] })
    };
    [
        json!({ "type": "content_block_start", "index": index, "content_block": opening }),
        json!({ "type": "content_block_delta", "index": index, "delta": delta }),
        json!({ "type": "content_block_stop", "index": index }),
    ]
}
