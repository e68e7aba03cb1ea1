//! [`Thing`]: what lies at a name right now, compared with what should.

use std::cell::OnceCell;
use std::io::{self, Read, Write};

use disk::{Dir, DiskError, ReadFile, Stat, Supply};
use model::{ContentHash, Entry, EntryKind, Reason};

use super::failure::Halt;
use super::reach::Place;

/// One look at a name. Its content is read at most once, and only when a comparison comes to that.
pub(super) struct Thing<'d> {
    dir: &'d Dir,
    name: &'d [u8],
    stat: Option<Stat>,
    content: OnceCell<ContentHash>,
}

impl<'d> Thing<'d> {
    pub(super) fn at(place: &'d Place<'_>) -> Result<Self, Halt> {
        Self::beside(place, place.name)
    }

    /// What lies at another name in the same folder.
    pub(super) fn beside(place: &'d Place<'_>, name: &'d [u8]) -> Result<Self, Halt> {
        Ok(Self { dir: &place.dir, name, stat: place.dir.stat(name)?, content: OnceCell::new() })
    }

    pub(super) fn stat(&self) -> Option<&Stat> {
        self.stat.as_ref()
    }

    pub(super) fn is_absent(&self) -> bool {
        self.stat.is_none()
    }

    /// Whether it is exactly this entry. Of an uncovered entry only the kind can be compared.
    pub(super) fn is(&self, entry: &Entry) -> Result<bool, Halt> {
        Ok(self.looks_like(entry) && self.has_content_of(entry)?)
    }

    /// Whether it is this file or link with whatever mode.
    pub(super) fn holds(&self, entry: &Entry) -> Result<bool, Halt> {
        Ok(self.stat.is_some_and(|stat| stat.kind == entry.kind()) && self.has_content_of(entry)?)
    }

    /// Whether it could be this entry, told without reading it.
    pub(super) fn looks_like(&self, entry: &Entry) -> bool {
        let Some(stat) = &self.stat else { return entry.is_absent() };
        match entry {
            Entry::Absent => false,
            Entry::File { size_bytes, mode, .. } => {
                stat.kind == EntryKind::File && (stat.stamp.size_bytes, stat.mode) == (*size_bytes, *mode)
            }
            Entry::Link { .. } => stat.kind == EntryKind::Link,
            Entry::Dir { mode } => stat.kind == EntryKind::Dir && stat.mode == *mode,
            Entry::Special { kind } => stat.special == Some(*kind),
            Entry::Uncovered { kind, .. } => stat.kind == *kind,
        }
    }

    /// Fails with the reason why it cannot be this entry, told without reading it.
    pub(super) fn must_look_like(&self, entry: &Entry) -> Result<(), Halt> {
        if self.looks_like(entry) {
            return Ok(());
        }
        let other_kind = self.stat.is_some_and(|stat| stat.kind != entry.kind()) && !entry.is_absent();
        Err(if other_kind { Reason::TypeChange.into() } else { Reason::Drift.into() })
    }

    /// Fails with the reason why it is not exactly this entry.
    pub(super) fn must_be(&self, entry: &Entry) -> Result<(), Halt> {
        self.must_look_like(entry)?;
        if self.has_content_of(entry)? { Ok(()) } else { Err(Reason::Drift.into()) }
    }

    /// Whether it is the very thing that `other` saw, under whatever name.
    pub(super) fn is_same_thing(&self, other: &Stat) -> bool {
        self.stat.is_some_and(|stat| stat.stamp.is_same_thing(&other.stamp))
    }

    /// Whether it is a beginning of this entry, as a crash leaves it while the entry is written.
    pub(super) fn is_beginning_of(&self, entry: &Entry, supply: &dyn Supply) -> Result<bool, Halt> {
        match (&self.stat, entry) {
            (Some(stat), Entry::File { content, size_bytes, .. })
                if stat.kind == EntryKind::File && stat.stamp.size_bytes <= *size_bytes =>
            {
                let file = self.dir.open_file(self.name).map_err(Halt::while_reading)?;
                let mut comparison = Comparison { file, left_bytes: stat.stamp.size_bytes, differs: false };
                let copied = supply.copy(content, &mut comparison);
                match copied {
                    // The comparison stops the copy itself, at the end of the file or at the first difference.
                    _ if comparison.left_bytes == 0 || comparison.differs => Ok(!comparison.differs),
                    Ok(()) => Ok(false),
                    Err(error) => Err(error.into()),
                }
            }
            _ => Ok(false),
        }
    }

    /// Fails with [`Reason::Unsettled`] if somebody holds the file open for writing.
    pub(super) fn must_be_settled(&self) -> Result<(), Halt> {
        let is_file = self.stat.is_some_and(|stat| stat.kind == EntryKind::File);
        if is_file && self.dir.holds_open_for_writing(self.name).map_err(Halt::while_reading)? {
            return Err(Reason::Unsettled.into());
        }
        Ok(())
    }

    /// Whether it is mounted over its name, so that it cannot be renamed.
    pub(super) fn is_mount_point(&self) -> Result<bool, Halt> {
        let folder = self.dir.stat_self()?;
        Ok(self.stat.is_some_and(|stat| stat.mount != folder.mount))
    }

    fn has_content_of(&self, entry: &Entry) -> Result<bool, Halt> {
        match entry {
            Entry::File { content, .. } => Ok(self.content()? == *content),
            Entry::Link { target } => Ok(self.dir.read_link(self.name).map_err(Halt::while_reading)? == *target),
            Entry::Absent | Entry::Dir { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => Ok(true),
        }
    }

    fn content(&self) -> Result<ContentHash, Halt> {
        if let Some(content) = self.content.get() {
            return Ok(*content);
        }
        let file = self.dir.open_file(self.name).map_err(Halt::while_reading)?;
        let hash = hash(file).map_err(|source| {
            Halt::while_reading(DiskError { verb: "read", path: String::from_utf8_lossy(self.name).into(), source })
        })?;
        Ok(*self.content.get_or_init(|| hash))
    }
}

fn hash(file: ReadFile) -> io::Result<ContentHash> {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(file)?;
    Ok(ContentHash(*hasher.finalize().as_bytes()))
}

/// A sink that compares what is written into it with the bytes of a file, as far as those go.
struct Comparison {
    file: ReadFile,
    left_bytes: u64,
    differs: bool,
}

impl Write for Comparison {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left_bytes == 0 || bytes.is_empty() {
            return Ok(bytes.len());
        }
        let length = usize::try_from(self.left_bytes).unwrap_or(usize::MAX).min(bytes.len());
        let mut there = vec![0; length];
        self.file.read_exact(&mut there)?;
        if there != bytes[..length] {
            self.differs = true;
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.left_bytes -= length as u64;
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
