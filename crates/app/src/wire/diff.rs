//! `takeback.diff/1`: what something changed, line by line.

use serde::Serialize;
use takeback::{ContentDiff, DiffHunk, DiffLine, DiffSide, DiffView, FileDiff, Target};

use super::change::{WireFileChange, file_change};

#[derive(Debug, Serialize)]
struct WireDiff {
    schema: &'static str,
    of: Option<String>,
    files: Vec<WireFileDiff>,
}

#[derive(Debug, Serialize)]
struct WireFileDiff {
    #[serde(flatten)]
    change: WireFileChange,
    content: &'static str,
    hunks: Vec<WireHunk>,
}

#[derive(Debug, Serialize)]
struct WireHunk {
    number: usize,
    before_start: usize,
    before_lines: usize,
    after_start: usize,
    after_lines: usize,
    lines: Vec<String>,
}

/// The object of a difference, as one line; none if there is no turn yet that it could be of.
pub(crate) fn diff(view: Option<&DiffView>) -> String {
    super::line(&WireDiff {
        schema: "takeback.diff/1",
        of: view.map(|view| target(&view.target)),
        files: view.map(|view| view.files.iter().map(file).collect()).unwrap_or_default(),
    })
}

/// The id of what a difference is of.
pub(crate) fn target(target: &Target) -> String {
    match target {
        Target::Turn(id) => id.to_string(),
        Target::Step(id) => id.to_string(),
        Target::Operation(id) => id.to_string(),
        Target::Checkpoint(takeback::CheckpointName::Id(id)) => id.to_string(),
        Target::Checkpoint(takeback::CheckpointName::Name(name)) => name.clone(),
    }
}

/// How the lines of each side begin.
pub(crate) fn sign(side: DiffSide) -> char {
    match side {
        DiffSide::Both => ' ',
        DiffSide::Before => '-',
        DiffSide::After => '+',
    }
}

fn file(file: &FileDiff) -> WireFileDiff {
    let (content, hunks): (_, &[DiffHunk]) = match &file.content {
        ContentDiff::Same => ("same", &[]),
        ContentDiff::Text(hunks) => ("text", hunks),
        ContentDiff::Binary => ("binary", &[]),
        ContentDiff::TooLarge => ("too-large", &[]),
        ContentDiff::Missing => ("missing", &[]),
    };
    WireFileDiff {
        change: file_change(&file.change),
        content,
        hunks: hunks.iter().zip(file.first_hunk..).map(hunk).collect(),
    }
}

fn hunk((hunk, number): (&DiffHunk, usize)) -> WireHunk {
    WireHunk {
        number,
        before_start: hunk.before_start,
        before_lines: hunk.before_lines,
        after_start: hunk.after_start,
        after_lines: hunk.after_lines,
        lines: hunk.lines.iter().flat_map(line).collect(),
    }
}

/// A line with its sign; one without a newline is followed by a line that says so, as in any unified diff.
fn line(line: &DiffLine) -> Vec<String> {
    let text = String::from_utf8_lossy(&line.bytes);
    let shown = format!("{}{}", sign(line.side), text.strip_suffix('\n').unwrap_or(&text));
    if text.ends_with('\n') { vec![shown] } else { vec![shown, NO_NEWLINE.to_owned()] }
}

/// What follows a last line without a newline.
pub(crate) const NO_NEWLINE: &str = "\\ No newline at end of file";
