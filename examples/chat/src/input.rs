//! [`Input`]: where the lines of the person come from, and a line that can be edited. Also the way out.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

/// Lines of a person, or of a script that plays one.
pub(crate) struct Input {
    lines: Box<dyn BufRead>,
    echoes: bool,
}

impl Input {
    /// Lines of a file, or of standard input.
    pub(crate) fn open(script: Option<&Path>) -> io::Result<Self> {
        Ok(match script {
            Some(path) => Self { lines: Box::new(BufReader::new(File::open(path)?)), echoes: true },
            None => Self { lines: Box::new(BufReader::new(io::stdin())), echoes: false },
        })
    }

    /// Asks for a line; none at the end of the input.
    pub(crate) fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        write(question)?;
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end_matches(['\n', '\r']);
        if self.echoes {
            write(&format!("{line}\n"))?;
        }
        Ok(Some(line.to_owned()))
    }

    /// Asks for a line that has a text in it already: nothing takes it as it is, `^old^new` changes it, and everything
    /// else takes its place.
    pub(crate) fn ask_with(&mut self, default: &str) -> io::Result<Option<String>> {
        let answer = self.ask(&format!("> [{default}] "))?;
        Ok(answer.map(|typed| edited(default, &typed)))
    }
}

/// Says a line.
pub(crate) fn say(line: &str) {
    // A reader that has gone away is no error of the chat.
    _ = write(&format!("{line}\n"));
}

fn write(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

fn edited(default: &str, typed: &str) -> String {
    if typed.is_empty() {
        return default.to_owned();
    }
    match typed.strip_prefix('^').and_then(|change| change.split_once('^')) {
        Some((old, new)) => default.replacen(old, new.trim_end_matches('^'), 1),
        None => typed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::edited;

    #[test]
    fn the_withdrawn_prompt_can_be_sent_again_changed_or_replaced() {
        assert_eq!(edited("write a poem", ""), "write a poem");
        assert_eq!(edited("write a poem", "^poem^song"), "write a song");
        assert_eq!(edited("write a poem", "list"), "list");
    }
}
