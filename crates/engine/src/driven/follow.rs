//! Following an agent's own conversation: its record is read, what is new is entered, and where it has moved on its own
//! that is entered too. What cannot be read is said, and the prompts alone are kept then.

use agents::{Conversation, DriverError, Event};
use model::{MessageKind, SessionId, TurnId};
use store::{NativeTalk, NewSession, Session, Turn, Writer};

use super::activation;
use super::import::import;
use super::moves::Move;
use super::seat::{current_talk, new_talk, seat};
use crate::error::RecordError;
use crate::talk::{self, Said};
use crate::workspace::Workspace;

/// What following came to.
#[derive(Debug, Default)]
pub(crate) struct Followed {
    /// What the user should know, as sentences.
    pub(crate) said: Vec<String>,
}

/// When an agent's record is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// If its file has grown; at events, which are many.
    IfGrown,
    /// In any case: it may go on in another file of which nobody has told.
    Always,
}

/// Brings the graph up to what the session's agent has written down. Nothing to do for hosts whose conversation is ours,
/// and for a record that has not grown. Never fails because of the agent's files: what is wrong with them is said.
pub(crate) fn follow(workspace: &Workspace, session: SessionId, look: Look) -> Result<Followed, RecordError> {
    let reader = workspace.store.read()?;
    let Some(row) = reader.session(session)? else { return Ok(Followed::default()) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(Followed::default()) };
    drop(reader);
    // An agent that waits for this very hook cannot be asked to move.
    if look == Look::Always || driver.can_pull_from_chat() {
        activation::retry(workspace, &row)?;
    }
    let talk = current_talk(&workspace.store.read()?, &row)?;
    let size_bytes = file_size_bytes(&talk);
    if look == Look::IfGrown && size_bytes.is_some_and(|size| size == talk.read_bytes) {
        return Ok(Followed::default());
    }
    let read = driver.read(&seat(workspace, &row, &talk));
    workspace.note("conversation", |writer| match &read {
        Ok(conversation) => {
            let known = NativeTalk { read_bytes: size_bytes.unwrap_or(0), ..talk };
            enter(writer, &row, &known, conversation)
        }
        Err(error) => do_without(writer, &row, talk, error),
    })
}

fn enter(
    writer: &mut Writer<'_>,
    row: &Session,
    known: &NativeTalk,
    conversation: &Conversation,
) -> Result<Followed, RecordError> {
    adopt_late(writer, row, conversation)?;
    let imported = import(writer, row.id, known, conversation)?;
    withdraw_prompts_without_trace(writer, row)?;
    writer.put_native_talk(&NativeTalk {
        head: imported.head,
        tip_prompt: conversation.line.last().cloned(),
        version: conversation.version.clone().or_else(|| known.version.clone()),
        is_readable: true,
        ..known.clone()
    })?;
    Ok(Followed { said: imported.moves.iter().filter_map(sentence).collect() })
}

/// The agent's record cannot be read: the prompts alone are entered, so that turns still have their place.
fn do_without(
    writer: &mut Writer<'_>,
    row: &Session,
    talk: NativeTalk,
    error: &DriverError,
) -> Result<Followed, RecordError> {
    let has_not_begun = matches!(error, DriverError::NoConversation { .. }) && talk.head.is_some();
    if has_not_begun {
        // It was made ready here, and nobody has typed anything into it yet.
        return Ok(Followed::default());
    }
    for turn in writer.turns_of(row.id)? {
        enter_prompt(writer, row, &turn)?;
    }
    let is_news = talk.is_readable && !matches!(error, DriverError::NoConversation { .. });
    writer.put_native_talk(&NativeTalk { is_readable: false, ..talk })?;
    let said = is_news.then(|| format!("Only files can be taken back in this session: {error}"));
    Ok(Followed { said: said.into_iter().collect() })
}

fn enter_prompt(writer: &mut Writer<'_>, row: &Session, turn: &Turn) -> Result<(), RecordError> {
    let Some(prompt) = &turn.prompt else { return Ok(()) };
    let said = Said {
        native: &talk::prompt_entry_id(turn),
        parent: None,
        turn: Some(turn.id),
        role: "user",
        kind: MessageKind::Prompt,
        payload: prompt.as_bytes(),
        keeps_from: None,
    };
    Ok(talk::say(writer, row.id, &said)?)
}

/// A prompt that another hook blocked never reached the agent's record: its turn is withdrawn, unless something was done
/// in it. The newest turn may not be written down yet.
fn withdraw_prompts_without_trace(writer: &mut Writer<'_>, row: &Session) -> Result<(), RecordError> {
    let turns = writer.turns_of(row.id)?;
    let Some((_, older)) = turns.split_last() else { return Ok(()) };
    let Some(turn) = older.last().filter(|turn| turn.prompt_id.is_some() && turn.completed_ns.is_none()) else {
        return Ok(());
    };
    let is_written = talk::prompt_entry(writer, turn)?.is_some();
    if !is_written && writer.steps_of(turn.id)?.is_empty() && writer.transitions_of_turn(turn.id)?.is_empty() {
        writer.remove_turn(turn.id)?;
    }
    Ok(())
}

/// The session of an event whose id was never seen, if its conversation begins with turns of a known session: then it
/// branched off that one, whatever the agent calls it.
pub(crate) fn adopt_lineage(
    workspace: &Workspace,
    writer: &mut Writer<'_>,
    event: &Event,
) -> Result<Option<SessionId>, RecordError> {
    let Some(driver) = agents::driver(&event.agent) else { return Ok(None) };
    if writer.session_by_native(&event.agent, &event.session)?.is_some() {
        return Ok(None);
    }
    let stranger = stranger(event);
    let talk = NativeTalk { transcript: transcript_bytes(event), ..new_talk(&stranger, &event.session) };
    let Ok(conversation) = driver.read(&seat(workspace, &stranger, &talk)) else { return Ok(None) };
    let Some(last_shared) = newest_shared_turn(writer, &event.agent, None, &conversation)? else { return Ok(None) };
    let child = writer.add_session(&NewSession {
        agent: event.agent.clone(),
        native: event.session.clone(),
        parent: Some(last_shared.session),
        forked_at: Some(last_shared.id),
        cwd: stranger.cwd,
        started_ns: disk::clock::now_ns(),
    })?;
    talk::branch_off_after(writer, &last_shared, child)?;
    Ok(Some(child))
}

/// The same for a session that is known already: some agents write a branch down only after they have told of it.
fn adopt_late(writer: &mut Writer<'_>, row: &Session, conversation: &Conversation) -> Result<(), RecordError> {
    if row.parent.is_some() || !writer.heads_of(row.id)?.is_empty() {
        return Ok(());
    }
    let Some(last_shared) = newest_shared_turn(writer, &row.agent, Some(row.id), conversation)? else { return Ok(()) };
    writer.set_parent(row.id, last_shared.session, last_shared.id)?;
    Ok(talk::branch_off_after(writer, &last_shared, row.id)?)
}

/// The newest turn of a known session of this agent, but for one, whose prompt is on the conversation's line.
fn newest_shared_turn(
    writer: &Writer<'_>,
    agent: &str,
    but_for: Option<SessionId>,
    conversation: &Conversation,
) -> Result<Option<Turn>, RecordError> {
    let mut sessions = writer.sessions()?;
    sessions.retain(|session| session.agent == agent && Some(session.id) != but_for);
    for prompt in conversation.line.iter().rev() {
        for session in sessions.iter().rev() {
            if let Some(turn) = writer.turn_by_prompt(session.id, prompt)? {
                return Ok(Some(turn));
            }
        }
    }
    Ok(None)
}

/// A session that is in no store yet.
fn stranger(event: &Event) -> Session {
    Session {
        id: SessionId(0),
        agent: event.agent.clone(),
        native: event.session.clone(),
        parent: None,
        forked_at: None,
        cwd: event.cwd.clone().unwrap_or_default().into_bytes(),
        started_ns: 0,
        active_ns: 0,
        ended_ns: None,
        removed_ns: None,
        process: None,
    }
}

fn transcript_bytes(event: &Event) -> Option<Vec<u8>> {
    use std::os::unix::ffi::OsStringExt;
    event.transcript.clone().map(|path| path.into_os_string().into_vec())
}

/// How much the agent has written; none if it keeps no file of its own for the conversation.
fn file_size_bytes(talk: &NativeTalk) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(talk.transcript.as_deref()?));
    disk::state::size(path).ok().flatten().map(|size| size.length_bytes)
}

fn sentence(moved: &Move) -> Option<String> {
    let list = |turns: &[TurnId]| turns.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match moved {
        Move::Rewound(turns) => turns.first().map(|first| {
            format!(
                "The agent's conversation was rewound without {}; the files are as they were. \
                 `takeback rewind {first} --files` takes the files back too",
                list(turns)
            )
        }),
        Move::Returned(turns) if turns.is_empty() => None,
        Move::Returned(turns) => {
            Some(format!("The agent's conversation goes on with {}; the files stay as they are", list(turns)))
        }
    }
}
