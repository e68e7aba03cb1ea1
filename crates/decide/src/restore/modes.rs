//! The modes of folders: those that must be writable meanwhile, and those that they have at the end.

use std::collections::{BTreeMap, BTreeSet};

use model::{Act, Entry, Mode, Plan, WorkspacePath, WriteStep};

use super::Site;

/// The mode that [`Act::MakeDir`] gives a folder until its final one is set: nobody else looks in meanwhile.
const MADE_FOLDER_MODE_BITS: u32 = 0o700;

/// What a folder's owner needs to work in it.
const OWNER_BITS: u32 = 0o700;

/// The folders whose mode is set at the end: what it will be by then, and what it shall be.
#[derive(Default)]
pub(super) struct FolderModes {
    last: BTreeMap<WorkspacePath, LastMode>,
    removed: BTreeSet<WorkspacePath>,
}

struct LastMode {
    before: Mode,
    after: Mode,
}

impl FolderModes {
    pub(super) fn from_plan(plan: &Plan) -> Self {
        let mut modes = Self::default();
        for change in &plan.changes {
            let was = if let Entry::Dir { mode } = change.before { Some(mode) } else { None };
            match (was, &change.after) {
                (was, Entry::Dir { mode }) => {
                    let before = was.unwrap_or_else(|| Mode::new(MADE_FOLDER_MODE_BITS));
                    modes.last.insert(change.path.clone(), LastMode { before, after: *mode });
                }
                (Some(_), _) => drop(modes.removed.insert(change.path.clone())),
                (None, _) => {}
            }
        }
        modes
    }

    /// The steps that make every folder writable that one of these acts needs; the acts are told of the modes that they
    /// find then.
    pub(super) fn lift(&mut self, acts: &mut [WriteStep], site: &Site<'_>) -> Vec<WriteStep> {
        let needed: BTreeSet<_> = acts.iter().flat_map(folders_written).collect();
        let mut steps = Vec::new();
        for folder in needed.into_iter().filter(|folder| !folder.is_root()) {
            let Entry::Dir { mode: before } = site.tree.entry(&folder) else { continue };
            let Some(present) = (site.needs_lift)(&folder) else { continue };
            let lifted = Mode::new(present.bits() | OWNER_BITS);
            self.remember_lift(&folder, before, lifted, acts);
            steps.push(WriteStep { path: folder, act: Act::Lift { before, lifted } });
        }
        steps
    }

    /// The last steps, the deepest folder first.
    pub(super) fn into_steps(self) -> impl Iterator<Item = WriteStep> {
        let step = |(path, LastMode { before, after })| WriteStep { path, act: Act::SetMode { before, after } };
        self.last.into_iter().rev().map(step)
    }

    fn remember_lift(&mut self, folder: &WorkspacePath, before: Mode, lifted: Mode, acts: &mut [WriteStep]) {
        if self.removed.contains(folder) {
            for step in acts.iter_mut().filter(|step| step.path == *folder) {
                if let Act::RemoveDir { mode } = &mut step.act {
                    *mode = lifted;
                }
            }
        } else {
            let last = self.last.entry(folder.clone()).or_insert(LastMode { before, after: before });
            last.before = lifted;
        }
    }
}

/// The folders that an act writes into.
fn folders_written(step: &WriteStep) -> impl Iterator<Item = WorkspacePath> {
    let from = if let Act::MoveFrom { from, .. } = &step.act { from.parent() } else { None };
    let aside = step.temporary().and_then(|path| path.parent());
    step.path.parent().into_iter().chain(from).chain(aside)
}
