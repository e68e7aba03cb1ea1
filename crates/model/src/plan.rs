//! [`Plan`]: what an operation would do to the files, as a value. Preview, dry run, every face and apply share it, so
//! they cannot disagree. Making one writes nothing; carrying one out needs the engine.

use std::collections::BTreeMap;

use crate::{ContentHash, Entry, EntryKind, Evidence, Reason, Seq, WorkspacePath};

/// What would happen to the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The paths that would change, sorted by path, each once.
    pub changes: Vec<Change>,
    /// The paths that would have changed and are left as they are, sorted by path, each once.
    pub left: Vec<Left>,
    /// What is not covered where the operation looked, sorted by path.
    pub gaps: Vec<Gap>,
    /// Bytes of merged text that are not in the store yet, by their name.
    pub merged: BTreeMap<ContentHash, Vec<u8>>,
}

/// One path that would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub path: WorkspacePath,
    /// What is there now; the plan is void if it is not.
    pub before: Entry,
    /// What would be there.
    pub after: Entry,
    /// Where the thing lies now that would be moved here; its own path has a change too, to `Absent` or to another entry.
    pub moved_from: Option<WorkspacePath>,
    /// The transitions this change takes back, sorted.
    pub reverses: Vec<Seq>,
    /// The weakest evidence among them.
    pub evidence: Evidence,
    /// Something the user should know although the change is made.
    pub note: Option<Reason>,
}

/// One path that is left as it is although the operation speaks of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Where.
    pub path: WorkspacePath,
    /// How it is left: kept, in conflict or skipped.
    pub result: FileResult,
    /// Why.
    pub reason: Reason,
    /// The weakest evidence among the transitions that were to be taken back.
    pub evidence: Evidence,
}

/// Something that is not covered.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Gap {
    /// Where.
    pub path: WorkspacePath,
    /// Why.
    pub reason: Reason,
}

/// What is done to one path, as reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// A file gets other content.
    Write,
    /// Something comes where nothing was.
    Create,
    /// What is there goes.
    Delete,
    /// Only permission bits change.
    Mode,
    /// A link gets another target, or replaces another kind.
    Link,
    /// A folder comes or goes.
    Dir,
    /// Nothing.
    None,
}

/// What became of one path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileResult {
    /// It was changed and read again.
    Done,
    /// It would be changed.
    Planned,
    /// It was left as somebody else's work.
    Kept,
    /// It needs a decision.
    Conflict,
    /// There was nothing to do.
    Skipped,
    /// It could not be changed.
    Failed,
}

/// The tree a plan is made against: what every path holds now, as far as is known.
pub trait Tree {
    /// What this path holds.
    fn entry(&self, path: &WorkspacePath) -> Entry;

    /// Everything directly in this folder, sorted by path; empty for anything but a folder.
    fn children(&self, path: &WorkspacePath) -> Vec<WorkspacePath>;
}

impl Plan {
    /// A plan that does nothing.
    pub fn empty() -> Self {
        Self { changes: Vec::new(), left: Vec::new(), gaps: Vec::new(), merged: BTreeMap::new() }
    }

    /// Whether some path needs a decision.
    pub fn has_conflicts(&self) -> bool {
        self.left.iter().any(|left| left.result == FileResult::Conflict)
    }
}

impl Change {
    /// The action that this change is reported as.
    pub fn action(&self) -> Action {
        Action::between(&self.before, &self.after)
    }
}

impl Action {
    /// The action that leads from one entry to another.
    pub fn between(before: &Entry, after: &Entry) -> Self {
        if before == after {
            return Action::None;
        }
        match (before.kind(), after.kind()) {
            (EntryKind::Absent, EntryKind::Dir) | (EntryKind::Dir, EntryKind::Absent) => Action::Dir,
            (EntryKind::Absent, EntryKind::Link) => Action::Link,
            (EntryKind::Absent, _) => Action::Create,
            (_, EntryKind::Absent) => Action::Delete,
            (_, EntryKind::Link) => Action::Link,
            (EntryKind::Dir, EntryKind::Dir) => Action::Mode,
            (_, EntryKind::Dir) => Action::Dir,
            (EntryKind::File, EntryKind::File) if before.content() == after.content() => Action::Mode,
            _ => Action::Write,
        }
    }

    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Action::Write => "write",
            Action::Create => "create",
            Action::Delete => "delete",
            Action::Mode => "mode",
            Action::Link => "link",
            Action::Dir => "dir",
            Action::None => "none",
        }
    }
}

impl FileResult {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            FileResult::Done => "done",
            FileResult::Planned => "planned",
            FileResult::Kept => "kept",
            FileResult::Conflict => "conflict",
            FileResult::Skipped => "skipped",
            FileResult::Failed => "failed",
        }
    }
}
