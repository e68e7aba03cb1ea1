//! [`Client`]: one peer from its first line to its last. Reads, dispatches, answers; knows methods only by the table.

use std::collections::BTreeMap;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};

use model::limits::EVENT_SIZE_BYTES_MAX;
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use super::call::{Call, Cancel};
use super::fault::{Code, Fault};
use super::line::{self, Line};
use super::message::{self, Message};
use super::outbox::Outbox;
use super::parameters::Parameters;
use super::previews::Previews;
use super::server::{Server, Session, lock};
use super::table::{self, METHODS, Method, NOTIFICATIONS, Way};
use super::{events, watch};

/// How many requests of one client may wait at the same time.
const WAITING_MAX: usize = 16;

/// One peer.
pub(super) struct Client {
    /// No other client has or had this number.
    pub(super) id: u64,
    /// The way to it.
    pub(super) outbox: Outbox,
    /// What it was shown and may agree to.
    pub(super) previews: Mutex<Previews>,
    is_initialized: AtomicBool,
    sessions: Mutex<BTreeMap<String, Arc<Session>>>,
    waiting: Mutex<Vec<Waiting>>,
}

/// A request that may wait.
struct Waiting {
    /// None if nobody wants to know what became of it.
    id: Option<Value>,
    cancel: Arc<Cancel>,
}

/// Serves one peer until it says no more. What it left waiting is cancelled, what is being carried out is finished.
pub(super) fn attend(server: &Arc<Server>, mut reader: impl BufRead, outbox: Outbox) {
    let client = Client {
        id: server.next_client(),
        outbox,
        previews: Mutex::default(),
        is_initialized: AtomicBool::new(false),
        sessions: Mutex::default(),
        waiting: Mutex::default(),
    };
    thread::scope(|scope| {
        while let Ok(Some(line)) = line::next(&mut reader, EVENT_SIZE_BYTES_MAX) {
            client.take(server, scope, line);
        }
        client.cancel_all(server);
    });
    client.leave(server);
}

/// `initialize`
pub(super) fn initialize(call: &Call<'_>) -> Result<String, Fault> {
    if call.parameters.number("protocol") != Some(PROTOCOL) {
        let message = format!("This server speaks version {PROTOCOL} of the protocol only");
        return Err(Fault::new(Code::UnknownProtocol, message));
    }
    if call.client.is_initialized.swap(true, Ordering::Relaxed) {
        return Err(Fault::new(Code::InvalidRequest, "`initialize` was called already"));
    }
    let methods: Vec<&str> = METHODS.iter().map(|method| method.name).collect();
    let notifications: Vec<&str> = NOTIFICATIONS.iter().map(|notification| notification.name).collect();
    let capabilities = json!({
        "methods": methods,
        "notifications": notifications,
        "line_bytes_max": EVENT_SIZE_BYTES_MAX,
    });
    let version = env!("CARGO_PKG_VERSION");
    Ok(json!({"protocol": PROTOCOL, "server": "takeback", "version": version, "capabilities": capabilities})
        .to_string())
}

/// `$/cancelRequest`
pub(super) fn cancel(call: &Call<'_>) -> Result<String, Fault> {
    let id = call.parameters.fields().get("id");
    lock(&call.client.waiting).iter().filter(|one| one.id.as_ref() == id).for_each(|one| one.cancel.set());
    call.server.pulse.beat();
    Ok("null".to_owned())
}

impl Client {
    /// A session this client has opened or attached.
    pub(super) fn session(&self, handle: &str) -> Option<Arc<Session>> {
        lock(&self.sessions).get(handle).cloned()
    }

    /// From now on the client may name this session.
    pub(super) fn hold(&self, session: &Arc<Session>) {
        lock(&self.sessions).insert(session.handle.clone(), Arc::clone(session));
    }

    /// The client may name this session no more.
    pub(super) fn let_go(&self, session: &Session) {
        lock(&self.sessions).remove(&session.handle);
    }

    fn take<'scope>(&'scope self, server: &'scope Arc<Server>, scope: &'scope Scope<'scope, '_>, line: Line) {
        let line = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => return,
            Line::Whole(line) => line,
            Line::TooLong => {
                let message = format!("The line is longer than {EVENT_SIZE_BYTES_MAX} bytes and was passed over");
                return self.refuse(&Value::Null, &Fault::new(Code::InvalidRequest, message));
            }
        };
        match message::read(&line) {
            Ok(message) => self.dispatch(server, scope, message),
            Err(refused) => self.refuse(&refused.id, &refused.fault),
        }
    }

    fn dispatch<'scope>(&'scope self, server: &'scope Arc<Server>, scope: &'scope Scope<'scope, '_>, message: Message) {
        let Message { id, method, parameters } = message;
        match self.prepare(&method, parameters) {
            Err(fault) => self.conclude(id.as_ref(), Err(fault)),
            Ok((method, parameters)) if method.way == Way::InTurn => {
                let cancel = Cancel::default();
                let call = Call { server, client: self, parameters, cancel: &cancel };
                self.conclude(id.as_ref(), (method.handler)(&call));
            }
            Ok((method, parameters)) => match self.begin_waiting(id.as_ref()) {
                Err(fault) => self.conclude(id.as_ref(), Err(fault)),
                Ok(cancel) => {
                    scope.spawn(move || {
                        let call = Call { server, client: self, parameters, cancel: &cancel };
                        let result = (method.handler)(&call);
                        self.end_waiting(&cancel);
                        self.conclude(id.as_ref(), result);
                    });
                }
            },
        }
    }

    fn prepare(&self, name: &str, given: Map<String, Value>) -> Result<(&'static Method, Parameters), Fault> {
        if name != "initialize" && !self.is_initialized.load(Ordering::Relaxed) {
            return Err(Fault::new(Code::NotInitialized, "The first request must be `initialize`"));
        }
        let unknown = || Fault::new(Code::UnknownMethod, format!("There is no method `{name}`"));
        let method = table::find(name).ok_or_else(unknown)?;
        Ok((method, Parameters::check(method, given)?))
    }

    fn begin_waiting(&self, id: Option<&Value>) -> Result<Arc<Cancel>, Fault> {
        let mut waiting = lock(&self.waiting);
        if waiting.len() >= WAITING_MAX {
            let message = format!("{WAITING_MAX} requests wait already; nothing was changed");
            return Err(Fault::new(Code::TooManyRequests, message));
        }
        if id.is_some() && waiting.iter().any(|one| one.id.as_ref() == id) {
            return Err(Fault::new(Code::InvalidRequest, "A request with this `id` waits already"));
        }
        let cancel = Arc::new(Cancel::default());
        waiting.push(Waiting { id: id.cloned(), cancel: Arc::clone(&cancel) });
        Ok(cancel)
    }

    fn end_waiting(&self, cancel: &Arc<Cancel>) {
        lock(&self.waiting).retain(|one| !Arc::ptr_eq(&one.cancel, cancel));
    }

    /// Answers, unless nobody wants to know.
    fn conclude(&self, id: Option<&Value>, result: Result<String, Fault>) {
        let Some(id) = id else { return };
        match result {
            Ok(result) => self.outbox.send(message::answer(id, &result)),
            Err(fault) => self.refuse(id, &fault),
        }
    }

    fn refuse(&self, id: &Value, fault: &Fault) {
        self.outbox.send(message::refusal(id, fault));
    }

    fn cancel_all(&self, server: &Server) {
        lock(&self.waiting).iter().for_each(|one| one.cancel.set());
        server.pulse.beat();
    }

    /// The client has gone. Of the sessions that nobody else has opened nobody can bring the turns to an end. Nobody
    /// opens one meanwhile, so that no turn of the next one is taken for one of this client.
    fn leave(self, server: &Server) {
        watch::forget(server, self.id);
        let opening = lock(&server.opening);
        for session in lock(&self.sessions).values().filter(|session| session.remove_owner(self.id)) {
            events::abandon(session);
        }
        drop(opening);
        server.pulse.beat();
    }
}
