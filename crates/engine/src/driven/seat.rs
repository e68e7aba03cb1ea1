//! Where a session's own conversation is to be found at its agent: the id it goes by, its file, the folder it lives in.

use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use agents::{DriverError, Event, EventKind, Seat, SignOfLife};
use disk::Process;
use model::{HeadId, SessionId};
use store::{NativeTalk, Reader, Session, StoreError, Writer};

use crate::workspace::Workspace;

/// What is known of a session's conversation under the id it goes by now; what is not known yet is empty.
pub(crate) fn current_talk(reader: &Reader<'_>, row: &Session) -> Result<NativeTalk, StoreError> {
    let known = reader.native_talk(&row.agent, &row.native)?;
    Ok(known.unwrap_or_else(|| new_talk(row, &row.native)))
}

/// The agent's conversation that holds a version: the one that stands on it, else the one the session goes by.
pub(crate) fn talk_of_head(reader: &Reader<'_>, row: &Session, head: HeadId) -> Result<NativeTalk, StoreError> {
    let current = current_talk(reader, row)?;
    if current.head == Some(head) {
        return Ok(current);
    }
    Ok(reader.native_talk_of_head(head)?.unwrap_or(current))
}

/// The session to which a conversation of an agent belongs that was made or kept by us and never used until now.
pub(crate) fn session_of_kept(reader: &Reader<'_>, event: &Event) -> Result<Option<SessionId>, StoreError> {
    Ok(reader.native_talk(&event.agent, &event.session)?.map(|talk| talk.session))
}

/// The files in which agents keep the conversations of a workspace, sorted.
pub(crate) fn records(reader: &Reader<'_>) -> Result<Vec<PathBuf>, StoreError> {
    let talks = reader.native_talks()?.into_iter();
    let mut records: Vec<PathBuf> =
        talks.filter_map(|talk| talk.transcript).map(|bytes| PathBuf::from(OsStr::from_bytes(&bytes))).collect();
    records.sort();
    records.dedup();
    Ok(records)
}

/// A conversation of which nothing is known but its id.
pub(crate) fn new_talk(row: &Session, native: &str) -> NativeTalk {
    NativeTalk {
        agent: row.agent.clone(),
        native: native.to_owned(),
        session: row.id,
        transcript: None,
        version: None,
        head: None,
        tip_prompt: None,
        read_bytes: 0,
        is_readable: true,
    }
}

/// The same as the translators want it.
pub(crate) fn seat(workspace: &Workspace, row: &Session, talk: &NativeTalk) -> Seat {
    Seat {
        native: talk.native.clone(),
        transcript: talk.transcript.as_deref().map(|bytes| PathBuf::from(OsStr::from_bytes(bytes))),
        cwd: PathBuf::from(OsStr::from_bytes(&row.cwd)),
        home: workspace.environment.agent_home.clone(),
    }
}

/// Notes under which id, in which file and by which process the agent keeps the conversation now.
///
/// Only what begins something says where the agent stands: the last words of a process that was at work on another id,
/// its end above all, may come after the session has moved on.
pub(crate) fn note_seat(writer: &mut Writer<'_>, session: SessionId, event: &Event) -> Result<(), StoreError> {
    let Some(row) = writer.session(session)? else { return Ok(()) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(()) };
    if matches!(event.kind, EventKind::Prompt { .. } | EventKind::SessionStart { .. }) {
        if row.native != event.session {
            writer.add_native(session, &event.session)?;
        }
        note_process(writer, &row, driver.programs())?;
    }
    let Some(transcript) = event.transcript.as_ref().map(|path| path.clone().into_os_string().into_vec()) else {
        return Ok(());
    };
    let known = writer.native_talk(&row.agent, &event.session)?;
    let talk = known.unwrap_or_else(|| new_talk(&row, &event.session));
    if talk.transcript.as_ref() == Some(&transcript) {
        return Ok(());
    }
    writer.put_native_talk(&NativeTalk { transcript: Some(transcript), read_bytes: 0, is_readable: true, ..talk })
}

/// Whether there is anything to note.
pub(crate) fn is_seat_new(reader: &Reader<'_>, row: &Session, event: &Event) -> Result<bool, StoreError> {
    let Some(driver) = agents::driver(&row.agent) else { return Ok(false) };
    let begins = matches!(event.kind, EventKind::Prompt { .. } | EventKind::SessionStart { .. });
    if begins && (row.native != event.session || Process::ancestor(driver.programs()) != row.process) {
        return Ok(true);
    }
    let known = reader.native_talk(&row.agent, &event.session)?.and_then(|talk| talk.transcript);
    let told = event.transcript.as_ref().map(|path| path.as_os_str().as_bytes());
    Ok(told.is_some() && told != known.as_deref())
}

fn note_process(writer: &mut Writer<'_>, row: &Session, programs: &[&str]) -> Result<(), StoreError> {
    let process = Process::ancestor(programs);
    if process == row.process {
        return Ok(());
    }
    writer.set_session_process(row.id, process)
}

/// Whether the session's agent is at work, by its own files and by whether its process lives.
pub(crate) fn sign_of_life(workspace: &Workspace, session: SessionId) -> Result<SignOfLife, StoreError> {
    let reader = workspace.store.read()?;
    let Some(row) = reader.session(session)? else { return Ok(SignOfLife::Unknown) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(SignOfLife::Unknown) };
    Ok(match driver.sign_of_life(&seat(workspace, &row, &current_talk(&reader, &row)?)) {
        SignOfLife::Unknown if row.process.is_some_and(|process| !process.is_alive()) => SignOfLife::Gone,
        sign => sign,
    })
}

/// Asks the session's agent to stop its turn. Returns why it could not be asked.
pub(crate) fn ask_to_stop(workspace: &Workspace, session: SessionId) -> Result<Option<DriverError>, StoreError> {
    let reader = workspace.store.read()?;
    let unsupported = DriverError::Unsupported { what: "be stopped from outside" };
    let Some(row) = reader.session(session)? else { return Ok(Some(unsupported)) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(Some(unsupported)) };
    Ok(driver.ask_to_stop(&seat(workspace, &row, &current_talk(&reader, &row)?)).err())
}
