//! [`Mock`]: the server itself, a thread for the door and one for each connection.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::json;

use super::anthropic::Anthropic;
use super::chat::Chat;
use super::dialect::{Dialect, Kit, Reply, TOKENS_FEW, TOKENS_MANY, step};
use super::history::Request;
use super::http::{self, HttpRequest};
use super::plan::{Act, Plans, Step};
use super::responses::Responses;

/// A client that says nothing for so long has gone.
const SILENCE_MAX: Duration = Duration::from_secs(30);
/// A reply is held no longer, whatever the test does.
const HOLD_MAX: Duration = Duration::from_secs(120);

/// A model server that is told what to say. Ends when dropped.
#[derive(Debug)]
pub struct Mock {
    address: SocketAddr,
    shared: Arc<Shared>,
    door: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    workspace: PathBuf,
    plans: Plans,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Request>,
    /// Replies that wait to be let go.
    held: usize,
    /// How many of those that wait may go.
    let_go: usize,
    is_over: bool,
}

impl Mock {
    /// Begins to serve on a free port. The plans speak of paths in this workspace.
    pub fn start(workspace: PathBuf, plans: Plans) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("the loopback interface has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        let shared =
            Arc::new(Shared { workspace, plans, state: Mutex::new(State::default()), changed: Condvar::new() });
        let door = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || serve(&listener, &shared)
        });
        Self { address, shared, door: Some(door) }
    }

    /// Where it is, as `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Everything a client asked of the model so far, side calls left out.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.iter().filter(|request| request.has_tools).cloned().collect()
    }

    /// The last thing a client asked of the model.
    #[track_caller]
    pub fn last(&self) -> Request {
        self.requests().pop().expect("a client has asked the model")
    }

    /// How often a client asked the model.
    pub fn calls(&self) -> usize {
        self.requests().len()
    }

    /// Waits until a reply is held, for so long at most.
    #[track_caller]
    pub fn wait_until_held(&self, limit: Duration) {
        let waiting = |state: &mut State| state.held == 0;
        let (state, _) = self
            .shared
            .changed
            .wait_timeout_while(self.shared.state(), limit, waiting)
            .unwrap_or_else(PoisonError::into_inner);
        assert!(state.held > 0, "no client has come to a reply that is held");
    }

    /// Lets a reply go that is held, or the next that will be.
    pub fn let_go(&self) {
        self.shared.state().let_go += 1;
        self.shared.changed.notify_all();
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.state().is_over = true;
        self.shared.changed.notify_all();
        // Somebody has to come to the door for it to be looked at.
        drop(TcpStream::connect(self.address));
        if let Some(door) = self.door.take() {
            _ = door.join();
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hold(&self) {
        let mut state = self.state();
        state.held += 1;
        self.changed.notify_all();
        let waiting = |state: &mut State| state.let_go == 0 && !state.is_over;
        let (mut state, _) =
            self.changed.wait_timeout_while(state, HOLD_MAX, waiting).unwrap_or_else(PoisonError::into_inner);
        state.held -= 1;
        state.let_go = state.let_go.saturating_sub(1);
    }

    /// Notes a request and returns its number.
    fn note(&self, request: Request) -> u64 {
        let mut state = self.state();
        state.requests.push(request);
        state.requests.len() as u64
    }
}

fn serve(listener: &TcpListener, shared: &Arc<Shared>) {
    for connection in listener.incoming() {
        if shared.state().is_over {
            return;
        }
        let Ok(connection) = connection else { continue };
        let shared = Arc::clone(shared);
        std::thread::spawn(move || answer(&connection, &shared));
    }
}

fn answer(connection: &TcpStream, shared: &Shared) {
    if connection.set_read_timeout(Some(SILENCE_MAX)).is_err() {
        return;
    }
    let Some(request) = http::read(connection) else { return };
    let dialect: &dyn Dialect = match (request.method.as_str(), request.path.as_str()) {
        ("POST", path) if path.ends_with("/v1/messages") => &Anthropic,
        ("POST", path) if path.ends_with("/responses") => &Responses,
        ("POST", path) if path.ends_with("/chat/completions") => &Chat,
        ("POST", path) if path.ends_with("/count_tokens") => {
            return http::write_whole(connection, 200, &json!({ "input_tokens": 100 }));
        }
        (_, path) if path.ends_with("/models") => {
            return http::write_whole(connection, 200, &json!({ "object": "list", "data": [], "models": [] }));
        }
        (_, path) => return http::write_whole(connection, if path == "/" { 200 } else { 404 }, &json!({})),
    };
    reply(connection, shared, dialect, request);
}

fn reply(connection: &TcpStream, shared: &Shared, dialect: &dyn Dialect, request: HttpRequest) {
    let HttpRequest { path, body, .. } = request;
    let kit = Kit { tools: dialect.tools(&body), workspace: &shared.workspace };
    let (lines, has_tools) = (dialect.lines(&body), !kit.tools.is_empty());
    let step = if has_tools { step(&shared.plans, &lines, &kit) } else { None };
    let number = shared.note(Request { path, body: body.clone(), lines, has_tools });
    if step.is_some_and(|step| step.is_held) {
        shared.hold();
    }
    let text = match step.map(|step| &step.act) {
        Some(Act::Fail(status)) => {
            let error = json!({ "type": "invalid_request_error", "message": "as planned" });
            return http::write_whole(connection, *status, &json!({ "type": "error", "error": error }));
        }
        Some(Act::Say(text)) => text.clone(),
        Some(act) => format!("No tool is offered for {act:?}"),
        None if has_tools => "Nothing more is planned.".to_owned(),
        None => "A title".to_owned(),
    };
    let calls = step.map(|step: &Step| kit.calls(&step.act)).unwrap_or_default();
    let tokens = if step.is_some_and(|step| step.fills_context) { TOKENS_MANY } else { TOKENS_FEW };
    let reply = Reply { body: &body, number, text, calls, tokens };
    if body["stream"] == true {
        http::write_stream(connection, &dialect.stream(&reply));
    } else {
        http::write_whole(connection, 200, &dialect.whole(&reply));
    }
}

#[cfg(test)]
mod tests;
