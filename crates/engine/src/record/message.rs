//! Events that say something of the conversation only: kept as they came. They are no barriers and see no files.

use agents::Event;
use model::SessionId;

use crate::error::RecordError;
use crate::record::{Received, session};
use crate::workspace::Workspace;

/// An event as the store keeps it.
pub(crate) fn kept(event: &Event, session: SessionId) -> store::Event {
    store::Event {
        at_ns: disk::clock::now_ns(),
        session: Some(session),
        name: event.name.clone(),
        text: event.raw.clone(),
    }
}

/// Keeps an event word for word.
pub(crate) fn keep(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    workspace.note(&event.name, |writer| {
        let session = session::ensure(writer, event)?;
        writer.add_event(&kept(event, session))?;
        Ok(Received::default())
    })
}
