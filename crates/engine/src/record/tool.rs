//! The events around a tool call: the barriers before and after it, and what becomes of its window.

use std::collections::BTreeMap;

use agents::{Event, ToolCall, ToolClass, ToolResponse, ToolUse};
use decide::attribution::Closing;
use model::{CheckpointId, SessionId, StepId, TurnId};
use store::{NewStep, Spawns, StepExit, Window, WindowState};

use crate::claims::{self, Claims};
use crate::error::RecordError;
use crate::first_capture;
use crate::moment::{Moment, Original};
use crate::record::turn::turn_for;
use crate::record::{Received, sentences, session_of};
use crate::recording::Recording;
use crate::workspace::Workspace;

/// A tool is about to run: everything seen until now was not its doing. A tool that only reads is noted as a step, but
/// opens no window and costs no look.
pub(crate) fn before(workspace: &Workspace, event: &Event, call: &ToolCall) -> Result<Received, RecordError> {
    if call.class == ToolClass::ReadOnly {
        return workspace.record_unseen("tool", |recording| {
            let session = session_of(recording, event)?;
            let turn = turn_for(recording, session, event, |recording| checkpoint(recording, session))?;
            recording.writer.add_step(turn, &new_step(workspace, session, event, call))?;
            Ok(Received::default())
        });
    }
    let mut said = first_capture::finish(workspace)?;
    let claims = claims_of(workspace, event, call);
    said.extend(workspace.record_paths("before tool", &claims.inside, |recording| {
        let session = session_of(recording, event)?;
        let entered = recording.enter(&Moment::of("before-tool", Some(session)))?;
        let turn = turn_for(recording, session, event, |_| Ok(entered.checkpoint))?;
        let step = recording.writer.add_step(turn, &new_step(workspace, session, event, call))?;
        recording.writer.open_window(&window(step, session, event, call, &claims))?;
        note_outside(recording, (turn, step), entered.checkpoint, &claims)?;
        Ok(sentences(&entered.gaps))
    })?);
    Ok(Received::saying(said))
}

/// A tool has run. An answer for a window that is closed already changes nothing.
pub(crate) fn after(
    workspace: &Workspace,
    event: &Event,
    call: &ToolCall,
    response: &ToolResponse,
) -> Result<Received, RecordError> {
    if call.class == ToolClass::ReadOnly {
        return workspace.record_unseen("tool", |recording| {
            let session = session_of(recording, event)?;
            end_step(recording, session, &call.tool, response)?;
            Ok(Received::default())
        });
    }
    let claims = claims_of(workspace, event, call);
    let original = original_of(workspace, &claims, response);
    workspace.record_paths("after tool", &claims.inside, |recording| {
        let session = session_of(recording, event)?;
        let Some((turn, window)) = window_of(recording, session, event, &call.tool)? else {
            return Ok(Received::default());
        };
        let now_ns = disk::clock::now_ns();
        let began_ns = response.duration_ms.map(|ms| now_ns.saturating_sub(nanoseconds(ms)));
        let moment = Moment {
            turn: Some(turn),
            step: Some(window.step),
            closing: BTreeMap::from([(window.step, Closing::ByItself { began_ns })]),
            original: original.clone(),
            ..Moment::of("after-tool", Some(session))
        };
        let entered = recording.enter(&moment)?;
        let goes_on = call.is_background || response.is_background;
        let state = if goes_on { WindowState::Background } else { WindowState::Closed };
        recording.writer.set_window_state(window.step, state)?;
        recording.writer.end_step(window.step, now_ns, exit_of(response))?;
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}

/// The user is asked: what happens from now on may be the user's own work. Some agents do not say for which call.
pub(crate) fn permission_asked(workspace: &Workspace, event: &Event, tool: &ToolUse) -> Result<Received, RecordError> {
    workspace.record_unseen("permission", |recording| {
        let session = session_of(recording, event)?;
        for (_, window) in candidate_windows(recording, session, event, tool)? {
            recording.writer.mark_permission(window.step)?;
        }
        Ok(Received::default())
    })
}

/// The call was refused: it never happened.
pub(crate) fn denied(workspace: &Workspace, event: &Event, tool: &ToolUse) -> Result<Received, RecordError> {
    workspace.record_unseen("permission", |recording| {
        let session = session_of(recording, event)?;
        if let Some((_, window)) = candidate_windows(recording, session, event, tool)?.pop() {
            recording.writer.remove_step(window.step)?;
        }
        Ok(Received::default())
    })
}

fn claims_of(workspace: &Workspace, event: &Event, call: &ToolCall) -> Claims {
    match &call.class {
        ToolClass::Structured { paths } => claims::resolve(&workspace.root, event.cwd.as_deref(), paths),
        ToolClass::ReadOnly | ToolClass::SpawnsSubagent | ToolClass::Open => Claims::default(),
    }
}

/// What the tool says it found where it wrote.
fn original_of(workspace: &Workspace, claims: &Claims, response: &ToolResponse) -> Option<Original> {
    let text = response.original_file.clone()?;
    let content = model::Contents::name(&workspace.store.contents(), text.as_bytes());
    Some(Original { paths: claims.inside.clone(), text, content })
}

fn new_step(workspace: &Workspace, session: SessionId, event: &Event, call: &ToolCall) -> NewStep {
    NewStep {
        session,
        agent_id: event.agent_id.clone(),
        tool: call.tool.name.clone(),
        use_id: call.tool.id.clone(),
        summary: call.summary.clone(),
        command: call.command.clone(),
        reads: claims::resolve(&workspace.root, event.cwd.as_deref(), &call.reads).inside,
        started_ns: disk::clock::now_ns(),
    }
}

fn window(step: StepId, session: SessionId, event: &Event, call: &ToolCall, claims: &Claims) -> Window {
    Window {
        step,
        session,
        agent_id: event.agent_id.clone(),
        state: WindowState::Open,
        claims: claims.inside.clone(),
        spawns: if call.class == ToolClass::SpawnsSubagent { Spawns::Subagents } else { Spawns::Nothing },
        asked_permission: false,
        opened_ns: disk::clock::now_ns(),
    }
}

fn note_outside(
    recording: &mut Recording<'_>,
    (turn, step): (TurnId, StepId),
    checkpoint: CheckpointId,
    claims: &Claims,
) -> Result<(), RecordError> {
    for gap in &claims.outside {
        recording.writer.add_gap(Some(turn), Some(step), checkpoint, gap)?;
    }
    Ok(())
}

fn end_step(
    recording: &mut Recording<'_>,
    session: SessionId,
    tool: &ToolUse,
    response: &ToolResponse,
) -> Result<(), RecordError> {
    if let Some(id) = &tool.id
        && let Some(step) = recording.writer.step_by_use(session, id)?
        && step.ended_ns.is_none()
    {
        recording.writer.end_step(step.id, disk::clock::now_ns(), exit_of(response))?;
    }
    Ok(())
}

/// The open window of a call, with its turn.
fn window_of(
    recording: &Recording<'_>,
    session: SessionId,
    event: &Event,
    tool: &ToolUse,
) -> Result<Option<(TurnId, Window)>, RecordError> {
    Ok(candidate_windows(recording, session, event, tool)?.pop())
}

/// The windows a tool event can mean, the newest last: the one of its id, or without an id those of the same tool and
/// speaker.
fn candidate_windows(
    recording: &Recording<'_>,
    session: SessionId,
    event: &Event,
    tool: &ToolUse,
) -> Result<Vec<(TurnId, Window)>, RecordError> {
    let step_meant = match &tool.id {
        Some(id) => recording.writer.step_by_use(session, id)?.map(|step| step.id),
        None => None,
    };
    let mut found = Vec::new();
    for window in recording.writer.open_windows()? {
        let fits = match (&tool.id, step_meant) {
            (Some(_), meant) => meant == Some(window.step),
            (None, _) => {
                let step = recording.writer.step(window.step)?;
                window.agent_id == event.agent_id && step.is_some_and(|step| step.tool == tool.name)
            }
        };
        if fits && window.session == session && window.state == WindowState::Open {
            found.push((window.step.turn, window));
        }
    }
    found.sort_by_key(|(_, window)| window.step);
    Ok(found)
}

fn checkpoint(recording: &mut Recording<'_>, session: SessionId) -> Result<CheckpointId, RecordError> {
    Ok(recording.enter(&Moment::of("before-tool", Some(session)))?.checkpoint)
}

fn exit_of(response: &ToolResponse) -> StepExit {
    if response.has_failed { StepExit::Failed } else { StepExit::Ok }
}

fn nanoseconds(milliseconds: u64) -> i64 {
    i64::try_from(milliseconds).unwrap_or(i64::MAX).saturating_mul(1_000_000)
}
