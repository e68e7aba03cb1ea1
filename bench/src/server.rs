//! [`Server`]: the released program as it serves one host over its standard streams.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::Fault;

/// A running server. It ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    number: u64,
}

impl Server {
    /// Starts it and agrees on the protocol.
    pub(crate) fn start(mut command: Command) -> Result<Self, Fault> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("the server takes no input")?;
        let output = BufReader::new(child.stdout.take().ok_or("the server gives no output")?);
        let mut server = Self { child, input, output, number: 0 };
        server.ask("initialize", &json!({ "protocol": 1 }))?;
        Ok(server)
    }

    /// The result of a request. Notifications are passed over.
    pub(crate) fn ask(&mut self, method: &str, parameters: &Value) -> Result<Value, Fault> {
        self.number += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters });
        writeln!(self.input, "{request}")?;
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line)?;
            let mut answer: Value = serde_json::from_str(&line)?;
            if answer["id"] != json!(self.number) {
                continue;
            }
            return match answer.get("error") {
                Some(error) => Err(format!("{method}: {error}").into()),
                None => Ok(answer["result"].take()),
            };
        }
    }

    /// How much memory it has in use.
    pub(crate) fn memory_bytes(&self) -> Result<u64, Fault> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("its memory is not told")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes << 10)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        _ = self.child.kill().and_then(|()| self.child.wait());
    }
}
