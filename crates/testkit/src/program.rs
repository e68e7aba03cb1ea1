//! [`Ran`]: one finished run of the program, with what it printed.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

/// One finished run of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// What was typed.
    pub arguments: Vec<String>,
    /// Its exit status; none if a signal ended it.
    pub status: Option<i32>,
    /// Its standard output.
    pub out: Vec<u8>,
    /// Its standard error.
    pub err: String,
}

impl Ran {
    /// Checks the exit status.
    #[track_caller]
    pub fn expect(self, status: i32) -> Self {
        assert_eq!(self.status, Some(status), "`takeback {}`: {}", self.arguments.join(" "), self.told());
        self
    }

    /// Standard output as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// The one object on standard output.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("no JSON ({error}): {}", self.told()))
    }

    fn told(&self) -> String {
        format!("{}\n{}", self.text(), self.err)
    }
}

/// Runs a program to its end with this standard input. Nobody watches it: neither end is a terminal.
pub(crate) fn run(mut command: Command, arguments: Vec<String>, input: &[u8]) -> Ran {
    command.args(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    // A program that does not read its input to the end is no trouble.
    _ = child.stdin.take().expect("it was asked for").write_all(input);
    let output = child.wait_with_output().expect("the program can be waited for");
    Ran {
        arguments,
        status: output.status.code(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
