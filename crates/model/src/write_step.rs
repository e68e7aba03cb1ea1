//! [`WriteStep`]: one small act on the user's files, as a value. A plan becomes a list of these; the list is journalled
//! whole before the first is performed, so that anybody who finds the journal can tell from the disk how far it got.

use crate::{Entry, Mode, WorkspacePath};

/// One act on one path, in the order in which the steps of an operation are performed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteStep {
    /// Where.
    pub path: WorkspacePath,
    /// What.
    pub act: Act,
}

/// What is done to a path. `aside` and `staged` are names in the path's own folder; nothing else ever has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Gives the owner the right to write into a folder, for the time of the operation.
    Lift {
        /// Its mode before.
        before: Mode,
        /// Its mode meanwhile.
        lifted: Mode,
    },
    /// Renames what is there (no folder) to `aside`, which must not exist, and checks that it was `before`.
    Remove {
        /// What must be there.
        before: Entry,
        /// Where it waits for the commit.
        aside: Vec<u8>,
    },
    /// Removes an empty folder.
    RemoveDir {
        /// Its mode, for the way back.
        mode: Mode,
    },
    /// Makes a folder where nothing is, writable for its owner; its final mode comes as a later [`Act::SetMode`].
    MakeDir,
    /// Renames what lies at `from` to this path, where nothing is. For things whose bytes may not be known.
    MoveFrom {
        /// Where it lies now.
        from: WorkspacePath,
        /// What must be there.
        before: Entry,
    },
    /// Makes a file or link where nothing is: staged first, then renamed without replacing.
    Create {
        /// What will be there.
        after: Entry,
        /// Where it is staged.
        staged: Vec<u8>,
        /// A path whose finished file this name is linked to instead of getting a copy of its own.
        linked_to: Option<WorkspacePath>,
    },
    /// Stages `after` with owner, group and attributes of what is there, exchanges the two and checks that what came
    /// out is `before`; it stays under `staged` until the commit.
    Replace {
        /// What must be there.
        before: Entry,
        /// What will be there.
        after: Entry,
        /// Where it is staged, and where what it displaced waits for the commit.
        staged: Vec<u8>,
        /// A path whose finished file this name is linked to instead of getting a copy of its own.
        linked_to: Option<WorkspacePath>,
    },
    /// Changes permission bits only.
    SetMode {
        /// The mode that must be there.
        before: Mode,
        /// The mode that will be there.
        after: Mode,
    },
}

impl Act {
    /// The name beside the path that this act uses, if any.
    pub fn sibling(&self) -> Option<&[u8]> {
        match self {
            Act::Remove { aside, .. } => Some(aside),
            Act::Create { staged, .. } | Act::Replace { staged, .. } => Some(staged),
            Act::Lift { .. } | Act::RemoveDir { .. } | Act::MakeDir | Act::MoveFrom { .. } | Act::SetMode { .. } => {
                None
            }
        }
    }
}
