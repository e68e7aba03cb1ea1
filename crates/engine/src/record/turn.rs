//! The events around a turn: the prompt that opens it and what ends it.

use std::collections::BTreeMap;

use agents::Event;
use decide::attribution::Closing;
use model::{CheckpointId, MessageKind, SessionId, StepId, TurnId, TurnStatus};
use store::{NewTurn, Turn, WindowState, Writer};

use crate::driven;
use crate::error::RecordError;
use crate::moment::Moment;
use crate::record::message::kept;
use crate::record::session::{close_unfinished_turn, close_windows};
use crate::record::{Received, sentences, session_of};
use crate::recording::Recording;
use crate::run::RUN_AGENT;
use crate::talk::{self, Said};
use crate::workspace::Workspace;

/// How a turn ended.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopped {
    pub(crate) status: TurnStatus,
    pub(crate) background_tasks: Option<usize>,
}

impl Stopped {
    /// The user pressed the key.
    pub(crate) const INTERRUPTED: Stopped = Stopped { status: TurnStatus::Interrupted, background_tasks: None };
}

/// A human prompt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt<'a> {
    /// The agent's own id of it.
    pub(crate) id: Option<&'a str>,
    /// Its text.
    pub(crate) text: &'a str,
    /// All that the model gets of it, attachments included; none: the text alone.
    pub(crate) content: Option<&'a [u8]>,
}

/// A human prompt opens a turn. The same prompt again is a retry; after its turn has ended it opens that turn again.
///
/// A prompt that the session inherited when it branched off is not its own to open again, for the turn belongs to both
/// sides: sent again here, it opens a new turn, and is said once more under an id of ours.
pub(crate) fn prompt(workspace: &Workspace, event: &Event, prompt: &Prompt<'_>) -> Result<Received, RecordError> {
    workspace.start_watcher()?;
    workspace.record_if_captured("prompt", |recording| {
        let session = session_of(recording, event)?;
        driven::note_seat(&mut recording.writer, session, event)?;
        driven::return_to_old_chain(&mut recording.writer, session, &event.session)?;
        let closing = main_windows_of(recording, session)?;
        let moment = Moment { closing: closing.clone(), ..Moment::of("prompt", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        recording.writer.add_event(&kept(event, session))?;
        open_turn(recording, session, entered.checkpoint, prompt)?;
        let tell = driven::tell(&mut recording.writer, session)?;
        Ok(Received { said: sentences(&entered.gaps), tell })
    })
}

fn open_turn(
    recording: &mut Recording<'_>,
    session: SessionId,
    checkpoint: CheckpointId,
    prompt: &Prompt<'_>,
) -> Result<TurnId, RecordError> {
    let is_driven = recording.writer.session(session)?.is_some_and(|row| driven::is_driven(&row.agent));
    let named = match prompt.id {
        Some(id) => recording.writer.turn_by_prompt(session, id)?,
        None => None,
    };
    let is_stale = named.as_ref().is_some_and(|turn| is_driven && is_of_another_prompt(turn, prompt));
    let known = named.filter(|_| !is_stale);
    if let Some(turn) = &known
        && turn.status == TurnStatus::Open
    {
        return Ok(turn.id);
    }
    close_unfinished_turn(recording, session, checkpoint)?;
    if let Some(turn) = known {
        recording.writer.reopen_turn(turn.id)?;
        return Ok(turn.id);
    }
    let turn = recording.writer.add_turn(&NewTurn {
        session,
        prompt_id: prompt.id.filter(|_| !is_stale).map(str::to_owned),
        prompt: Some(prompt.text.to_owned()),
        started_ns: disk::clock::now_ns(),
        opened_at: checkpoint,
    })?;
    // Where in its conversation a prompt stands, an agent that keeps it itself writes down later.
    let is_kept_here = |row: &store::Session| row.agent != RUN_AGENT && !is_driven;
    let has_conversation = recording.writer.session(session)?.is_some_and(|row| is_kept_here(&row));
    if let Some(row) = recording.writer.turn(turn)?.filter(|_| has_conversation) {
        say_prompt(&mut recording.writer, &row, prompt)?;
    }
    Ok(turn)
}

/// A prompt that was typed while the agent came to its end is told under the id of the turn before. Later events have its
/// own.
fn is_of_another_prompt(turn: &Turn, prompt: &Prompt<'_>) -> bool {
    turn.status != TurnStatus::Open && turn.prompt.as_deref().is_some_and(|text| text != prompt.text)
}

/// Gives the open turn the id that an event names, if its prompt came without one of its own.
fn name_open_turn(recording: &mut Recording<'_>, session: SessionId, event: &Event) -> Result<(), RecordError> {
    let Some(id) = event.turn_id.as_deref().filter(|_| driven::is_driven(&event.agent)) else { return Ok(()) };
    if recording.writer.turn_by_prompt(session, id)?.is_some() {
        return Ok(());
    }
    match recording.writer.open_turn(session)?.filter(|turn| turn.prompt_id.is_none() && turn.prompt.is_some()) {
        Some(turn) => Ok(recording.writer.set_turn_prompt(turn.id, Some(id), turn.prompt.as_deref())?),
        None => Ok(()),
    }
}

fn say_prompt(writer: &mut Writer<'_>, turn: &Turn, prompt: &Prompt<'_>) -> Result<(), RecordError> {
    let said = Said {
        native: &talk::new_prompt_entry_id(writer, turn)?,
        parent: None,
        turn: Some(turn.id),
        role: "user",
        kind: MessageKind::Prompt,
        payload: prompt.content.unwrap_or(prompt.text.as_bytes()),
        keeps_from: None,
    };
    Ok(talk::say(writer, turn.session, &said)?)
}

/// The turn has ended. Windows that are still open never told of their end; work in the background goes on unless the
/// agent says that there is none.
pub(crate) fn stop(workspace: &Workspace, event: &Event, stopped: Stopped) -> Result<Received, RecordError> {
    workspace.record_if_captured("turn end", |recording| {
        let session = session_of(recording, event)?;
        let mut closing = main_windows_of(recording, session)?;
        if stopped.background_tasks == Some(0) {
            closing.extend(background_windows_of(recording, session)?);
        }
        name_open_turn(recording, session, event)?;
        let turn = match event.turn_id.as_deref() {
            Some(id) => recording.writer.turn_by_prompt(session, id)?,
            None => None,
        };
        let turn = match turn {
            Some(turn) => Some(turn),
            None => recording.writer.open_turn(session)?,
        };
        let moment = Moment {
            closing: closing.clone(),
            turn: turn.as_ref().map(|turn| turn.id),
            ..Moment::of("turn-end", Some(session))
        };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        if let Some(turn) = turn.filter(|turn| turn.status == TurnStatus::Open) {
            recording.writer.close_turn(turn.id, stopped.status, disk::clock::now_ns(), entered.checkpoint)?;
            talk::absorb(&mut recording.writer, session, &turn, stopped.status)?;
        }
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}

/// The turn an event of a session belongs to: the one it names, a subagent's own, the open one, or a new one without a
/// prompt.
pub(crate) fn turn_for(
    recording: &mut Recording<'_>,
    session: SessionId,
    event: &Event,
    checkpoint: impl FnOnce(&mut Recording<'_>) -> Result<CheckpointId, RecordError>,
) -> Result<TurnId, RecordError> {
    if let Some(agent) = event.agent_id.as_deref()
        && let Some(subagent) = recording.writer.subagent(session, agent)?
    {
        return Ok(subagent.turn);
    }
    name_open_turn(recording, session, event)?;
    if let Some(id) = event.turn_id.as_deref()
        && let Some(turn) = recording.writer.turn_by_prompt(session, id)?
    {
        return Ok(turn.id);
    }
    if let Some(turn) = recording.writer.open_turn(session)? {
        return Ok(turn.id);
    }
    let opened_at = checkpoint(recording)?;
    Ok(recording.writer.add_turn(&NewTurn {
        session,
        prompt_id: event.turn_id.clone(),
        prompt: None,
        started_ns: disk::clock::now_ns(),
        opened_at,
    })?)
}

/// The main agent's windows whose call has not answered, to be closed from outside.
fn main_windows_of(recording: &Recording<'_>, session: SessionId) -> Result<BTreeMap<StepId, Closing>, RecordError> {
    late(recording, |window| {
        window.session == session && window.agent_id.is_none() && window.state == WindowState::Open
    })
}

fn background_windows_of(
    recording: &Recording<'_>,
    session: SessionId,
) -> Result<BTreeMap<StepId, Closing>, RecordError> {
    late(recording, |window| window.session == session && window.state == WindowState::Background)
}

/// The open windows that fit, each to be closed as late.
pub(crate) fn late(
    recording: &Recording<'_>,
    fits: impl Fn(&store::Window) -> bool,
) -> Result<BTreeMap<StepId, Closing>, RecordError> {
    let windows = recording.writer.open_windows()?;
    Ok(windows.iter().filter(|window| fits(window)).map(|window| (window.step, Closing::Late)).collect())
}
