//! [`Server`]: OpenCode as a server, asked over HTTP as its own surfaces ask it.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::client::words;
use super::process::Running;
use super::scene::Scene;

/// It has started within this time, or never.
const START_MAX: Duration = Duration::from_secs(60);
/// An answer comes within this time; the very first request may be lost while it starts.
const ANSWER_MAX: Duration = Duration::from_secs(10);

/// A server of OpenCode, which ends with the scene.
pub(crate) struct Server {
    port: u16,
    running: Running,
}

impl Server {
    /// Starts one and waits until it answers.
    #[track_caller]
    pub(crate) fn start(scene: &Scene<'_>) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("the loopback interface has a free port");
        let port = free.local_addr().expect("a listener has an address").port();
        drop(free);
        let running = scene.launch(&words(&["serve", "--hostname", "127.0.0.1", "--port", &port.to_string()]));
        let server = Self { port, running };
        let deadline = Instant::now() + START_MAX;
        while server.ask("GET", "/session", None).is_none() {
            assert!(Instant::now() < deadline, "the server never answered");
        }
        server
    }

    /// The id of the message that holds a text of the user's.
    #[track_caller]
    pub(crate) fn message_with(&self, session: &str, text: &str) -> String {
        let messages = self.ask("GET", &format!("/session/{session}/message"), None).expect("the server answers");
        let messages = messages.as_array().cloned().unwrap_or_default();
        let found = messages
            .iter()
            .find(|message| message["info"]["role"] == "user" && message["parts"].to_string().contains(text));
        found.and_then(|message| message["info"]["id"].as_str()).expect("the message is there").to_owned()
    }

    /// Takes a session back to before a message, as `/undo` in its terminal does.
    #[track_caller]
    pub(crate) fn revert(&self, session: &str, message: &str) {
        let body = serde_json::json!({ "messageID": message }).to_string();
        self.ask("POST", &format!("/session/{session}/revert"), Some(&body)).expect("the server answers");
    }

    /// Brings it again, as `/redo` does.
    #[track_caller]
    pub(crate) fn unrevert(&self, session: &str) {
        self.ask("POST", &format!("/session/{session}/unrevert"), Some("{}")).expect("the server answers");
    }

    /// Ends it.
    pub(crate) fn end(self) {
        self.running.kill();
    }

    /// One request; none if there is no answer in time, or one that is no JSON.
    fn ask(&self, method: &str, path: &str, body: Option<&str>) -> Option<Value> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok()?;
        stream.set_read_timeout(Some(ANSWER_MAX)).ok()?;
        let body = body.unwrap_or_default();
        // HTTP/1.0: the answer comes in one piece.
        let head = format!(
            "{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).ok()?;
        read_json(&mut stream)
    }
}

/// The body of an answer, as soon as all of it is there: the connection may stay open behind it.
fn read_json(stream: &mut TcpStream) -> Option<Value> {
    let mut answer = Vec::new();
    let mut piece = [0; 65_536];
    loop {
        let length = stream.read(&mut piece).ok().filter(|length| *length > 0)?;
        answer.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&answer);
        if let Some(value) = text.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str(body).ok()) {
            return Some(value);
        }
    }
}
