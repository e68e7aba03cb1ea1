//! A difference as people and `patch` read it: a line in words for each path, and unified hunks for text. Names and
//! content are made harmless on terminals only; elsewhere every byte is as it was.

use model::{Entry, EntryKind};
use takeback::{ContentDiff, DiffHunk, DiffSide, DiffView, FileChange, FileDiff, Target};

use super::size;
use crate::terminal::{Style, Terminal};
use crate::wire::{NO_NEWLINE, sign, target};

/// Prints a difference.
pub(crate) fn diff(terminal: &Terminal, view: &DiffView) {
    if view.files.is_empty() {
        terminal.say(&format!("{} changed no file", target(&view.target)));
    }
    for file in &view.files {
        terminal.print_bytes(&file_text(terminal, view, file));
    }
}

fn file_text(terminal: &Terminal, view: &DiffView, file: &FileDiff) -> Vec<u8> {
    let mut text = Vec::new();
    for line in headings(terminal, file) {
        text.extend_from_slice(terminal.styled(Style::Strong, &line).as_bytes());
        text.push(b'\n');
    }
    if let ContentDiff::Text(hunks) = &file.content
        && !hunks.is_empty()
    {
        text.extend(names(terminal, &file.change));
        for (hunk, number) in hunks.iter().zip(file.first_hunk..) {
            text.extend(hunk_text(terminal, hunk, &hunk_name(terminal, view, file, number)));
        }
    }
    text
}

/// What a hunk is called where it can be taken back alone. `patch` ignores what stands behind the line numbers.
fn hunk_name(terminal: &Terminal, view: &DiffView, file: &FileDiff, number: usize) -> String {
    match view.target {
        Target::Turn(_) | Target::Step(_) => {
            format!(" {}:{}#{number}", target(&view.target), terminal.name(&file.change.path.to_string()))
        }
        Target::Operation(_) | Target::Checkpoint(_) => String::new(),
    }
}

/// What happened to a path besides its lines.
fn headings(terminal: &Terminal, file: &FileDiff) -> Vec<String> {
    let change = &file.change;
    let mut lines = vec![what_happened(terminal, change)];
    if let (Some(before), Some(after)) = (change.before.mode(), change.after.mode())
        && before != after
    {
        lines.push(format!("  mode {:04o} -> {:04o}", before.bits(), after.bits()));
    }
    let content = match &file.content {
        ContentDiff::Same | ContentDiff::Text(_) => None,
        ContentDiff::Binary => Some("not text"),
        ContentDiff::TooLarge => Some("too large to be compared"),
        ContentDiff::Missing => Some("the content is missing from the store"),
    };
    lines.extend(content.map(|words| format!("  {words}{}", sizes(change))));
    lines
}

fn what_happened(terminal: &Terminal, change: &FileChange) -> String {
    let path = terminal.name(&change.path.to_string());
    if let Some(from) = &change.moved_from {
        return format!("Moved {} -> {path}", terminal.name(&from.to_string()));
    }
    match (&change.before, &change.after) {
        (Entry::Link { target: before }, Entry::Link { target: after }) => {
            format!("Link {path}: {} -> {}", link_target(terminal, before), link_target(terminal, after))
        }
        (before, Entry::Absent) => format!("Deleted {}{path}", thing(before)),
        (Entry::Absent, Entry::Link { target }) => format!("New link {path} to {}", link_target(terminal, target)),
        (Entry::Absent, after) => format!("New {}{path}{}", thing(after), mode_of(after)),
        (before, after) if before.kind() != after.kind() => {
            format!("Changed {path} from {}to {}", thing(before), thing(after).trim_end())
        }
        _ => format!("Changed {path}"),
    }
}

fn thing(entry: &Entry) -> &'static str {
    match entry.kind() {
        EntryKind::Absent => "nothing ",
        EntryKind::File => "file ",
        EntryKind::Link => "link ",
        EntryKind::Dir => "folder ",
        EntryKind::Special => "special file ",
    }
}

/// The mode of something new, where it is not the usual one.
fn mode_of(entry: &Entry) -> String {
    let usual = if entry.kind() == EntryKind::Dir { 0o755 } else { 0o644 };
    let mode = entry.mode().filter(|mode| mode.bits() != usual);
    mode.map(|mode| format!(" (mode {:04o})", mode.bits())).unwrap_or_default()
}

fn link_target(terminal: &Terminal, target: &[u8]) -> String {
    terminal.name(&super::shown_path(target))
}

fn sizes(change: &FileChange) -> String {
    let size_of = |entry: &Entry| match entry {
        Entry::File { size_bytes, .. } => Some(size(*size_bytes)),
        _ => None,
    };
    match (size_of(&change.before), size_of(&change.after)) {
        (Some(before), Some(after)) => format!(": {before} -> {after}"),
        (Some(only), None) | (None, Some(only)) => format!(": {only}"),
        (None, None) => String::new(),
    }
}

/// The two lines that tell `patch` which file it is about.
fn names(terminal: &Terminal, change: &FileChange) -> Vec<u8> {
    let before = change.moved_from.as_ref().unwrap_or(&change.path);
    let side = |sign: &str, prefix: &str, entry: &Entry, path: &model::WorkspacePath| {
        if entry.content().is_none() {
            return format!("{sign} /dev/null").into_bytes();
        }
        [format!("{sign} {prefix}/").as_bytes(), &terminal.line_bytes(path.as_bytes())].concat()
    };
    let before = side("---", "a", &change.before, before);
    let after = side("+++", "b", &change.after, &change.path);
    [terminal.styled_bytes(Style::Bad, &before), terminal.styled_bytes(Style::Good, &after)]
        .into_iter()
        .flat_map(|line| line.into_iter().chain([b'\n']))
        .collect()
}

/// How the text of one file would change, named by its path.
pub(crate) fn text_change(terminal: &Terminal, path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Vec<u8> {
    let what = match (before, after) {
        (None, _) => "New file",
        (_, None) => "Deleted file",
        _ => "Changed",
    };
    let heading = format!("{what} {}", terminal.name(path));
    let mut text = terminal.styled(Style::Strong, &heading).into_bytes();
    text.push(b'\n');
    let hunks = takeback::diff_text(before.unwrap_or_default(), after.unwrap_or_default()).unwrap_or_default();
    hunks.iter().for_each(|hunk| text.extend(hunk_text(terminal, hunk, "")));
    text
}

fn hunk_text(terminal: &Terminal, hunk: &DiffHunk, name: &str) -> Vec<u8> {
    let DiffHunk { before_start, before_lines, after_start, after_lines, lines } = hunk;
    let place = format!("@@ -{before_start},{before_lines} +{after_start},{after_lines} @@{name}");
    let mut text = terminal.styled_bytes(Style::Faint, place.as_bytes());
    text.push(b'\n');
    for line in lines {
        let bytes = line.bytes.strip_suffix(b"\n").unwrap_or(&line.bytes);
        let mut shown = vec![sign(line.side) as u8];
        shown.extend(terminal.line_bytes(bytes));
        text.extend(match line.side {
            DiffSide::Both => shown,
            DiffSide::Before => terminal.styled_bytes(Style::Bad, &shown),
            DiffSide::After => terminal.styled_bytes(Style::Good, &shown),
        });
        text.push(b'\n');
        if !line.bytes.ends_with(b"\n") {
            text.extend_from_slice(NO_NEWLINE.as_bytes());
            text.push(b'\n');
        }
    }
    text
}
