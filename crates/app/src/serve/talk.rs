//! The conversation: what is added to it, and what is read from it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{MessageKind, TurnId};
use serde_json::{Value, json};
use takeback::NewEntry;

use super::call::Call;
use super::fault::{Code, Fault};
use crate::wire;

/// `entries/append`
pub(super) fn append(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.own_session()?;
    let given = call.parameters.list("entries");
    let contents = given.iter().map(content).collect::<Result<Vec<_>, _>>()?;
    let entries = given.iter().zip(&contents).map(|(given, content)| entry(given, content));
    session.workspace.append_entries(session.id, &entries.collect::<Result<Vec<_>, _>>()?)?;
    call.server.pulse.beat();
    let standing = session.workspace.standing(session.id).map_err(|error| Fault::not_done(&error))?;
    Ok(json!({"head": standing.head.map(|head| head.to_string())}).to_string())
}

/// `context`
pub(super) fn context(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let view = session.workspace.context(session.id).map_err(|error| Fault::not_done(&error))?;
    Ok(wire::context(&view))
}

/// `transcript`
pub(super) fn transcript(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let view = session.workspace.transcript(session.id).map_err(|error| Fault::not_done(&error))?;
    Ok(wire::transcript(&view))
}

fn entry<'a>(given: &'a Value, content: &'a [u8]) -> Result<NewEntry<'a>, Fault> {
    let turn: Option<TurnId> = given["turn"].as_str().map(str::parse).transpose()?;
    Ok(NewEntry {
        id: given["id"].as_str().unwrap_or_default(),
        parent: given["parent"].as_str(),
        turn,
        role: given["role"].as_str().unwrap_or_default(),
        kind: given["kind"].as_str().and_then(MessageKind::from_code).unwrap_or(MessageKind::Injected),
        content,
    })
}

/// What an entry says, as text or as any bytes.
fn content(given: &Value) -> Result<Vec<u8>, Fault> {
    match (given["content"].as_str(), given["content_base64"].as_str()) {
        (Some(text), None) => Ok(text.as_bytes().to_vec()),
        (None, Some(encoded)) => STANDARD.decode(encoded).map_err(invalid),
        _ => Err(invalid("An entry has either `content` or `content_base64`")),
    }
}

fn invalid(message: impl ToString) -> Fault {
    Fault::new(Code::InvalidParameters, message.to_string())
}
