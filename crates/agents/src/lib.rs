//! Translators: what each agent says of itself, turned into one canonical [`Event`]; what it has written down of its
//! conversation, turned into entries; and the levers by which that conversation can be moved.
//!
//! An agent's folder knows that agent's payloads, files and programs and nothing of workspaces, stores or judgement. A
//! shape that is not known becomes an unknown event or an error with words, never a guess.
#![forbid(unsafe_code)]

mod claude_code;
mod codex;
mod driver;
mod event;
pub mod generic;
mod json_text;
mod opencode;
mod sample;
pub mod setup;
mod tools;
mod typed;

pub use driver::{
    ASKING_VARIABLE, AgentHome, Answer, Conversation, Driver, DriverError, Lever, NativeEntry, Seat, SignOfLife, Target,
};
pub use event::{Event, EventKind, StartSource, ToolCall, ToolClass, ToolResponse, ToolUse, TranslateError};

pub use sample::sample_turn;

use setup::Setup;

/// The agents that can be set up, by the names used everywhere.
pub const AGENTS: [&str; 3] = ["claude-code", "codex", "opencode"];

/// Turns one payload of the named agent into an event.
///
/// `payload` is the whole of what the agent wrote; bytes that are not UTF-8 are replaced, never refused. Fails if the
/// agent is not known, or if the payload is no JSON object with an event name and a session.
pub fn translate(agent: &str, payload: &[u8]) -> Result<Event, TranslateError> {
    match agent {
        "generic" => generic::translate(payload),
        "claude-code" => claude_code::translate(payload),
        "codex" => codex::translate(payload),
        "opencode" => opencode::translate(payload),
        other => Err(TranslateError::UnknownAgent { agent: other.to_owned() }),
    }
}

/// The levers of an agent that keeps its conversation itself; none for hosts that ask for theirs.
pub fn driver(agent: &str) -> Option<&'static dyn Driver> {
    match agent {
        "claude-code" => Some(&claude_code::ClaudeCode),
        "codex" => Some(&codex::Codex),
        "opencode" => Some(&opencode::OpenCode),
        _ => None,
    }
}

/// How an agent is set up; none if it is not one of [`AGENTS`].
pub fn setup_of(agent: &str) -> Option<&'static dyn Setup> {
    match agent {
        "claude-code" => Some(&claude_code::ClaudeCode),
        "codex" => Some(&codex::Codex),
        "opencode" => Some(&opencode::OpenCode),
        _ => None,
    }
}
