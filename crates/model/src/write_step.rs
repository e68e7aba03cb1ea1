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

/// What is done to a path. `staged` is a name in the path's own folder, `aside` a path in the nearest folder above that
/// stays, since the own one may have to go; nothing else ever has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Act {
    /// Gives the owner the right to write into a folder, for the time of the operation.
    Lift {
        /// Its mode before.
        before: Mode,
        /// Its mode meanwhile.
        lifted: Mode,
    },
    /// Renames what is there (no folder) to `aside`, where nothing may be, and checks that it was `before`.
    Remove {
        /// What must be there.
        before: Entry,
        /// Where it waits for the commit.
        aside: WorkspacePath,
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

impl WriteStep {
    /// The path besides its own that this step uses until the commit, if any.
    pub fn temporary(&self) -> Option<WorkspacePath> {
        match &self.act {
            Act::Remove { aside, .. } => Some(aside.clone()),
            Act::Create { staged, .. } | Act::Replace { staged, .. } => self.path.parent()?.child(staged).ok(),
            Act::Lift { .. } | Act::RemoveDir { .. } | Act::MakeDir | Act::MoveFrom { .. } | Act::SetMode { .. } => {
                None
            }
        }
    }
}
