//! Three-way merge of entries: content and mode apart.

use std::collections::BTreeMap;

use model::{ContentHash, Contents, Entry, EntryKind, Mode, Reason, limits};

use crate::merge::{Merge, merge_text};

/// Three versions of a thing: the middle one that both others come from, what is there, and what should be.
#[derive(Clone, Copy)]
pub(super) struct Versions<'v, T: ?Sized> {
    pub(super) base: &'v T,
    pub(super) mine: &'v T,
    pub(super) theirs: &'v T,
}

/// Why three versions do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clash {
    /// The session made the thing, and somebody changed it later.
    MadeBySession,
    /// Both sides changed it.
    Apart(Reason),
}

/// What to do where both sides changed the same lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overlap {
    Refuse,
    Mark,
}

/// Content as a decision sees it: what is stored, and what this decision has merged itself.
pub(super) struct Texts<'c> {
    contents: &'c dyn Contents,
    merged: BTreeMap<ContentHash, Vec<u8>>,
}

/// A file, taken apart.
#[derive(Clone, Copy)]
struct File<'e> {
    content: &'e ContentHash,
    size_bytes: u64,
    mode: Mode,
}

impl<'v, T: ?Sized + PartialEq> Versions<'v, T> {
    /// The result where at most one side changed, or both did the same.
    pub(super) fn settle(&self) -> Option<&'v T> {
        if self.mine == self.base {
            Some(self.theirs)
        } else if self.mine == self.theirs || self.base == self.theirs {
            Some(self.mine)
        } else {
            None
        }
    }
}

/// Merges three entries. What does not merge by itself and is no text is a clash.
pub(super) fn blend(versions: Versions<'_, Entry>, texts: &mut Texts<'_>, overlap: Overlap) -> Result<Entry, Clash> {
    if let Some(entry) = versions.settle() {
        return Ok(entry.clone());
    }
    let Versions { base, mine, theirs } = versions;
    match (base, mine, theirs) {
        (_, Entry::Dir { .. }, Entry::Dir { .. }) => Ok(blend_folders(base, mine, theirs)?),
        (_, _, Entry::Absent) => Err(Clash::MadeBySession),
        _ => match (file(base), file(mine), file(theirs)) {
            (Some(base), Some(mine), Some(theirs)) => {
                blend_files(Versions { base: &base, mine: &mine, theirs: &theirs }, texts, overlap)
            }
            _ => Err(Clash::Apart(reason_of_clash(base, mine, theirs))),
        },
    }
}

/// A folder that somebody made again is as good as the one that was there.
fn blend_folders(base: &Entry, mine: &Entry, theirs: &Entry) -> Result<Entry, Clash> {
    match base {
        Entry::Dir { .. } => Err(Clash::Apart(reason_of_clash(base, mine, theirs))),
        Entry::Absent | Entry::File { .. } | Entry::Link { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => {
            Ok(mine.clone())
        }
    }
}

fn reason_of_clash(base: &Entry, mine: &Entry, theirs: &Entry) -> Reason {
    let kinds = [base.kind(), theirs.kind()];
    if mine.is_absent() || kinds.contains(&mine.kind()) { Reason::EditedOutside } else { Reason::TypeChange }
}

fn file(entry: &Entry) -> Option<File<'_>> {
    match entry {
        Entry::File { content, size_bytes, mode } => Some(File { content, size_bytes: *size_bytes, mode: *mode }),
        Entry::Absent | Entry::Link { .. } | Entry::Dir { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => {
            None
        }
    }
}

fn blend_files(versions: Versions<'_, File<'_>>, texts: &mut Texts<'_>, overlap: Overlap) -> Result<Entry, Clash> {
    let Versions { base, mine, theirs } = versions;
    let modes = Versions { base: &base.mode, mine: &mine.mode, theirs: &theirs.mode };
    let mode = *modes.settle().ok_or(Clash::Apart(Reason::EditedOutside))?;
    let contents = Versions { base: base.content, mine: mine.content, theirs: theirs.content };
    let (content, size_bytes) = match contents.settle() {
        Some(content) => (*content, if content == mine.content { mine.size_bytes } else { theirs.size_bytes }),
        None if [base, mine, theirs].iter().any(|file| file.size_bytes > limits::MERGE_SIZE_BYTES_MAX) => {
            return Err(Clash::Apart(Reason::EditedOutside));
        }
        None => texts.merge(contents, overlap).map_err(Clash::Apart)?,
    };
    Ok(Entry::File { content, size_bytes, mode })
}

impl<'c> Texts<'c> {
    pub(super) fn new(contents: &'c dyn Contents) -> Self {
        Self { contents, merged: BTreeMap::new() }
    }

    /// The bytes that were merged here, of those that are asked for.
    pub(super) fn into_merged(mut self, is_needed: impl Fn(&ContentHash) -> bool) -> BTreeMap<ContentHash, Vec<u8>> {
        self.merged.retain(|hash, _| is_needed(hash));
        self.merged
    }

    fn merge(&mut self, versions: Versions<'_, ContentHash>, overlap: Overlap) -> Result<(ContentHash, u64), Reason> {
        let read = |hash| self.read(hash).ok_or(Reason::MissingContent);
        let (base, mine, theirs) = (read(versions.base)?, read(versions.mine)?, read(versions.theirs)?);
        let bytes = match merge_text(&base, &mine, &theirs) {
            Merge::Clean(bytes) => bytes,
            Merge::Conflict(bytes) if overlap == Overlap::Mark => bytes,
            Merge::Conflict(_) | Merge::NotText => return Err(Reason::EditedOutside),
        };
        let (hash, size_bytes) = (self.contents.name(&bytes), bytes.len() as u64);
        if ![versions.base, versions.mine, versions.theirs].contains(&&hash) {
            self.merged.insert(hash, bytes);
        }
        Ok((hash, size_bytes))
    }

    fn read(&self, hash: &ContentHash) -> Option<Vec<u8>> {
        self.merged.get(hash).cloned().or_else(|| self.contents.read(hash))
    }
}

/// Whether this is a folder and nothing else.
pub(super) fn is_folder(entry: &Entry) -> bool {
    entry.is_covered() && entry.kind() == EntryKind::Dir
}
