//! Events that say something of the conversation only. They are no barriers and see no files.

use agents::{Event, EventKind};
use model::{MessageKind, SessionId};
use store::Writer;

use crate::error::RecordError;
use crate::record::{Received, session};
use crate::talk::{self, Said};
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

/// Keeps an event word for word, and enters what it says into the conversation.
pub(crate) fn keep(workspace: &Workspace, event: &Event) -> Result<Received, RecordError> {
    workspace.note(&event.name, |writer| {
        let session = session::ensure(writer, event)?;
        writer.add_event(&kept(event, session))?;
        enter(writer, session, event)?;
        Ok(Received::default())
    })
}

fn enter(writer: &mut Writer<'_>, session: SessionId, event: &Event) -> Result<(), RecordError> {
    let turn = match event.turn_id.as_deref() {
        Some(id) => writer.turn_by_prompt(session, id)?,
        None => writer.open_turn(session)?,
    };
    let turn = turn.map(|turn| turn.id);
    match &event.kind {
        EventKind::Message { id, parent, role, kind, content } => talk::say(
            writer,
            session,
            &Said {
                native: id,
                parent: parent.as_deref(),
                turn,
                role,
                kind: *kind,
                payload: content.as_bytes(),
                keeps_from: None,
            },
        )?,
        EventKind::PostCompact { id, summary, keeps_from } => {
            let own = format!("takeback-compaction-{:016x}", disk::random_u64());
            talk::say(
                writer,
                session,
                &Said {
                    native: id.as_deref().unwrap_or(&own),
                    parent: None,
                    turn,
                    role: "user",
                    kind: MessageKind::Compaction,
                    payload: summary.as_bytes(),
                    keeps_from: keeps_from.as_deref(),
                },
            )?;
        }
        _ => {}
    }
    Ok(())
}
