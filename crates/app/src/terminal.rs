//! Where words go: data to standard output, everything else to standard error. Knows colour and how to make names from
//! outside harmless on a terminal; knows nothing of what is said.

use std::cell::RefCell;
use std::io::{self, BufRead, IsTerminal, Write};

use crate::environment;

/// The way out.
#[derive(Debug)]
pub(crate) struct Terminal {
    is_json: bool,
    out_has_colour: bool,
    err_has_colour: bool,
    out_is_terminal: bool,
    can_ask: bool,
    /// Where everything goes instead, for somebody who wants it as one text.
    collected: Option<RefCell<Vec<u8>>>,
}

/// How a piece of text is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Good,
    Warning,
    Bad,
    Faint,
    Strong,
}

impl Terminal {
    pub(crate) fn new(is_json: bool) -> Self {
        let wants_colour = environment::wants_colour();
        let out_is_terminal = io::stdout().is_terminal();
        Self {
            is_json,
            out_has_colour: wants_colour && out_is_terminal,
            err_has_colour: wants_colour && io::stderr().is_terminal(),
            out_is_terminal,
            can_ask: io::stdin().is_terminal() && io::stderr().is_terminal(),
            collected: None,
        }
    }

    /// A way out that prints nothing and collects both kinds of words; nobody can be asked.
    pub(crate) fn collecting() -> Self {
        Self {
            is_json: false,
            out_has_colour: false,
            err_has_colour: false,
            out_is_terminal: true,
            can_ask: false,
            collected: Some(RefCell::default()),
        }
    }

    /// What was collected.
    pub(crate) fn collected(&self) -> String {
        let bytes = self.collected.as_ref().map(|collected| collected.borrow().clone()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Whether JSON was asked for.
    pub(crate) fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether a person can be asked.
    pub(crate) fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// Whether standard error is watched by a person.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.is_json && self.collected.is_none() && io::stderr().is_terminal()
    }

    /// Prints data. A reader that has gone away is no error.
    pub(crate) fn print(&self, text: &str) {
        self.print_bytes(text.as_bytes());
    }

    /// Prints data that need not be text.
    pub(crate) fn print_bytes(&self, bytes: &[u8]) {
        if let Some(collected) = &self.collected {
            collected.borrow_mut().extend_from_slice(bytes);
            return;
        }
        let mut out = io::stdout().lock();
        _ = out.write_all(bytes).and_then(|()| out.flush());
    }

    /// Says something that is not data.
    pub(crate) fn say(&self, text: &str) {
        if let Some(collected) = &self.collected {
            collected.borrow_mut().extend_from_slice(format!("{text}\n").as_bytes());
            return;
        }
        let mut err = io::stderr().lock();
        _ = writeln!(err, "{text}");
    }

    /// Asks a question that is answered with yes or no; anything but yes is no.
    pub(crate) fn ask(&self, question: &str) -> bool {
        let mut err = io::stderr().lock();
        _ = write!(err, "{question} [y/N] ").and_then(|()| err.flush());
        let mut answer = String::new();
        let is_read = io::stdin().lock().read_line(&mut answer).is_ok();
        is_read && matches!(answer.trim(), "y" | "Y" | "yes" | "Yes")
    }

    /// Text for standard output in a style, if that shows colour.
    pub(crate) fn styled(&self, style: Style, text: &str) -> String {
        if self.out_has_colour { coloured(style, text) } else { text.to_owned() }
    }

    /// Text for standard error in a style, if that shows colour.
    pub(crate) fn styled_for_saying(&self, style: Style, text: &str) -> String {
        if self.err_has_colour { coloured(style, text) } else { text.to_owned() }
    }

    /// Bytes for standard output in a style, if that shows colour.
    pub(crate) fn styled_bytes(&self, style: Style, bytes: &[u8]) -> Vec<u8> {
        if !self.out_has_colour {
            return bytes.to_vec();
        }
        [format!("\x1b[{}m", code(style)).as_bytes(), bytes, b"\x1b[0m"].concat()
    }

    /// A line of text from outside, made harmless if it goes to a terminal; tabs stay.
    pub(crate) fn line(&self, line: &str) -> String {
        if self.out_is_terminal { harmless_line(line) } else { line.to_owned() }
    }

    /// A line of any bytes from outside: as it is, or if it goes to a terminal, as harmless text.
    pub(crate) fn line_bytes(&self, line: &[u8]) -> Vec<u8> {
        if self.out_is_terminal { harmless_line(&String::from_utf8_lossy(line)).into_bytes() } else { line.to_vec() }
    }

    /// A name from outside, made harmless if it goes to a terminal.
    pub(crate) fn name(&self, name: &str) -> String {
        if self.out_is_terminal { harmless(name) } else { name.replace('\n', "\\n") }
    }
}

fn coloured(style: Style, text: &str) -> String {
    format!("\x1b[{}m{text}\x1b[0m", code(style))
}

fn code(style: Style) -> &'static str {
    match style {
        Style::Good => "32",
        Style::Warning => "33",
        Style::Bad => "31",
        Style::Faint => "2",
        Style::Strong => "1",
    }
}

/// A line is harmless when its parts between tabs are.
fn harmless_line(line: &str) -> String {
    line.split('\t').map(harmless).collect::<Vec<_>>().join("\t")
}

/// Replaces what could steer a terminal or make a name look like another one: control, bidirectional and invisible
/// characters.
pub(crate) fn harmless(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    for character in name.chars() {
        if character.is_control() || is_deceiving(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

fn is_deceiving(character: char) -> bool {
    matches!(
        character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{00ad}' | '\u{061c}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_steer_the_terminal() {
        assert_eq!(harmless("a\x1b[2Jb"), "a\\u{1b}[2Jb");
        assert_eq!(harmless("x\u{202e}gpj.exe"), "x\\u{202e}gpj.exe");
        assert_eq!(harmless("公共.txt"), "公共.txt");
    }
}
