//! The events around a subagent: it starts inside a turn, and it stops.

use std::collections::BTreeSet;

use agents::Event;
use decide::attribution::Closing;
use model::{SessionId, StepId};
use store::{Spawns, Subagent, WindowState};

use crate::error::RecordError;
use crate::moment::Moment;
use crate::record::session::close_windows;
use crate::record::turn::{late, turn_for};
use crate::record::{Received, sentences, session_of};
use crate::recording::Recording;
use crate::workspace::Workspace;

/// A subagent starts: its steps belong to the turn that is open now, also when that turn has ended by then.
pub(crate) fn start(
    workspace: &Workspace,
    event: &Event,
    id: &str,
    parent: Option<&str>,
) -> Result<Received, RecordError> {
    workspace.record_if_captured("subagent start", |recording| {
        let session = session_of(recording, event)?;
        let moment = Moment::of("subagent-start", Some(session));
        let entered = recording.enter(&moment)?;
        let turn = turn_for(recording, session, event, |_| Ok(entered.checkpoint))?;
        let earlier = recording.writer.subagent(session, id)?.and_then(|known| known.dispatch);
        let dispatch = if earlier.is_some() { earlier } else { dispatch_of(recording, session, parent)? };
        recording.writer.add_subagent(&Subagent {
            session,
            agent_id: id.to_owned(),
            parent_agent: parent.map(str::to_owned),
            turn,
            dispatch,
            started_ns: disk::clock::now_ns(),
            stopped_ns: None,
        })?;
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}

/// A subagent has stopped: windows it left open are closed as late.
pub(crate) fn stop(workspace: &Workspace, event: &Event, id: &str) -> Result<Received, RecordError> {
    workspace.record_if_captured("subagent stop", |recording| {
        let session = session_of(recording, event)?;
        let is_its_own = |window: &store::Window| window.session == session && window.agent_id.as_deref() == Some(id);
        let mut closing = late(recording, is_its_own)?;
        closing.extend(ended_dispatch(recording, session, id)?.map(|step| (step, Closing::Late)));
        let moment = Moment { closing: closing.clone(), ..Moment::of("subagent-stop", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        recording.writer.stop_subagent(session, id, disk::clock::now_ns())?;
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}

/// The call that started the subagent that starts now. Agents do not say which; calls are answered in their order, so it is
/// the oldest that has none yet.
fn dispatch_of(
    recording: &Recording<'_>,
    session: SessionId,
    parent: Option<&str>,
) -> Result<Option<StepId>, RecordError> {
    let taken: BTreeSet<StepId> =
        recording.writer.subagents_of(session)?.into_iter().filter_map(|known| known.dispatch).collect();
    let windows = recording.writer.open_windows()?.into_iter();
    let spawning = windows.filter(|window| window.session == session && window.spawns == Spawns::Subagents);
    let is_of_parent = |window: &store::Window| parent.is_none() || window.agent_id.as_deref() == parent;
    let free = spawning.filter(is_of_parent).map(|window| window.step).filter(|step| !taken.contains(step));
    Ok(free.min())
}

/// The call that started this subagent, if it has left only this one running in the background.
fn ended_dispatch(recording: &Recording<'_>, session: SessionId, id: &str) -> Result<Option<StepId>, RecordError> {
    let all = recording.writer.subagents_of(session)?;
    let Some(step) = all.iter().find(|one| one.agent_id == id).and_then(|one| one.dispatch) else { return Ok(None) };
    let goes_on = all.iter().any(|one| one.dispatch == Some(step) && one.agent_id != id && one.stopped_ns.is_none());
    let window = recording.writer.window(step)?.filter(|window| window.state == WindowState::Background);
    Ok(window.filter(|_| !goes_on).map(|window| window.step))
}
