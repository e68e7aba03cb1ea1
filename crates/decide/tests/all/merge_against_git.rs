//! Random texts and edits: the merge must say what `git merge-file` says, to the byte, conflicts included.

use std::path::Path;
use std::process::Command;

use decide::{Merge, MergeLabels, merge_text_labelled};

const LABELS: MergeLabels<'static> = MergeLabels { mine: "mine", theirs: "theirs" };

/// A small generator, so that a failure can be repeated from its round.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % sides
    }

    fn line(&mut self, size: &Size) -> String {
        if self.roll(10) < size.unique_of_ten {
            return format!("only here {}", self.roll(1_000_000));
        }
        ["{", "}", "", "a", "b", "c", "  x = 1", "  y = 2", "return", "d", "e", "f", "g", "h", "i", "j"]
            [self.roll(size.words)]
        .to_owned()
    }

    fn text(&mut self, size: &Size) -> Vec<String> {
        (0..self.roll(size.lines)).map(|_| self.line(size)).collect()
    }

    fn edit(&mut self, text: &[String], size: &Size) -> Vec<String> {
        let mut edited = text.to_vec();
        for _ in 0..=self.roll(size.edits) {
            let at = self.roll(edited.len() + 1);
            match self.roll(3) {
                0 => edited.insert(at, self.line(size)),
                1 if at < edited.len() => drop(edited.remove(at)),
                _ if at < edited.len() => edited[at] = self.line(size),
                _ => {}
            }
        }
        edited
    }

    fn bytes(&mut self, lines: &[String], line_end: &str) -> Vec<u8> {
        let mut text: String = lines.iter().map(|line| format!("{line}{line_end}")).collect();
        if self.roll(5) == 0 {
            text.truncate(text.trim_end_matches(line_end).len());
        }
        text.into_bytes()
    }
}

fn git_merge(folder: &Path, texts: [&[u8]; 3]) -> Merge {
    let paths = ["mine", "base", "theirs"].map(|name| folder.join(name));
    for (path, text) in paths.iter().zip([texts[1], texts[0], texts[2]]) {
        std::fs::write(path, text).expect("a writable folder");
    }
    let output = Command::new("git")
        .args(["merge-file", "-p", "-L", "mine", "-L", "base", "-L", "theirs"])
        .args(&paths)
        .output()
        .expect("git is installed");
    match output.status.code() {
        Some(0) => Merge::Clean(output.stdout),
        Some(1..=127) => Merge::Conflict(output.stdout),
        other => panic!("git merge-file ended with {other:?}: {}", String::from_utf8_lossy(&output.stderr)),
    }
}

/// How large the random texts are.
struct Size {
    /// How many different lines there are, besides those that occur once.
    words: usize,
    unique_of_ten: usize,
    lines: usize,
    edits: usize,
}

const SMALL: Size = Size { words: 16, unique_of_ten: 0, lines: 24, edits: 4 };

/// Compares so many random merges; gives the share of conflicts in per cent.
fn compare(rounds: u64, size: &Size, line_end: &str) -> u64 {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut conflicts = 0;
    for round in 0..rounds {
        let mut dice = Dice(round * 7919 + size.words as u64);
        let text = dice.text(size);
        let edited = [dice.edit(&text, size), dice.edit(&text, size)];
        let base = dice.bytes(&text, line_end);
        let [mine, theirs] = edited.map(|text| dice.bytes(&text, line_end));
        let ours = merge_text_labelled(&base, &mine, &theirs, LABELS);
        let git = git_merge(folder.path(), [&base, &mine, &theirs]);
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            ours == git,
            "round {round}\nbase:\n{}\nmine:\n{}\ntheirs:\n{}\nours: {}\ngit: {}",
            show(&base),
            show(&mine),
            show(&theirs),
            shown(&ours),
            shown(&git)
        );
        conflicts += u64::from(matches!(git, Merge::Conflict(_)));
    }
    conflicts * 100 / rounds
}

fn shown(merge: &Merge) -> String {
    match merge {
        Merge::Clean(bytes) => format!("clean\n{}", String::from_utf8_lossy(bytes)),
        Merge::Conflict(bytes) => format!("conflict\n{}", String::from_utf8_lossy(bytes)),
        Merge::NotText => "not text".to_owned(),
    }
}

fn assert_mixed(per_cent: u64) {
    assert!((10..=90).contains(&per_cent), "{per_cent} % conflicts show little");
}

#[test]
fn merges_of_varied_lines_equal_those_of_git() {
    assert_mixed(compare(400, &SMALL, "\n"));
}

#[test]
fn merges_of_lines_that_repeat_equal_those_of_git() {
    assert_mixed(compare(400, &Size { words: 5, ..SMALL }, "\n"));
}

#[test]
fn merges_of_lines_that_end_in_crlf_equal_those_of_git() {
    assert_mixed(compare(200, &Size { words: 9, ..SMALL }, "\r\n"));
}

#[test]
fn merges_of_long_texts_with_many_edits_equal_those_of_git() {
    compare(8, &Size { words: 16, unique_of_ten: 0, lines: 4000, edits: 2000 }, "\n");
}

#[test]
fn merges_of_common_lines_among_unique_ones_equal_those_of_git() {
    compare(40, &Size { words: 2, unique_of_ten: 8, lines: 900, edits: 300 }, "\n");
}
