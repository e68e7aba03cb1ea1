//! The app-server of Codex, asked for forks and for rewinds: as a child of ours that answers JSON requests, one per line,
//! or the one that serves the running terminals, over its socket.

use std::ffi::OsStr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::child::{ChildError, Invocation, Talk};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use super::rollout::codex_home;
use crate::driver::{ASKING_VARIABLE, AgentHome, DriverError};

/// An answer that takes longer does not come any more.
const ANSWER_LIMIT: Duration = Duration::from_secs(20);
/// Of more messages than this before an answer, none is the answer.
const MESSAGES_MAX: usize = 10_000;

/// Where a thread is to be forked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ForkPoint<'a> {
    /// Right before a turn.
    Before(&'a str),
    /// Right after a turn.
    After(&'a str),
    /// At its end.
    End,
}

/// A thread that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forked {
    /// Its id.
    pub(super) thread: String,
    /// Its rollout.
    pub(super) path: Option<PathBuf>,
}

/// Forks a thread. The thread itself is not touched.
pub(super) fn fork(home: &AgentHome, cwd: &Path, thread: &str, point: ForkPoint<'_>) -> Result<Forked, DriverError> {
    let mut server = Server::begin(home, cwd)?;
    let mut parameters = json!({ "threadId": thread, "excludeTurns": true });
    match point {
        ForkPoint::Before(turn) => parameters["beforeTurnId"] = turn.into(),
        ForkPoint::After(turn) => parameters["lastTurnId"] = turn.into(),
        ForkPoint::End => {}
    }
    let answer = server.call("thread/fork", &parameters)?;
    let id = answer["thread"]["id"].as_str().ok_or_else(|| failed("it answered without a thread".to_owned()))?;
    Ok(Forked { thread: id.to_owned(), path: answer["thread"]["path"].as_str().map(PathBuf::from) })
}

/// Whether the server of the running terminals holds a thread, so that rewinding it there rewinds the terminal.
pub(super) fn is_in_a_terminal(home: &AgentHome, thread: &str) -> bool {
    let loaded = Server::of_terminals(home).and_then(|mut server| server.call("thread/loaded/list", &json!({})).ok());
    loaded.is_some_and(|answer| answer["data"].as_array().into_iter().flatten().any(|id| id == thread))
}

/// Rewinds a thread that a running terminal shows to right before a turn. A thread that does not hold the turn stays as it
/// is.
pub(super) fn rewind_in_terminal(home: &AgentHome, thread: &str, turn: &str) -> Result<(), DriverError> {
    let gone = || failed("no terminal of Codex shows the thread any more".to_owned());
    let mut server = Server::of_terminals(home).ok_or_else(gone)?;
    let list = json!({ "threadId": thread, "sortDirection": "asc", "itemsView": "summary" });
    let turns = server.call("thread/turns/list", &list)?;
    if turns["data"].as_array().into_iter().flatten().any(|known| known["id"] == turn) {
        server.call("thread/revert", &json!({ "threadId": thread, "beforeTurnId": turn }))?;
    }
    Ok(())
}

/// Interrupts the turn that a thread in a running terminal is in.
pub(super) fn interrupt_in_terminal(home: &AgentHome, thread: &str) -> Result<(), DriverError> {
    let elsewhere = DriverError::Unsupported { what: "be stopped where no terminal with the daemon shows the thread" };
    let mut server = Server::of_terminals(home).ok_or(elsewhere)?;
    let list = json!({ "threadId": thread, "sortDirection": "desc", "itemsView": "summary" });
    let turns = server.call("thread/turns/list", &list)?;
    let running = turns["data"].as_array().into_iter().flatten().find(|turn| turn["status"] == "inProgress");
    if let Some(turn) = running.and_then(|turn| turn["id"].as_str()) {
        server.call("turn/interrupt", &json!({ "threadId": thread, "turnId": turn }))?;
    }
    Ok(())
}

struct Server {
    line: Line,
    requests: u64,
}

/// How one talks to it.
enum Line {
    Child(Talk),
    Socket(Box<WebSocket<UnixStream>>),
}

impl Server {
    fn begin(home: &AgentHome, cwd: &Path) -> Result<Self, DriverError> {
        let search_path = home.variables.get("PATH").map(String::as_str).unwrap_or_default();
        let program = disk::child::find_program("codex", search_path)
            .ok_or(DriverError::Unsupported { what: "fork a thread: `codex` is not in the PATH" })?;
        let codex_home = codex_home(home);
        let talk = Talk::begin(&Invocation {
            program: &program,
            arguments: &[OsStr::new("app-server")],
            variables: &[
                ("HOME", home.home_folder.as_os_str()),
                ("CODEX_HOME", codex_home.as_os_str()),
                (ASKING_VARIABLE, OsStr::new("1")),
            ],
            removed_variables: &["CODEX_SANDBOX"],
            folder: Some(cwd),
            input: b"",
            limit: ANSWER_LIMIT,
        })
        .map_err(|error| failed(error.to_string()))?;
        Self::introduced(Line::Child(talk))
    }

    /// The server that the running terminals of this home share; none if there is none.
    fn of_terminals(home: &AgentHome) -> Option<Self> {
        let path = codex_home(home).join("app-server-control").join("app-server-control.sock");
        let stream = disk::connect_to_own(&path, ANSWER_LIMIT)?;
        let (socket, _) = tungstenite::client("ws://localhost/", stream).ok()?;
        Self::introduced(Line::Socket(Box::new(socket))).ok()
    }

    fn introduced(line: Line) -> Result<Self, DriverError> {
        let mut server = Self { line, requests: 0 };
        let who = json!({ "name": "takeback", "title": "takeback", "version": env!("CARGO_PKG_VERSION") });
        server.call("initialize", &json!({ "clientInfo": who, "capabilities": { "experimentalApi": true } }))?;
        server.say(&json!({ "method": "initialized" }))?;
        Ok(server)
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, DriverError> {
        self.requests += 1;
        self.say(&json!({ "id": self.requests, "method": method, "params": parameters }))?;
        for _ in 0..MESSAGES_MAX {
            let line = self.hear()?;
            let Ok(mut message) = serde_json::from_str::<Value>(&line) else { continue };
            if message["id"].as_u64() != Some(self.requests) {
                continue;
            }
            if let Some(error) = message.get("error") {
                return Err(failed(error["message"].as_str().unwrap_or("it said no").to_owned()));
            }
            return Ok(message["result"].take());
        }
        Err(failed("it did not answer".to_owned()))
    }

    fn say(&mut self, message: &Value) -> Result<(), DriverError> {
        match &mut self.line {
            Line::Child(talk) => talk.say(&message.to_string()).map_err(told),
            Line::Socket(socket) => socket.send(Message::text(message.to_string())).map_err(broken),
        }
    }

    fn hear(&mut self) -> Result<String, DriverError> {
        match &mut self.line {
            Line::Child(talk) => talk.hear(ANSWER_LIMIT).map_err(told),
            Line::Socket(socket) => loop {
                if let Message::Text(text) = socket.read().map_err(broken)? {
                    return Ok(text.as_str().to_owned());
                }
            },
        }
    }
}

fn told(error: ChildError) -> DriverError {
    failed(error.to_string())
}

fn broken(error: tungstenite::Error) -> DriverError {
    failed(error.to_string())
}

fn failed(reason: String) -> DriverError {
    DriverError::Failed { verb: "Asking Codex's app-server", reason }
}
