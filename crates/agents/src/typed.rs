//! Our own commands typed as a prompt, for agents whose chat takes no commands from outside: `takeback undo 2`. A prompt
//! that only begins with the word stays a prompt.

/// The verbs that are understood in a chat.
const VERBS: [&str; 14] = [
    "undo",
    "redo",
    "rewind",
    "revert",
    "restore",
    "preview",
    "log",
    "status",
    "show",
    "diff",
    "checkpoint",
    "versions",
    "switch",
    "sessions",
];

/// The words of a command, if the prompt is nothing but one.
pub(crate) fn typed_command(prompt: &str) -> Option<Vec<String>> {
    let prompt = prompt.trim();
    if prompt.lines().nth(1).is_some() {
        return None;
    }
    let mut words = prompt.split_whitespace();
    let name = words.next()?;
    let words: Vec<String> = words.map(str::to_owned).collect();
    let is_ours = matches!(name, "takeback" | "/takeback");
    let (verb, arguments) = words.split_first()?;
    (is_ours && VERBS.contains(&verb.as_str()) && arguments.iter().all(|word| is_argument(word))).then_some(words)
}

/// A number, an id of ours, an option, a verb to be previewed, or something that looks like a path.
fn is_argument(word: &str) -> bool {
    let is_id = |prefix: &str| {
        word.strip_prefix(prefix).is_some_and(|rest| {
            !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit() || b".:".contains(&byte))
        })
    };
    word.starts_with('-')
        || word.bytes().all(|byte| byte.is_ascii_digit())
        || ["t", "c", "h", "s", "op"].iter().any(|prefix| is_id(prefix))
        || VERBS.contains(&word)
        || matches!(word, "stop" | "keep" | "take" | "merge")
        || word.contains(['/', '.', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_prompt_that_is_a_command_and_nothing_else_is_one() {
        for prompt in
            ["takeback undo", " takeback undo 2 ", "/takeback rewind t3 --files", "takeback revert t41.2 src/a.rs"]
        {
            assert!(typed_command(prompt).is_some(), "{prompt}");
        }
        for prompt in
            ["takeback", "takeback what you did", "takeback undo the last change", "undo", "takeback undo\nnow"]
        {
            assert_eq!(typed_command(prompt), None, "{prompt}");
        }
    }
}
