//! The events around a subagent: it starts inside a turn, and it stops.

use agents::Event;
use store::Subagent;

use crate::error::RecordError;
use crate::moment::Moment;
use crate::record::session::close_windows;
use crate::record::turn::{late, turn_for};
use crate::record::{Received, sentences, session_of};
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
        recording.writer.add_subagent(&Subagent {
            session,
            agent_id: id.to_owned(),
            parent_agent: parent.map(str::to_owned),
            turn,
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
        let closing = late(recording, is_its_own)?;
        let moment = Moment { closing: closing.clone(), ..Moment::of("subagent-stop", Some(session)) };
        let entered = recording.enter(&moment)?;
        close_windows(recording, &closing)?;
        recording.writer.stop_subagent(session, id, disk::clock::now_ns())?;
        Ok(Received::saying(sentences(&entered.gaps)))
    })
}
