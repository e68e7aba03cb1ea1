//! Where the client keeps its files. Ids and paths that come in from outside are checked here before they become the name
//! of a file.

use std::path::{Component, Path, PathBuf};

use crate::driver::{AgentHome, DriverError, Seat};

/// Where the client keeps its files.
pub(super) fn config_folder(home: &AgentHome) -> PathBuf {
    let moved = home.variables.get("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    moved.unwrap_or_else(|| home.home_folder.join(".claude"))
}

/// The transcript of a seat. Only a file named after the conversation is taken for one.
pub(super) fn transcript(seat: &Seat) -> Result<PathBuf, DriverError> {
    let name = transcript_name(&seat.native)
        .ok_or_else(|| DriverError::UnknownShape { reason: "the id of the session is no plain word".to_owned() })?;
    match &seat.transcript {
        None => Ok(config_folder(&seat.home).join("projects").join(folder_name(&seat.cwd)).join(name)),
        Some(told) if is_plain_path_to(told, &name) => Ok(told.clone()),
        Some(_) => {
            Err(DriverError::UnknownShape { reason: "the transcript is not named after the session".to_owned() })
        }
    }
}

/// The name of a session's transcript; none if the id could lead anywhere else.
pub(super) fn transcript_name(native: &str) -> Option<String> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let is_word = !native.is_empty() && native.len() <= 64 && native.bytes().all(is_plain) && !native.starts_with('-');
    is_word.then(|| format!("{native}.jsonl"))
}

fn is_plain_path_to(path: &Path, name: &str) -> bool {
    path.is_absolute() && path.ends_with(name) && !path.components().any(|part| part == Component::ParentDir)
}

/// The client names the folder of a project after its path.
fn folder_name(cwd: &Path) -> String {
    let plain = |character: char| if character.is_ascii_alphanumeric() { character } else { '-' };
    cwd.to_string_lossy().chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seat(native: &str, transcript: Option<&str>) -> Seat {
        Seat {
            native: native.to_owned(),
            transcript: transcript.map(PathBuf::from),
            cwd: PathBuf::from("/home/user/a.project"),
            home: AgentHome { home_folder: PathBuf::from("/home/user"), ..AgentHome::default() },
        }
    }

    #[test]
    fn a_transcript_lies_in_a_folder_named_after_the_project() {
        let expected = PathBuf::from("/home/user/.claude/projects/-home-user-a-project/0a-b1.jsonl");
        assert_eq!(transcript(&seat("0a-b1", None)), Ok(expected));
    }

    #[test]
    fn no_id_and_no_path_leads_to_a_file_of_another_name() {
        for native in ["", "..", "../x", "a/b", "a\0b", "a\nb", "a.b", &"a".repeat(65)] {
            assert!(transcript(&seat(native, None)).is_err(), "{native:?}");
        }
        for told in ["x.jsonl", "/p/../0a.jsonl", "/p/other.jsonl", "/p/x0a.jsonl", "/p/0a.jsonl/more"] {
            assert!(transcript(&seat("0a", Some(told))).is_err(), "{told}");
        }
        assert!(transcript(&seat("0a", Some("/p/0a.jsonl"))).is_ok());
    }
}
