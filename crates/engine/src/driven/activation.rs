//! Activation: after the commit the agent is moved to where the conversation stands now. The intent is written down in
//! the commit itself, so that a process that dies between the two leaves it to the next; pulling a lever twice is
//! harmless. A failed activation never moves files back.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::time::Duration;

use agents::Lever;
use model::{HeadId, OperationId, SessionId};
use serde_json::{Value, json};
use store::{Activation as Row, ActivationState, NativeTalk, OperationState, Session, StoreError, Writer};

use super::import::newest_prompt;
use super::lever::Prepared;
use super::seat::{new_talk, seat};
use crate::error::RecordError;
use crate::report::AtAgent;
use crate::workspace::Workspace;

/// Writes down what was made ready, with the operation it is for, before any file is written: whoever takes the operation
/// back throws it away.
pub(crate) fn note_prepared(
    writer: &mut Writer<'_>,
    prepared: &Prepared,
    operation: OperationId,
) -> Result<(), StoreError> {
    let Prepared { row, from, lever, .. } = prepared;
    writer.add_activation(&Row {
        operation,
        session: row.id,
        agent: row.agent.clone(),
        lever: encode(lever, &from.native),
        resume: Some(lever.resume.clone()),
        state: ActivationState::Intended,
        trouble: None,
        made_ns: disk::clock::now_ns(),
    })
}

/// Throws away what was made ready for an operation that was taken back.
pub(crate) fn discard_prepared(workspace: &Workspace, operation: OperationId) -> Result<(), RecordError> {
    let reader = workspace.store.read()?;
    let Some(activation) = reader.activation(operation)? else { return Ok(()) };
    let row = reader.session(activation.session)?;
    drop(reader);
    if let (Some(driver), Some(row), Some((lever, from))) =
        (agents::driver(&activation.agent), row, decode(&activation.lever))
    {
        driver.discard(&seat(workspace, &row, &new_talk(&row, &from)), &lever);
    }
    workspace.note("recovery", |writer| Ok(writer.set_activation(operation, ActivationState::Lifted, None)?))
}

/// Throws away what was made ready for operations that are not the newest of their session: it led nowhere, as far as
/// nobody has gone on from it.
pub(crate) fn discard_superseded(workspace: &Workspace) -> Result<(), RecordError> {
    let activations = workspace.store.read()?.activations()?;
    for (at, activation) in activations.iter().enumerate() {
        let is_newest = !activations[at + 1..].iter().any(|later| later.session == activation.session);
        let row = workspace.store.read()?.session(activation.session)?;
        if let (false, Some(driver), Some(row), Some((lever, from))) =
            (is_newest, agents::driver(&activation.agent), row, decode(&activation.lever))
        {
            driver.discard(&seat(workspace, &row, &new_talk(&row, &from)), &lever);
        }
    }
    Ok(())
}

/// Moves the session's conversations in the transaction that moves the conversation: `head` is where it stands from now
/// on.
pub(crate) fn intend(writer: &mut Writer<'_>, prepared: &Prepared, head: HeadId) -> Result<(), StoreError> {
    let Prepared { from, left_head, lever, .. } = prepared;
    if lever.left != from.native && lever.left != lever.native {
        let left = NativeTalk { native: lever.left.clone(), transcript: None, read_bytes: 0, ..from.clone() };
        writer.put_native_talk(&NativeTalk { head: *left_head, ..left })?;
    }
    if lever.native == from.native && lever.moves_agent {
        return Ok(());
    }
    stand_at(writer, prepared, head)
}

/// Notes that the lever's conversation stands on a version from now on, and that the session goes by its id.
pub(crate) fn stand_at(writer: &mut Writer<'_>, prepared: &Prepared, head: HeadId) -> Result<(), StoreError> {
    let Prepared { row, lever, .. } = prepared;
    let known = writer.native_talk(&row.agent, &lever.native)?;
    let talk = known.unwrap_or_else(|| new_talk(row, &lever.native));
    let transcript = lever.transcript.clone().map(|path| path.into_os_string().into_vec()).or(talk.transcript.clone());
    writer.put_native_talk(&NativeTalk {
        transcript,
        head: Some(head),
        tip_prompt: prompt_of(writer, head)?,
        is_readable: true,
        ..talk
    })?;
    writer.add_native(row.id, &lever.native)
}

/// Moves the agent, after the commit. What goes wrong is part of the answer.
pub(crate) fn activate(
    workspace: &Workspace,
    prepared: &Prepared,
    operation: OperationId,
) -> Result<AtAgent, RecordError> {
    let Prepared { row, from, lever, .. } = prepared;
    let trouble = if must_wait(workspace, row, lever) && later(workspace, row.id) {
        None
    } else {
        pull(workspace, row, from, lever, operation)?
    };
    Ok(at_agent(lever, trouble))
}

/// The hidden command of the helper program that pulls a lever shortly after a chat was answered.
pub const ACTIVATION_COMMAND: &str = "move-agent";

/// How often a lever is pulled anew that must wait for a chat, and how long lies between.
const PULLS_MAX: usize = 25;
const BETWEEN_PULLS: Duration = Duration::from_millis(400);

/// Whether the agent cannot be moved as long as its chat waits for the answer.
fn must_wait(workspace: &Workspace, row: &Session, lever: &Lever) -> bool {
    let can = agents::driver(&row.agent).is_none_or(agents::Driver::can_pull_from_chat);
    workspace.environment.speaks_from_chat && lever.moves_agent && !can
}

/// Starts the helper that pulls the lever of a session in a moment; says whether that worked.
fn later(workspace: &Workspace, session: SessionId) -> bool {
    let Some(program) = &workspace.environment.helper_program else { return false };
    let session = session.to_string();
    let arguments = [
        OsStr::new(ACTIVATION_COMMAND),
        OsStr::new("-C"),
        workspace.root_path().as_os_str(),
        OsStr::new("--session"),
        OsStr::new(&session),
    ];
    disk::spawn_detached(program, &arguments).is_ok()
}

impl Workspace {
    /// Pulls the lever of a session's newest operation that waits for it, again and again until it works or it is no longer
    /// meant; not for longer than ten seconds. For the helper alone.
    pub fn move_agent(&self, session: SessionId) -> Result<(), RecordError> {
        for _ in 0..PULLS_MAX {
            disk::wait_for_any(&[], BETWEEN_PULLS);
            let reader = self.store.read()?;
            let Some(row) = reader.session(session)? else { return Ok(()) };
            let newest = reader.newest_activation(session)?;
            drop(reader);
            match newest.map(|activation| activation.state) {
                Some(ActivationState::Intended | ActivationState::Failed) => retry(self, &row)?,
                _ => return Ok(()),
            }
        }
        Ok(())
    }
}

/// Where the agent goes on with a lever that was pulled.
pub(crate) fn at_agent(lever: &Lever, trouble: Option<String>) -> AtAgent {
    let must_resume = !lever.moves_agent || trouble.is_some();
    AtAgent {
        native: lever.native.clone(),
        resume: must_resume.then(|| lever.resume.clone()),
        resume_in_chat: lever.resume_in_chat.clone().filter(|_| must_resume),
        trouble,
    }
}

/// Tries again what an earlier process could not do, or did not come to: of the newest operation alone, since an older one
/// no longer says where the conversation stands.
pub(crate) fn retry(workspace: &Workspace, row: &Session) -> Result<(), RecordError> {
    let reader = workspace.store.read()?;
    let waiting = reader.newest_activation(row.id)?;
    let waiting = waiting.filter(|it| matches!(it.state, ActivationState::Intended | ActivationState::Failed));
    let Some(activation) = waiting else { return Ok(()) };
    let operation = reader.operation(activation.operation)?;
    let is_committed = operation.is_some_and(|operation| operation.state == OperationState::Committed);
    let Some((lever, from)) = decode(&activation.lever).filter(|_| is_committed) else { return Ok(()) };
    let known = reader.native_talk(&row.agent, &from)?.unwrap_or_else(|| new_talk(row, &from));
    drop(reader);
    pull(workspace, row, &known, &lever, activation.operation).map(|_| ())
}

/// Pulls a lever and notes how that ended. Returns what went wrong.
fn pull(
    workspace: &Workspace,
    row: &Session,
    from: &NativeTalk,
    lever: &Lever,
    operation: OperationId,
) -> Result<Option<String>, RecordError> {
    let Some(driver) = agents::driver(&row.agent) else { return Ok(None) };
    let trouble = driver.activate(&seat(workspace, row, from), lever).err().map(|error| error.to_string());
    workspace.note("activation", |writer| {
        let state = if trouble.is_some() { ActivationState::Failed } else { ActivationState::Activated };
        writer.set_activation(operation, state, trouble.as_deref())?;
        let stands = writer.selected_head(row.id)?.map(|head| head.id);
        if trouble.is_none()
            && lever.moves_agent
            && lever.native == from.native
            && let Some(head) = stands
        {
            let tip_prompt = prompt_of(writer, head)?;
            writer.put_native_talk(&NativeTalk { head: Some(head), tip_prompt, read_bytes: 0, ..from.clone() })?;
        }
        Ok(())
    })?;
    Ok(trouble)
}

fn prompt_of(writer: &Writer<'_>, head: HeadId) -> Result<Option<String>, StoreError> {
    let tip = writer.head(head)?.and_then(|head| head.tip);
    Ok(newest_prompt(writer, tip)?.map(|entry| entry.native))
}

/// A lever as it is kept, with the conversation it moves. Notes are the translator's own bytes, as numbers.
fn encode(lever: &Lever, from: &str) -> Vec<u8> {
    let transcript = lever.transcript.as_ref().map(|path| path.as_os_str().as_bytes());
    json!({
        "from": from,
        "native": lever.native,
        "transcript": transcript,
        "left": lever.left,
        "resume": lever.resume,
        "resume_in_chat": lever.resume_in_chat,
        "moves_agent": lever.moves_agent,
        "notes": lever.notes,
    })
    .to_string()
    .into_bytes()
}

fn decode(bytes: &[u8]) -> Option<(Lever, String)> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    let numbers = |field: &str| -> Option<Vec<u8>> {
        value[field].as_array()?.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect()
    };
    let lever = Lever {
        native: text("native")?,
        transcript: numbers("transcript").map(|bytes| PathBuf::from(OsStr::from_bytes(&bytes))),
        left: text("left")?,
        resume: text("resume")?,
        resume_in_chat: text("resume_in_chat"),
        moves_agent: value["moves_agent"].as_bool()?,
        notes: numbers("notes")?,
    };
    Some((lever, text("from")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lever_comes_back_as_it_was_kept() {
        let lever = Lever {
            native: "new".to_owned(),
            transcript: Some(PathBuf::from(OsStr::from_bytes(b"/x/\xff.jsonl"))),
            left: "old".to_owned(),
            resume: "agent --resume new".to_owned(),
            resume_in_chat: None,
            moves_agent: false,
            notes: vec![0, 255],
        };
        assert_eq!(decode(&encode(&lever, "old")), Some((lever, "old".to_owned())));
        assert_eq!(decode(b"{}"), None);
        assert_eq!(decode(b"\xff"), None);
    }
}
