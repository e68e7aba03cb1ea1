//! [`Peer`]: one client of a server, over whatever streams it has. Every wait has an end.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use testkit::World;

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

const STARTS: &str = "the program can be started";
const PIPED: &str = "the stream is a pipe";
const ENDS: &str = "the program ends";

pub(super) struct Peer {
    to: Option<Box<dyn Write + Send>>,
    from: Receiver<Value>,
    told: VecDeque<Value>,
    answers: Vec<Value>,
    number: u64,
    child: Option<Child>,
}

impl Peer {
    /// Starts a server of its own and talks to it over its standard streams.
    pub(super) fn over_standard_streams(world: &World) -> Self {
        let mut child = command(world, &["serve"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(STARTS);
        let (to, from) = (child.stdin.take().expect(PIPED), child.stdout.take().expect(PIPED));
        let mut peer = Self::over(to, from);
        peer.child = Some(child);
        peer
    }

    /// The same, after the handshake.
    pub(super) fn greeted(world: &World) -> Self {
        Self::over_standard_streams(world).greet()
    }

    /// Agrees on the protocol.
    pub(super) fn greet(mut self) -> Self {
        let hello = self.result("initialize", json!({"protocol": 1, "client": "test"}));
        assert_eq!(hello["server"], "takeback");
        self
    }

    fn over(to: impl Write + Send + 'static, from: impl Read + Send + 'static) -> Self {
        let (send, receive) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(from).lines() {
                let Ok(line) = line else { return };
                if send.send(serde_json::from_str(&line).expect("every line is JSON")).is_err() {
                    return;
                }
            }
        });
        let (told, answers) = (VecDeque::new(), Vec::new());
        Self { to: Some(Box::new(to)), from: receive, told, answers, number: 0, child: None }
    }

    /// Sends a line as it is.
    pub(super) fn write(&mut self, line: &[u8]) {
        let to = self.to.as_mut().expect("the peer has not ended");
        to.write_all(&[line, b"\n"].concat()).and_then(|()| to.flush()).expect("the server listens");
    }

    /// Sends a request and returns its id.
    pub(super) fn begin(&mut self, method: &str, parameters: Value) -> u64 {
        self.number += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters});
        self.write(request.to_string().as_bytes());
        self.number
    }

    /// Waits for the answer to a request.
    pub(super) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        loop {
            if let Some(at) = self.answers.iter().position(|answer| answer["id"] == id) {
                return self.answers.remove(at);
            }
            self.read();
        }
    }

    /// Waits for a notification.
    pub(super) fn told(&mut self, method: &str) -> Value {
        loop {
            if let Some(at) = self.told.iter().position(|told| told["method"] == method) {
                return self.told.remove(at).map(|mut told| told["params"].take()).unwrap_or_default();
            }
            self.read();
        }
    }

    /// The result of a request that succeeds.
    #[track_caller]
    pub(super) fn result(&mut self, method: &str, parameters: Value) -> Value {
        let id = self.begin(method, parameters);
        let mut answer = self.answer(id);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    /// The code of a request that fails.
    #[track_caller]
    pub(super) fn code(&mut self, method: &str, parameters: Value) -> i64 {
        let id = self.begin(method, parameters);
        let answer = self.answer(id);
        answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{method}: {answer}"))
    }

    /// Opens a session; returns how it is named.
    pub(super) fn open(&mut self, world: &World, id: &str) -> String {
        let opened = self.result("session/open", json!({"agent": "test", "id": id, "root": world.workspace()}));
        opened["session"].as_str().expect("a name").to_owned()
    }

    /// A turn in which a shell writes a file. It is left open.
    pub(super) fn write_in_turn(&mut self, world: &World, session: &str, (path, text): (&str, &str)) {
        self.result("turn/begin", json!({"session": session, "prompt": format!("write {path}")}));
        let tool =
            json!({"session": session, "tool_name": "Bash", "tool_use_id": path, "tool_input": {"command": "x"}});
        self.result("tool/before", tool.clone());
        world.write(path, text);
        self.result("tool/after", tool);
    }

    /// Closes the turn that is open.
    pub(super) fn end_turn(&mut self, session: &str) {
        self.result("turn/end", json!({"session": session, "status": "completed"}));
    }

    /// The contents of the context.
    pub(super) fn context(&mut self, session: &str) -> Vec<String> {
        let context = self.result("context", json!({"session": session}));
        let entries = context["entries"].as_array().expect("entries").iter();
        entries.map(|entry| entry["content"].as_str().unwrap_or("bytes").to_owned()).collect()
    }

    /// Says that no more comes, and waits for the end of the server.
    pub(super) fn end(mut self) {
        self.to = None;
        if let Some(child) = &mut self.child {
            assert!(child.wait().expect(ENDS).success());
        }
        let rest: Vec<Value> = self.from.iter().filter(|message| message.get("id").is_some()).collect();
        assert_eq!(rest, Vec::<Value>::new(), "answers nobody asked for");
    }

    /// Goes away in the middle of something, and waits for the end of the server.
    pub(super) fn drop_and_wait(mut self) {
        self.to = None;
        self.child.take().expect("a server of its own").wait().expect(ENDS);
    }

    #[track_caller]
    fn read(&mut self) {
        let message = self.from.recv_timeout(PATIENCE).expect("a message in time");
        if message.get("method").is_some() {
            self.told.push_back(message);
        } else {
            self.answers.push(message);
        }
    }
}

/// A test that fails leaves no server behind.
impl Drop for Peer {
    fn drop(&mut self) {
        self.to = None;
        if let Some(child) = &mut self.child {
            _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// A server at a socket.
pub(super) struct Host {
    child: Child,
    path: PathBuf,
}

/// A client that says things and never reads what it is told.
pub(super) struct Deaf(UnixStream);

impl Host {
    /// Starts it and waits until it listens.
    pub(super) fn start(world: &World, path: &Path) -> Self {
        Self::try_start(world, path).serving().expect("it listens")
    }

    /// Starts it and waits for nothing.
    pub(super) fn try_start(world: &World, path: &Path) -> Self {
        let arguments = ["serve", "--socket", path.to_str().expect("a path of text")];
        let child = command(world, &arguments).stderr(Stdio::piped()).spawn().expect(STARTS);
        Self { child, path: path.to_owned() }
    }

    /// Waits until it listens; none if it gives up.
    pub(super) fn serving(mut self) -> Option<Self> {
        let mut said = String::new();
        BufReader::new(self.child.stderr.take().expect(PIPED)).read_line(&mut said).expect("it says something");
        said.starts_with("Listening at ").then_some(self)
    }

    /// A client that only talks.
    pub(super) fn connect_without_reading(&self, requests: &[(&str, Value)]) -> Deaf {
        let deaf = Deaf(UnixStream::connect(&self.path).expect("the server listens"));
        deaf.say("initialize", &json!({"protocol": 1}));
        requests.iter().for_each(|(method, parameters)| deaf.say(method, parameters));
        deaf
    }

    pub(super) fn connect(&self) -> Peer {
        let stream = UnixStream::connect(&self.path).expect("the server listens");
        Peer::over(stream.try_clone().expect("another handle"), stream).greet()
    }

    /// Asks it to end and waits until it has.
    pub(super) fn end(mut self) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect(STARTS).success());
        assert!(self.child.wait().expect(ENDS).success());
    }

    /// Ends it without a word.
    pub(super) fn kill(mut self) {
        self.child.kill().and_then(|()| self.child.wait()).expect(ENDS);
    }
}

impl Deaf {
    /// Asks the same many times.
    pub(super) fn ask_again_and_again(&self, method: &str, parameters: &Value, times: usize) {
        (0..times).for_each(|_| self.say(method, parameters));
    }

    fn say(&self, method: &str, parameters: &Value) {
        let request = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": parameters});
        (&self.0).write_all(format!("{request}\n").as_bytes()).expect("the server listens");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// The program in a world.
pub(super) fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_takeback"));
    command.args(arguments).current_dir(world.workspace()).env_clear().stdin(Stdio::null());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", world.home()).env("TAKEBACK_HOME", world.state());
    command
}
