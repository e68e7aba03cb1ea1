//! Translators: what each agent says of itself, turned into one canonical [`Event`].
//!
//! An agent's file knows that agent's payloads and nothing of workspaces, stores or judgement. A shape that is not
//! known becomes an unknown event or an error with words, never a guess.
#![forbid(unsafe_code)]

mod event;
pub mod generic;
mod json_text;
mod tools;

pub use event::{Event, EventKind, StartSource, ToolCall, ToolClass, ToolResponse, ToolUse, TranslateError};

/// Turns one payload of the named agent into an event.
///
/// `payload` is the whole of what the agent wrote; bytes that are not UTF-8 are replaced, never refused. Fails if the
/// agent is not known, or if the payload is no JSON object with an event name and a session.
pub fn translate(agent: &str, payload: &[u8]) -> Result<Event, TranslateError> {
    match agent {
        "generic" => generic::translate(payload),
        other => Err(TranslateError::UnknownAgent { agent: other.to_owned() }),
    }
}
