//! Where the temporary path of a step has come to after the last step, should its folder have moved meanwhile.

use model::{Act, WorkspacePath, WriteStep};

/// Where what the step at `index` displaced waits for the commit after all `steps`, if it displaces anything.
pub(super) fn waiting_place(steps: &[WriteStep], index: usize) -> Option<WorkspacePath> {
    let (step, later) = steps[index..].split_first()?;
    Some(later.iter().fold(step.temporary()?, |place, later| match &later.act {
        Act::MoveFrom { from, .. } => moved(place, from, &later.path),
        Act::Lift { .. }
        | Act::Remove { .. }
        | Act::RemoveDir { .. }
        | Act::MakeDir
        | Act::Create { .. }
        | Act::Replace { .. }
        | Act::SetMode { .. } => place,
    }))
}

/// Where a path is after `from` was moved to `to`.
fn moved(path: WorkspacePath, from: &WorkspacePath, to: &WorkspacePath) -> WorkspacePath {
    if !path.is_at_or_below(from) {
        return path;
    }
    let rest = path.components().skip(from.depth());
    rest.fold(to.clone(), |folder, name| folder.child(name).unwrap_or(folder))
}
