//! Writes the regions of a merge out as bytes.

use std::ops::Range;

use super::MergeLabels;
use super::lines::{Line, Texts};
use super::regions::{Origin, Region};

/// The merged text: `mine`, with the regions of `theirs` in their places and both sides of every conflict.
pub(super) fn render(texts: &Texts<'_>, regions: &[Region], labels: MergeLabels<'_>) -> Vec<u8> {
    let mut page = Page { texts, bytes: Vec::new() };
    let mut done = 0;
    for region in regions {
        page.copy(&texts.mine, done..region.mine.start);
        match region.origin {
            Origin::Mine | Origin::Same => page.copy(&texts.mine, region.mine.clone()),
            Origin::Theirs => page.copy(&texts.theirs, region.theirs.clone()),
            Origin::Conflict => page.show_conflict(region, labels),
        }
        done = region.mine.end;
    }
    page.copy(&texts.mine, done..texts.mine.len());
    page.bytes
}

struct Page<'t> {
    texts: &'t Texts<'t>,
    bytes: Vec<u8>,
}

impl Page<'_> {
    fn copy(&mut self, side: &[Line], lines: Range<usize>) {
        for &line in side.get(lines).unwrap_or_default() {
            self.bytes.extend_from_slice(self.texts.bytes(line));
        }
    }

    fn show_conflict(&mut self, region: &Region, labels: MergeLabels<'_>) {
        let line_end: &[u8] = if has_crlf_around(self.texts, region) { b"\r\n" } else { b"\n" };
        let texts = self.texts;
        self.mark(&[b"<<<<<<< ", labels.mine.as_bytes(), line_end]);
        self.copy_whole_lines(&texts.mine, region.mine.clone(), line_end);
        self.mark(&[b"=======", line_end]);
        self.copy_whole_lines(&texts.theirs, region.theirs.clone(), line_end);
        self.mark(&[b">>>>>>> ", labels.theirs.as_bytes(), line_end]);
    }

    fn mark(&mut self, parts: &[&[u8]]) {
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
    }

    /// Copies lines and ends the last one, so that the marker behind it starts a line of its own.
    fn copy_whole_lines(&mut self, side: &[Line], lines: Range<usize>, line_end: &[u8]) {
        let is_empty = lines.is_empty();
        self.copy(side, lines);
        if !is_empty && !self.bytes.ends_with(b"\n") {
            self.bytes.extend_from_slice(line_end);
        }
    }
}

/// Whether the lines around a conflict end in CR LF: neither side may say otherwise, and the common text must say so.
fn has_crlf_around(texts: &Texts<'_>, region: &Region) -> bool {
    let mine = ends_in_crlf(texts, &texts.mine, region.mine.start.saturating_sub(1));
    let theirs = ends_in_crlf(texts, &texts.theirs, region.theirs.start.saturating_sub(1));
    let base = ends_in_crlf(texts, &texts.base, 0);
    mine != Some(false) && theirs != Some(false) && base == Some(true)
}

/// How this line ends, or the one before it if it is a last line without newline; none if there is nothing to see.
fn ends_in_crlf(texts: &Texts<'_>, side: &[Line], line: usize) -> Option<bool> {
    let bytes = texts.bytes(*side.get(line)?);
    if bytes.ends_with(b"\n") {
        return Some(bytes.ends_with(b"\r\n"));
    }
    side.get(line.checked_sub(1)?).map(|&previous| texts.bytes(previous).ends_with(b"\r\n"))
}
