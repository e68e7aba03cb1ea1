//! [`Patterns`]: a list of the user's patterns, written as in `.gitignore`. Knows no rule files and no rules.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use model::{EntryKind, WorkspacePath};

use super::FlawedPattern;

/// Patterns made ready for matching paths of the workspace.
pub(super) struct Patterns {
    matcher: Gitignore,
    /// The patterns that were passed over.
    pub(super) flawed: Vec<FlawedPattern>,
}

impl Patterns {
    /// Takes all patterns that mean something and notes the others.
    pub(super) fn new(patterns: &[String]) -> Self {
        let mut builder = GitignoreBuilder::new("");
        let mut flawed = Vec::new();
        for pattern in patterns {
            if let Err(error) = builder.add_line(None, pattern) {
                flawed.push(FlawedPattern { pattern: pattern.clone(), flaw: error.to_string() });
            }
        }
        let matcher = builder.build().unwrap_or_else(|error| {
            flawed.push(FlawedPattern { pattern: patterns.join(" "), flaw: error.to_string() });
            Gitignore::empty()
        });
        Self { matcher, flawed }
    }

    /// Whether the name `name` in `folder` matches. Cost: nothing if there are no patterns.
    pub(super) fn match_child(&self, folder: &WorkspacePath, name: &[u8], kind: EntryKind) -> bool {
        if self.matcher.is_empty() {
            return false;
        }
        let path = Path::new(OsStr::from_bytes(folder.as_bytes())).join(OsStr::from_bytes(name));
        self.matcher.matched(path, kind == EntryKind::Dir).is_ignore()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(patterns: &[&str], path: &str, kind: EntryKind) -> bool {
        let patterns: Vec<String> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        let path = WorkspacePath::new(path).unwrap();
        Patterns::new(&patterns).match_child(&path.parent().unwrap(), path.name().unwrap(), kind)
    }

    #[test]
    fn patterns_mean_what_they_mean_in_a_gitignore() {
        assert!(matches(&[".priv/"], "a/.priv", EntryKind::Dir));
        assert!(!matches(&[".priv/"], "a/.priv", EntryKind::File));
        assert!(matches(&["/top"], "top", EntryKind::File));
        assert!(!matches(&["/top"], "a/top", EntryKind::File));
        assert!(matches(&["*.pem"], "deep/er/x.pem", EntryKind::File));
        assert!(!matches(&["*.pem", "!public.pem"], "public.pem", EntryKind::File));
        assert!(!matches(&[], "anything", EntryKind::File));
    }

    #[test]
    fn a_flawed_pattern_is_named_and_the_others_are_used() {
        let patterns = Patterns::new(&["a{b".to_owned(), "*.key".to_owned()]);
        assert_eq!(patterns.flawed.iter().map(|flaw| flaw.pattern.as_str()).collect::<Vec<_>>(), ["a{b"]);
        assert!(patterns.match_child(&WorkspacePath::root(), b"x.key", EntryKind::File));
    }
}
