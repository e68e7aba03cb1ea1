//! [`Watch`]: who wants to hear of changes. While somebody does, one thread asks the store a few times a second, since
//! other processes write there too.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use model::{CheckpointId, HeadId};
use serde_json::{Value, json};

use super::call::Call;
use super::fault::Fault;
use super::message;
use super::outbox::Outbox;
use super::server::{Server, Session, lock};

/// How often the store is asked.
const POLL: Duration = Duration::from_millis(250);

/// Who wants to hear of changes.
#[derive(Default)]
pub(super) struct Watch(Mutex<Watched>);

#[derive(Default)]
struct Watched {
    subscriptions: Vec<Subscription>,
    is_running: bool,
}

struct Subscription {
    client: u64,
    outbox: Outbox,
    session: Arc<Session>,
    stands: Stands,
}

/// What is watched of a session.
type Stands = (Option<CheckpointId>, Option<HeadId>);

/// `subscribe`
pub(super) fn subscribe(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let stands = stands(&session).map_err(|error| Fault::not_done(&error))?;
    let mut watched = lock(&call.server.watch.0);
    watched.remove(call.client.id, Some(session.as_ref()));
    let answer = described(stands).to_string();
    let (client, outbox) = (call.client.id, call.client.outbox.clone());
    watched.subscriptions.push(Subscription { client, outbox, session, stands });
    if !watched.is_running {
        watched.is_running = true;
        let server = Arc::clone(call.server);
        thread::spawn(move || watch(&server));
    }
    Ok(answer)
}

/// `unsubscribe`
pub(super) fn unsubscribe(call: &Call<'_>) -> Result<String, Fault> {
    forget_session(call.server, call.client.id, &*call.session()?);
    Ok("null".to_owned())
}

/// The client hears no more of one session.
pub(super) fn forget_session(server: &Server, client: u64, session: &Session) {
    lock(&server.watch.0).remove(client, Some(session));
}

/// Drops everything a client wanted to hear of.
pub(super) fn forget(server: &Server, client: u64) {
    lock(&server.watch.0).remove(client, None);
}

/// Runs while somebody listens.
fn watch(server: &Server) {
    loop {
        let seen = server.pulse.count();
        let mut watched = lock(&server.watch.0);
        if watched.subscriptions.is_empty() {
            watched.is_running = false;
            return;
        }
        watched.subscriptions.iter_mut().for_each(Subscription::look);
        drop(watched);
        server.pulse.wait(seen, POLL);
    }
}

impl Watched {
    fn remove(&mut self, client: u64, session: Option<&Session>) {
        let is_meant = |found: &Session| session.is_none_or(|session| session.handle == found.handle);
        self.subscriptions.retain(|one| one.client != client || !is_meant(&one.session));
    }
}

impl Subscription {
    /// Tells the client if something has changed. A store that cannot be read now is read at the next look.
    fn look(&mut self) {
        let Some(stands) = stands(&self.session).ok().filter(|stands| *stands != self.stands) else { return };
        self.stands = stands;
        let mut parameters = described(stands);
        parameters["session"] = json!(self.session.handle);
        self.outbox.offer(message::notification("changed", &parameters));
    }
}

fn stands(session: &Session) -> Result<Stands, impl std::error::Error + use<>> {
    session.workspace.standing(session.id).map(|standing| (standing.checkpoint, standing.head))
}

fn described((checkpoint, head): Stands) -> Value {
    json!({"checkpoint": checkpoint.map(|id| id.to_string()), "head": head.map(|id| id.to_string())})
}
