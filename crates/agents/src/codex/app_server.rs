//! The app-server of Codex: a child that answers JSON requests, one per line. It is asked for forks and nothing else.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::child::{ChildError, Invocation, Talk};
use serde_json::{Value, json};

use super::rollout::codex_home;
use crate::driver::{AgentHome, DriverError};

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

struct Server {
    talk: Talk,
    requests: u64,
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
            variables: &[("HOME", home.home_folder.as_os_str()), ("CODEX_HOME", codex_home.as_os_str())],
            removed_variables: &["CODEX_SANDBOX"],
            folder: Some(cwd),
            input: b"",
            limit: ANSWER_LIMIT,
        })
        .map_err(|error| failed(error.to_string()))?;
        let mut server = Self { talk, requests: 0 };
        let who = json!({ "name": "takeback", "title": "takeback", "version": env!("CARGO_PKG_VERSION") });
        server.call("initialize", &json!({ "clientInfo": who, "capabilities": { "experimentalApi": true } }))?;
        server.say(&json!({ "method": "initialized" }))?;
        Ok(server)
    }

    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value, DriverError> {
        self.requests += 1;
        self.say(&json!({ "id": self.requests, "method": method, "params": parameters }))?;
        for _ in 0..MESSAGES_MAX {
            let line = self.talk.hear(ANSWER_LIMIT).map_err(told)?;
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
        self.talk.say(&message.to_string()).map_err(told)
    }
}

fn told(error: ChildError) -> DriverError {
    failed(error.to_string())
}

fn failed(reason: String) -> DriverError {
    DriverError::Failed { verb: "Asking Codex's app-server", reason }
}
