//! One Rust file, with what the rules ask of it.

use std::ops::Range;

use super::brackets::{item, line_of};
use super::mask::mask;
use crate::repository::Role;

/// Attributes that say: only for tests.
const TEST_ATTRIBUTES: &[&str] = &["#[cfg(test)]", "#[cfg(all(test,"];

/// One Rust file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    /// All of it.
    pub(crate) text: String,
    /// Its code: the same places, without comments and the insides of literals.
    pub(crate) code: String,
    /// What it is for.
    pub(crate) role: Role,
    tests: Vec<Range<usize>>,
}

impl Source {
    /// Takes a file.
    pub(crate) fn new(path: String, text: String, role: Role) -> Self {
        let code = mask(&text);
        let tests = test_items(&code);
        Self { path, text, code, role, tests }
    }

    /// Whether the code at this place is only there for tests.
    pub(crate) fn is_test(&self, at: usize) -> bool {
        self.role == Role::Test || self.tests.iter().any(|range| range.contains(&at))
    }

    /// Whether the code at this place ships.
    pub(crate) fn ships(&self, at: usize) -> bool {
        self.role == Role::Product && !self.is_test(at)
    }

    /// The place where a line begins; lines count from 1.
    pub(crate) fn place_of(&self, line: usize) -> usize {
        self.text.split_inclusive('\n').take(line - 1).map(str::len).sum()
    }

    /// The line of a place, from 1.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        line_of(&self.code, at)
    }

    /// The modules declared here as tests, each as the path of its file without `.rs`.
    pub(crate) fn test_module_stems(&self) -> Vec<String> {
        let folder = self.module_folder();
        let names = self.tests.iter().filter_map(|range| declared_module(&self.code[range.clone()]));
        names.map(|name| format!("{folder}/{name}")).collect()
    }

    /// The folder in which this file's child modules lie.
    fn module_folder(&self) -> String {
        let stem = self.path.strip_suffix(".rs").unwrap_or(&self.path);
        match stem.rsplit_once('/') {
            Some((folder, "lib" | "main" | "mod")) => folder.to_owned(),
            _ => stem.to_owned(),
        }
    }
}

fn test_items(code: &str) -> Vec<Range<usize>> {
    let starts = TEST_ATTRIBUTES.iter().flat_map(|attribute| code.match_indices(attribute));
    starts.filter_map(|(at, _)| item(code, at)).collect()
}

/// The name in `… mod name;`; none for a module with a body or anything else.
fn declared_module(item: &str) -> Option<&str> {
    let mut words = item.strip_suffix(';')?.split_whitespace().rev();
    let name = words.next()?;
    (words.next()? == "mod").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_under_cfg_test_does_not_ship() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\nfn c() {}\n";
        let source = Source::new("crates/disk/src/lib.rs".to_owned(), text.to_owned(), Role::Product);
        let ships: Vec<_> = ["fn a", "fn b", "fn c"].map(|f| source.ships(text.find(f).expect("it is there"))).into();
        assert_eq!(ships, [true, false, true]);
    }

    #[test]
    fn lines_and_places_agree() {
        let source = Source::new("x.rs".to_owned(), "a\nbc\nd".to_owned(), Role::Product);
        assert_eq!(source.place_of(3), 5);
        assert_eq!(source.line_of(5), 3);
    }
}
