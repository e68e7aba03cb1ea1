//! [`Entry`]: what a path holds. Absent, empty, unreadable and uncovered are four different things.

use crate::{ContentHash, Reason};

/// What a path holds.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Entry {
    /// Nothing is there.
    Absent,
    /// A regular file whose bytes are in the store.
    File {
        /// The name of its bytes.
        content: ContentHash,
        /// Its length in bytes.
        size_bytes: u64,
        /// Its permission bits.
        mode: Mode,
    },
    /// A symbolic link. Its mode means nothing and is not kept.
    Link {
        /// Where it points, byte for byte; never followed.
        target: Vec<u8>,
    },
    /// A folder.
    Dir {
        /// Its permission bits.
        mode: Mode,
    },
    /// A pipe, socket or device: known to be there, never opened.
    Special {
        /// Which.
        kind: SpecialKind,
    },
    /// Something is there, but what it holds is not known to us.
    Uncovered {
        /// What kind of thing it is.
        kind: EntryKind,
        /// Why it is not covered.
        reason: Reason,
    },
}

/// The kind of thing at a path, without what it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EntryKind {
    /// Nothing.
    Absent,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A folder.
    Dir,
    /// A pipe, socket or device.
    Special,
}

/// The twelve permission bits: `rwx` for owner, group and others, set-user-id, set-group-id and sticky.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode(u16);

impl Mode {
    /// The usual mode of a new folder.
    pub const FOLDER: Mode = Mode(0o755);

    /// Takes the permission bits and drops all others, so that a whole `st_mode` can be given.
    pub fn new(bits: u32) -> Self {
        Self((bits & 0o7777) as u16)
    }

    /// The bits as the operating system has them.
    pub fn bits(self) -> u32 {
        u32::from(self.0)
    }
}

/// The kinds of special files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SpecialKind {
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl Entry {
    /// The kind of thing this is; for an uncovered entry the kind that was seen.
    pub fn kind(&self) -> EntryKind {
        match self {
            Entry::Absent => EntryKind::Absent,
            Entry::File { .. } => EntryKind::File,
            Entry::Link { .. } => EntryKind::Link,
            Entry::Dir { .. } => EntryKind::Dir,
            Entry::Special { .. } => EntryKind::Special,
            Entry::Uncovered { kind, .. } => *kind,
        }
    }

    /// Whether nothing is there.
    pub fn is_absent(&self) -> bool {
        matches!(self, Entry::Absent)
    }

    /// Whether we know what is there well enough to bring it back.
    pub fn is_covered(&self) -> bool {
        !matches!(self, Entry::Special { .. } | Entry::Uncovered { .. })
    }

    /// Why this entry cannot be brought back; none if it can.
    pub fn gap(&self) -> Option<Reason> {
        match self {
            Entry::Special { .. } => Some(Reason::Special),
            Entry::Uncovered { reason, .. } => Some(*reason),
            Entry::Absent | Entry::File { .. } | Entry::Link { .. } | Entry::Dir { .. } => None,
        }
    }

    /// The permission bits of a file or folder.
    pub fn mode(&self) -> Option<Mode> {
        match self {
            Entry::File { mode, .. } | Entry::Dir { mode } => Some(*mode),
            Entry::Absent | Entry::Link { .. } | Entry::Special { .. } | Entry::Uncovered { .. } => None,
        }
    }

    /// The name of a file's bytes.
    pub fn content(&self) -> Option<&ContentHash> {
        match self {
            Entry::File { content, .. } => Some(content),
            _ => None,
        }
    }

    /// The same file or folder with other permission bits; anything else unchanged.
    pub fn with_mode(self, mode: Mode) -> Self {
        match self {
            Entry::File { content, size_bytes, .. } => Entry::File { content, size_bytes, mode },
            Entry::Dir { .. } => Entry::Dir { mode },
            other => other,
        }
    }
}
