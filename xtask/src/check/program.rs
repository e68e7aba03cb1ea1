//! [`Program`]: a program whose output is passed on as it comes, and kept to be counted.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::graph::cargo;
use crate::{Fault, Verdict};

/// A program with its arguments.
pub(super) struct Program {
    name: String,
    arguments: Vec<String>,
    variable: Option<(&'static str, &'static str)>,
}

/// How a program ended.
pub(super) struct Ended {
    /// Whether it said that all is well.
    pub(super) verdict: Verdict,
    /// Everything it said, on both streams.
    pub(super) said: String,
}

impl Program {
    /// cargo, with arguments separated by blanks.
    pub(super) fn cargo(arguments: &str) -> Self {
        Self::new(&cargo(), arguments.split_whitespace())
    }

    /// Any program.
    pub(super) fn new<'a>(name: &str, arguments: impl IntoIterator<Item = &'a str>) -> Self {
        let arguments = arguments.into_iter().map(str::to_owned).collect();
        Self { name: name.to_owned(), arguments, variable: None }
    }

    /// The same with one more variable in its environment.
    pub(super) fn with(self, name: &'static str, value: &'static str) -> Self {
        Self { variable: Some((name, value)), ..self }
    }

    /// Runs it to its end. Every line it says, on either stream, is printed at once.
    pub(super) fn run(&self, root: &Path) -> Result<Ended, Fault> {
        println!("$ {}", self.arguments.iter().fold(self.short_name(), |line, argument| line + " " + argument));
        let (reader, writer) = std::io::pipe()?;
        let mut command = self.command(root);
        let mut child = command
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .spawn()
            .map_err(|error| format!("run {}: {error}", self.name))?;
        drop(command); // it holds the writing ends, and the reader waits for their end
        let said = pass_on(BufReader::new(reader))?;
        let verdict = if child.wait()?.success() { Verdict::Clean } else { Verdict::Found };
        Ok(Ended { verdict, said })
    }

    /// Whether it can be run at all. Prints nothing.
    pub(super) fn is_there(&self, root: &Path) -> bool {
        let status = self.command(root).stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    fn command(&self, root: &Path) -> Command {
        let mut command = Command::new(&self.name);
        command.args(&self.arguments).current_dir(root).stdin(Stdio::null()).envs(self.variable);
        command
    }

    fn short_name(&self) -> String {
        Path::new(&self.name).file_name().map_or(self.name.clone(), |name| name.to_string_lossy().into_owned())
    }
}

/// Prints line by line, and returns all of it.
fn pass_on(mut reader: impl BufRead) -> Result<String, Fault> {
    let mut said = String::new();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        said.push_str(&text);
        line.clear();
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_kept_and_the_end_is_known() {
        let here = Path::new(".");
        let ended = Program::new("sh", ["-c", "echo one; echo two >&2; exit 3"]).run(here).expect("a shell");
        assert_eq!((ended.verdict, ended.said.as_str()), (Verdict::Found, "one\ntwo\n"));
        assert!(Program::new("true", []).is_there(here));
        assert!(!Program::new("no-such-program-here", []).is_there(here));
    }
}
