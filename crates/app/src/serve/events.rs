//! Methods that are events: they become the canonical shape and go the way of every other agent's events.

use agents::Event;
use model::TurnId;
use serde_json::{Value, json};

use super::call::Call;
use super::fault::{Code, Fault};
use super::server::Session;
use takeback::Standing;

/// A parameter that has another name in the canonical shape.
type Renamed = (&'static str, &'static str);

/// `turn/begin`
pub(super) fn turn_begin(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.own_session()?;
    let said = record(call, &session, "UserPromptSubmit", &[("id", "prompt_id")])?;
    Ok(turn_answer(standing(&session)?.turn, &said))
}

/// `turn/end`
pub(super) fn turn_end(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.own_session()?;
    let open = standing(&session)?.turn;
    let said = record(call, &session, "Stop", &[])?;
    Ok(turn_answer(open, &said))
}

/// `tool/before`
pub(super) fn tool_before(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "PreToolUse")
}

/// `tool/after`
pub(super) fn tool_after(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, if call.parameters.is_set("failed") { "PostToolUseFailure" } else { "PostToolUse" })
}

/// `tool/permission`
pub(super) fn tool_permission(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "PermissionRequest")
}

/// `tool/denied`
pub(super) fn tool_denied(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "PermissionDenied")
}

/// `subagent/start`
pub(super) fn subagent_start(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "SubagentStart")
}

/// `subagent/stop`
pub(super) fn subagent_stop(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "SubagentStop")
}

/// `compaction/append`
pub(super) fn compaction(call: &Call<'_>) -> Result<String, Fault> {
    tell(call, "PostCompact")
}

/// Records a request as the event of a name; returns the sentences for the user.
pub(super) fn record(
    call: &Call<'_>,
    session: &Session,
    event: &str,
    renamed: &[Renamed],
) -> Result<Vec<String>, Fault> {
    let mut fields = call.parameters.fields().clone();
    fields.remove("session");
    for (from, to) in renamed {
        if let Some(value) = fields.remove(*from) {
            fields.insert((*to).to_owned(), value);
        }
    }
    let said = receive(session, event, fields)?;
    call.server.pulse.beat();
    Ok(said)
}

/// Nobody is left who could end the session's turn: it was interrupted. Whatever fails here is made good when the
/// session is opened again.
pub(super) fn abandon(session: &Session) {
    if session.workspace.standing(session.id).is_ok_and(|standing| !standing.is_at_rest()) {
        _ = receive(session, "Interrupt", serde_json::Map::new());
    }
}

fn tell(call: &Call<'_>, event: &str) -> Result<String, Fault> {
    let session = call.own_session()?;
    let said = record(call, &session, event, &[])?;
    Ok(json!({"said": said}).to_string())
}

fn receive(session: &Session, event: &str, mut fields: serde_json::Map<String, Value>) -> Result<Vec<String>, Fault> {
    fields.insert("hook_event_name".to_owned(), json!(event));
    fields.insert("session_id".to_owned(), json!(session.native));
    fields.entry("cwd").or_insert_with(|| json!(session.workspace.root_path().to_string_lossy()));
    let payload = Value::Object(fields).to_string();
    let translated = agents::translate("generic", payload.as_bytes())
        .map_err(|error| Fault::new(Code::InvalidParameters, error.to_string()))?;
    let event = Event { agent: session.agent.clone(), ..translated };
    let _still = session.hold_still();
    Ok(session.workspace.receive(&event)?.said)
}

fn standing(session: &Session) -> Result<Standing, Fault> {
    session.workspace.standing(session.id).map_err(|error| Fault::not_done(&error))
}

fn turn_answer(turn: Option<TurnId>, said: &[String]) -> String {
    json!({"turn": turn.map(|turn| turn.to_string()), "said": said}).to_string()
}
