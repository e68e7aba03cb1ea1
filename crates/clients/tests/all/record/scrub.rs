//! [`Scrub`]: what a recording must not hold. The folders and the system of the machine get other names; long texts, which
//! are the client's own prompts, are cut, and descriptions of tools are left out. Everything else, the order of members included, stays as the client wrote it.

use std::path::Path;

/// A text of more characters than this is cut.
const CHARACTERS_MAX: usize = 300;
/// What stands at the end of a text that was cut.
const CUT: &str = " … (cut)";

/// Members of this name are emptied if they have more bytes than this: they describe tools.
const WORDY: [&str; 2] = ["\"tools\":", "\"shape\":"];
const WORDY_BYTES_MAX: usize = 2_000;

/// Which names are replaced by which.
pub(super) struct Scrub {
    names: Vec<(String, String)>,
}

impl Scrub {
    /// For a world whose folders lie in `folder`.
    pub(super) fn of(folder: &Path) -> Self {
        let folder = folder.to_string_lossy();
        let spelled = |name: &str| format!("{folder}/{name}");
        let mut names = Vec::new();
        for (name, instead) in [("workspace", "/home/user/project"), ("home", "/home/user"), ("temp", "/tmp")] {
            names.push((spelled(name), instead.to_owned()));
            // Claude Code names the folder of a project after its path.
            names.push((as_a_name(&spelled(name)), as_a_name(instead)));
        }
        names.push((folder.clone().into_owned(), "/home".to_owned()));
        // OpenCode writes paths as they are seen from the root.
        let from_root = |name: &str| spelled(name).trim_start_matches('/').to_owned();
        names.push((from_root("workspace"), "home/user/project".to_owned()));
        let system = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        names.extend(Some(system.trim()).filter(|it| !it.is_empty()).map(|it| (it.to_owned(), "6.1.0".to_owned())));
        Self { names }
    }

    /// A line of JSON as it may be kept.
    pub(super) fn line(&self, line: &str) -> String {
        shorten(&WORDY.iter().fold(self.text(line), |line, member| emptied(&line, member)))
    }

    /// A text with other names for the folders of the machine.
    pub(super) fn text(&self, text: &str) -> String {
        self.names.iter().fold(text.to_owned(), |text, (name, instead)| text.replace(name, instead))
    }
}

fn as_a_name(path: &str) -> String {
    path.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect()
}

/// Empties the values of a member, lists or objects, if they are long.
fn emptied(line: &str, member: &str) -> String {
    let mut pieces = line.split(member);
    let mut short = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let length = value_bytes(piece);
        short.push_str(member);
        match piece.as_bytes().first() {
            Some(b'[') if length > WORDY_BYTES_MAX => short.push_str(&format!("[]{}", &piece[length..])),
            Some(b'{') if length > WORDY_BYTES_MAX => short.push_str(&format!("{{}}{}", &piece[length..])),
            _ => short.push_str(piece),
        }
    }
    short
}

/// How long the list or object is that begins here; nothing if it does not end.
fn value_bytes(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at += literal_bytes(&text[at..]) - 1,
            b'[' | b'{' => depth += 1,
            b']' | b'}' if depth <= 1 => return at + 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    0
}

/// Cuts the long texts in a line of JSON.
fn shorten(line: &str) -> String {
    let mut short = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('"') {
        let length = literal_bytes(&rest[start..]);
        short.push_str(&rest[..start]);
        short.push_str(&shortened(&rest[start..start + length]));
        rest = &rest[start + length..];
    }
    short + rest
}

/// How long the text is that begins here, with its quotes.
fn literal_bytes(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().enumerate().skip(1).find(|(_, byte)| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

fn shortened(literal: &str) -> String {
    match serde_json::from_str::<String>(literal) {
        Ok(text) if text.chars().count() > CHARACTERS_MAX => {
            let kept: String = text.chars().take(CHARACTERS_MAX).collect();
            serde_json::Value::from(kept + CUT).to_string()
        }
        _ => literal.to_owned(),
    }
}

#[test]
fn a_long_text_is_cut_and_the_rest_stays_as_it_is() {
    let long = "\\\"x\\n".repeat(200);
    let line = format!(r#"{{"b":"{long}","a":[1.50,"\"\\",{{"é":"\u00e9"}}]}}"#);
    let short = shorten(&line);
    assert!(short.len() < 900 && short.contains(CUT), "{short}");
    assert!(short.ends_with(r#"","a":[1.50,"\"\\",{"é":"\u00e9"}]}"#), "{short}");
    assert!(serde_json::from_str::<serde_json::Value>(&short).is_ok(), "{short}");
}

#[test]
fn descriptions_of_tools_are_left_out() {
    let tool = r#"{"name":"a ] \"","schema":{}}"#;
    let tools = [tool; 200].join(",");
    let line = Scrub::of(Path::new("/tmp/x")).line(&format!(r#"{{"a":{{"tools":[{tools}],"b":1}},"tools":[{tool}]}}"#));
    assert_eq!(line, format!(r#"{{"a":{{"tools":[],"b":1}},"tools":[{tool}]}}"#));
}

#[test]
fn the_folders_of_the_machine_get_other_names() {
    let scrub = Scrub::of(Path::new("/tmp/.tmpAb1"));
    let line = r#"{"a":"/tmp/.tmpAb1/workspace/x","b":"/tmp/.tmpAb1/home/.claude/projects/-tmp--tmpAb1-workspace/y"}"#;
    let expected = r#"{"a":"/home/user/project/x","b":"/home/user/.claude/projects/-home-user-project/y"}"#;
    assert_eq!(scrub.line(line), expected);
    assert_eq!(scrub.line(r#"{"path":"tmp/.tmpAb1/workspace/x"}"#), r#"{"path":"home/user/project/x"}"#);
}
