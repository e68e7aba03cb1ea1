//! Which change each line of a text comes from. What a version was called and who made it is for whoever asks.

use std::collections::BTreeMap;

use model::{ContentHash, Contents};

use crate::merge::{DiffSide, diff_text};

/// One state of a text, in the order in which they came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// What it holds; none: nothing, as before it was made.
    pub content: Option<ContentHash>,
    /// Whether it was made by taking something back: then a line of it is as old as where it stood before, if the text was
    /// the same once.
    pub is_restored: bool,
}

/// The lines of the newest version, each with the place of the version that brought it; 0 is the oldest. None if one of
/// the versions that matter is no text or is not there.
///
/// Cost: one line diff per version that has to be looked into, from the newest back, until every line has its answer.
pub fn blame(versions: &[Version], contents: &dyn Contents) -> Option<Vec<(Vec<u8>, usize)>> {
    let Some(newest) = versions.len().checked_sub(1) else { return Some(Vec::new()) };
    let mut texts = Texts { versions, contents, read: BTreeMap::new() };
    let lines: Vec<Vec<u8>> = lines(&texts.at(newest)?).map(<[u8]>::to_vec).collect();
    let mut found: Vec<usize> = vec![0; lines.len()];
    // Which line of the version at hand each open line of the newest is.
    let mut open: Vec<(usize, usize)> = (0..lines.len()).map(|line| (line, line)).collect();
    let mut at = newest;
    while at > 0 && !open.is_empty() {
        if let Some(earlier) = same_before(versions, at) {
            at = earlier;
            continue;
        }
        let origins = origins(&texts.at(at - 1)?, &texts.at(at)?)?;
        open.retain_mut(|(line, here)| match origins.get(*here).copied().flatten() {
            Some(before) => {
                *here = before;
                true
            }
            None => {
                found[*line] = at;
                false
            }
        });
        at -= 1;
    }
    Some(lines.into_iter().zip(found).collect())
}

/// Where what was restored had been before, the newest of such places.
fn same_before(versions: &[Version], at: usize) -> Option<usize> {
    let version = versions.get(at).filter(|version| version.is_restored)?;
    versions[..at].iter().rposition(|earlier| earlier.content == version.content)
}

/// For each line after, the line before that it is; none for a new one. None if one side is no text.
fn origins(before: &[u8], after: &[u8]) -> Option<Vec<Option<usize>>> {
    let hunks = diff_text(before, after)?;
    let mut origins = Vec::new();
    let mut next_before = 0;
    for hunk in &hunks {
        let start = if hunk.after_lines == 0 { hunk.after_start } else { hunk.after_start - 1 };
        while origins.len() < start {
            origins.push(Some(next_before));
            next_before += 1;
        }
        for line in &hunk.lines {
            match line.side {
                DiffSide::Both => {
                    origins.push(Some(next_before));
                    next_before += 1;
                }
                DiffSide::Before => next_before += 1,
                DiffSide::After => origins.push(None),
            }
        }
    }
    let rest = lines(after).count().saturating_sub(origins.len());
    origins.extend((next_before..next_before + rest).map(Some));
    Some(origins)
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// The texts of versions, each read once while it is near.
struct Texts<'a> {
    versions: &'a [Version],
    contents: &'a dyn Contents,
    read: BTreeMap<usize, Vec<u8>>,
}

impl Texts<'_> {
    fn at(&mut self, at: usize) -> Option<Vec<u8>> {
        if let Some(text) = self.read.get(&at) {
            return Some(text.clone());
        }
        let text = match &self.versions.get(at)?.content {
            Some(content) => self.contents.read(content)?,
            None => Vec::new(),
        };
        // Later ones are not asked for again.
        self.read = BTreeMap::from([(at, text.clone())]);
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts whose name is their first bytes.
    struct Shelf;

    impl Contents for Shelf {
        fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
            let end = hash.0.iter().position(|byte| *byte == b'.')?;
            Some(hash.0[..end].to_vec())
        }

        fn name(&self, bytes: &[u8]) -> ContentHash {
            let mut name = [b'.'; 32];
            name[..bytes.len()].copy_from_slice(bytes);
            ContentHash(name)
        }
    }

    fn version(text: Option<&str>) -> Version {
        Version { content: text.map(|text| Shelf.name(text.as_bytes())), is_restored: false }
    }

    fn places(versions: &[Version]) -> Option<Vec<usize>> {
        blame(versions, &Shelf).map(|lines| lines.into_iter().map(|(_, at)| at).collect())
    }

    #[test]
    fn a_line_is_of_the_version_that_brought_it() {
        let versions = ["a\nb\nc\n", "a\nB\nc\n", "a\nB\nnew\nc\n", "a\nB\nnew\nc\nlast"];
        assert_eq!(places(&versions.map(|text| version(Some(text)))), Some(vec![0, 1, 2, 0, 3]));
    }

    #[test]
    fn everything_in_a_new_file_is_its_makers() {
        assert_eq!(places(&[version(None), version(Some("a\nb\n"))]), Some(vec![1, 1]));
        assert_eq!(places(&[version(Some("a\n"))]), Some(vec![0]));
        assert_eq!(places(&[]), Some(Vec::new()));
        assert_eq!(places(&[version(Some("a\n")), version(None)]), Some(Vec::new()));
    }

    #[test]
    fn what_was_taken_back_leaves_the_lines_to_those_who_had_written_them() {
        let restored = Version { is_restored: true, ..version(Some("a\nb\n")) };
        let versions = [version(Some("a\n")), version(Some("a\nb\n")), version(Some("x\n")), restored];
        assert_eq!(places(&versions), Some(vec![0, 1]));
        let undone = Version { is_restored: true, ..version(None) };
        let redone = Version { is_restored: true, ..version(Some("a\n")) };
        assert_eq!(places(&[version(None), version(Some("a\n")), undone, redone]), Some(vec![1]));
    }

    #[test]
    fn bytes_and_missing_content_have_no_answer() {
        assert_eq!(places(&[version(Some("a\0")), version(Some("b\n"))]), None);
        let missing = Version { content: Some(ContentHash([7; 32])), is_restored: false };
        assert_eq!(places(&[missing, version(Some("b\n"))]), None);
    }
}
