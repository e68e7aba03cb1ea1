//! The events around a session: it starts, goes on, branches off, and is left.

use std::collections::BTreeMap;

use agents::{Event, StartSource};
use decide::attribution::Closing;
use model::{SessionId, StepId, TurnStatus};
use store::{NewSession, Spawns, Window, WindowState, Writer};

use crate::driven;
use crate::error::RecordError;
use crate::first_capture;
use crate::moment::Moment;
use crate::record::{Received, sentences};
use crate::recording::Recording;
use crate::talk;
use crate::workspace::{CoverageMode, Workspace};

/// The row of the event's session, made if it is new, and marked as active now.
pub(crate) fn ensure(writer: &mut Writer<'_>, event: &Event) -> Result<SessionId, RecordError> {
    let now_ns = disk::clock::now_ns();
    if let Some(session) = writer.session_by_native(&event.agent, &event.session)? {
        writer.touch_session(session.id, now_ns)?;
        return Ok(session.id);
    }
    if let Some(session) = driven::session_of_kept(writer, event)? {
        writer.add_native(session, &event.session)?;
        writer.touch_session(session, now_ns)?;
        return Ok(session);
    }
    let cwd = event.cwd.clone().unwrap_or_default().into_bytes();
    let new = NewSession {
        agent: event.agent.clone(),
        native: event.session.clone(),
        parent: None,
        forked_at: None,
        cwd,
        started_ns: now_ns,
    };
    Ok(writer.add_session(&new)?)
}

/// A session starts. Whatever an earlier process of the same session left open is closed as late.
pub(crate) fn start(
    workspace: &Workspace,
    event: &Event,
    source: StartSource,
    parent: Option<&str>,
) -> Result<Received, RecordError> {
    let (settings, mut said) = workspace.read_settings();
    workspace.store_settings(&settings)?;
    workspace.start_watcher()?;
    said.extend(first_capture::begin(workspace)?);
    let act = |recording: &mut Recording<'_>| {
        let session = match parent.filter(|_| source == StartSource::Fork) {
            Some(parent) => fork(&mut recording.writer, event, parent)?,
            None if driven::session_of_kept(&recording.writer, event)?.is_some() => {
                ensure(&mut recording.writer, event)?
            }
            None => match driven::adopt_lineage(workspace, &mut recording.writer, event)? {
                Some(child) => child,
                None => ensure(&mut recording.writer, event)?,
            },
        };
        recording.writer.reopen_session(session)?;
        driven::note_seat(&mut recording.writer, session, event)?;
        let closing = windows_of(recording, session)?;
        let moment = Moment { closing: closing.clone(), ..Moment::of("session-start", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        close_unfinished_turn(recording, session, entered.checkpoint)?;
        Ok(sentences(&entered.gaps))
    };
    said.extend(if workspace.has_first_capture()? {
        workspace.record("session start", act)?
    } else {
        workspace.record_unseen("session start", act)?
    });
    if workspace.coverage_mode()? == CoverageMode::TouchedPaths {
        said.push(touched_warning(workspace));
    }
    Ok(Received::saying(said))
}

/// Nothing of a session's agent runs any more, though no event said so: its open windows are closed as late, and its
/// unfinished turn was interrupted.
pub(crate) fn settle(workspace: &Workspace, session: SessionId) -> Result<(), RecordError> {
    workspace.record("settling", |recording| {
        let mut closing = windows_of(recording, session)?;
        let windows = recording.writer.open_windows()?;
        // What a shell has left running may live on; a subagent dies with its agent.
        let ends = |window: &Window| window.state == WindowState::Open || window.spawns == Spawns::Subagents;
        closing.retain(|step, _| windows.iter().any(|window| window.step == *step && ends(window)));
        let moment = Moment { closing: closing.clone(), ..Moment::of("settling", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        close_unfinished_turn(recording, session, entered.checkpoint)
    })
}

/// The session is left: nothing of it runs any more.
pub(crate) fn end(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    workspace.record_if_captured("session end", |recording| {
        let session = ensure(&mut recording.writer, event)?;
        let closing = windows_of(recording, session)?;
        let moment = Moment { closing: closing.clone(), ..Moment::of("session-end", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        close_unfinished_turn(recording, session, entered.checkpoint)?;
        recording.writer.end_session(session, disk::clock::now_ns())?;
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}

/// A session that descends from another inherits its turns up to now.
fn fork(writer: &mut Writer<'_>, event: &Event, parent: &str) -> Result<SessionId, RecordError> {
    let known = writer.session_by_native(&event.agent, &event.session)?;
    let parent = writer.session_by_native(&event.agent, parent)?;
    let (None, Some(parent)) = (known, parent) else { return ensure(writer, event) };
    let newest = crate::history::newest_turn(writer, parent.id)?;
    let new = NewSession {
        agent: event.agent.clone(),
        native: event.session.clone(),
        parent: Some(parent.id),
        forked_at: newest,
        cwd: event.cwd.clone().unwrap_or_default().into_bytes(),
        started_ns: disk::clock::now_ns(),
    };
    let child = writer.add_session(&new)?;
    talk::branch_off(writer, parent.id, child)?;
    Ok(child)
}

/// Every window of the session, to be closed from outside.
fn windows_of(recording: &Recording<'_>, session: SessionId) -> Result<BTreeMap<StepId, Closing>, RecordError> {
    let windows = recording.writer.open_windows()?;
    Ok(windows.into_iter().filter(|window| window.session == session).map(|w| (w.step, Closing::Late)).collect())
}

/// Closes windows for good.
pub(crate) fn close_windows(
    recording: &mut Recording<'_>,
    closing: &BTreeMap<StepId, Closing>,
) -> Result<(), RecordError> {
    for step in closing.keys() {
        recording.writer.set_window_state(*step, WindowState::Closed)?;
    }
    Ok(())
}

/// A turn that never said how it ended was interrupted.
pub(crate) fn close_unfinished_turn(
    recording: &mut Recording<'_>,
    session: SessionId,
    checkpoint: model::CheckpointId,
) -> Result<(), RecordError> {
    if let Some(turn) = recording.writer.open_turn(session)? {
        recording.writer.close_turn(turn.id, TurnStatus::Interrupted, disk::clock::now_ns(), checkpoint)?;
    }
    Ok(())
}

fn touched_warning(workspace: &Workspace) -> String {
    format!(
        "`{}` is a home folder, a temp root or very large: only paths that a tool names are recorded (touched-paths \
         mode); changes by shell commands cannot be taken back here",
        workspace.root_path().display()
    )
}
