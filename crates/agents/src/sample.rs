//! The events of one small turn, as the agents whose hooks call us would send them: for trying a hook out.

use std::path::Path;

use serde_json::{Value, json};

/// Session start, prompt, before a shell command, after it, and the turn's end, in a folder. All agents send these in the
/// same shape.
pub fn sample_turn(folder: &Path) -> [String; 5] {
    let id = |what: &str| format!("takeback-trial-{what}-{:016x}", disk::random_u64());
    let (session, prompt, call) = (id("session"), id("prompt"), id("call"));
    let event = |name: &str, more: Value| {
        let mut event = json!({
            "hook_event_name": name,
            "session_id": session,
            "prompt_id": prompt,
            "turn_id": prompt,
            "cwd": folder.to_string_lossy(),
        });
        if let (Some(event), Value::Object(more)) = (event.as_object_mut(), more) {
            event.extend(more);
        }
        event.to_string()
    };
    let tool = json!({ "tool_name": "Bash", "tool_use_id": call, "tool_input": { "command": "touch a-file" } });
    [
        event("SessionStart", json!({ "source": "startup" })),
        event("UserPromptSubmit", json!({ "prompt": "try takeback out" })),
        event("PreToolUse", tool.clone()),
        event("PostToolUse", tool),
        event("Stop", json!({})),
    ]
}
