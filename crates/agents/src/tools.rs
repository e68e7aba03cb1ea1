//! What the tools of a canonical agent may do: which only read, which start a subagent, which leave work running.

/// Tools that change nothing in a workspace.
const READ_ONLY: [&str; 16] = [
    "Read",
    "NotebookRead",
    "Grep",
    "Glob",
    "LS",
    "List",
    "Search",
    "WebFetch",
    "WebSearch",
    "TodoRead",
    "TodoWrite",
    "AskUserQuestion",
    "ExitPlanMode",
    "EnterPlanMode",
    "BashOutput",
    "ToolSearch",
];

/// Tools that start a subagent.
const SPAWNS_SUBAGENT: [&str; 4] = ["Agent", "Task", "SpawnAgent", "spawn_agent"];

/// Whether the tool of this name changes nothing.
pub(crate) fn is_read_only(tool: &str) -> bool {
    READ_ONLY.contains(&tool)
}

/// Whether the tool of this name starts a subagent.
pub(crate) fn spawns_subagent(tool: &str) -> bool {
    SPAWNS_SUBAGENT.contains(&tool)
}

/// Whether a shell command leaves something running by its own words: a lone `&` outside of quotes, or one of the
/// programs made for that. A guess in the careful direction: at worst a change is called contested.
pub(crate) fn leaves_work_running(command: &str) -> bool {
    let first_words = command.split(['\n', ';', '|', '&']).filter_map(|part| part.split_whitespace().next());
    has_lone_ampersand(command) || first_words.into_iter().any(|word| matches!(word, "nohup" | "setsid" | "disown"))
}

fn has_lone_ampersand(command: &str) -> bool {
    let bytes = command.as_bytes();
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        match (quote, byte) {
            (None | Some(b'"'), b'\\') => at += 1,
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'#') if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            (None, b'&') => {
                let before = at.checked_sub(1).map(|i| bytes[i]);
                let after = bytes.get(at + 1);
                if after == Some(&b'&') {
                    at += 1;
                } else if !matches!(before, Some(b'>' | b'<' | b'|')) && after != Some(&b'>') {
                    return true;
                }
            }
            _ => {}
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_ends_in_an_ampersand_leaves_work_running() {
        for command in ["npm start &", "sleep 9 & echo on", "nohup make", "cd x; setsid y"] {
            assert!(leaves_work_running(command), "{command}");
        }
    }

    #[test]
    fn an_ampersand_of_another_meaning_does_not() {
        for command in
            ["a && b", "make 2>&1", "make &>log", "echo 'a & b'", "echo \"&\"", "echo \\&", "a |& b", "x # & y"]
        {
            assert!(!leaves_work_running(command), "{command}");
        }
    }
}
