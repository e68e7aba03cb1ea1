//! What a list of steps expects of each path before the first of them and after the last.

use std::collections::BTreeMap;

use model::{Act, Entry, EntryKind, Mode, WorkspacePath, WriteStep};

use super::failure::Halt;
use super::thing::Thing;

/// What a path should hold, as far as the steps say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expected {
    /// Exactly this.
    Entry(Entry),
    /// A folder of whatever mode.
    Folder,
    /// A file or folder with this mode.
    Mode(Mode),
}

/// What every path should hold before the first step.
pub(super) fn starts(steps: &[WriteStep]) -> BTreeMap<&WorkspacePath, Expected> {
    let mut starts = BTreeMap::new();
    for (path, expected) in steps.iter().flat_map(found_by) {
        starts.entry(path).or_insert(expected);
    }
    starts
}

/// What a step expects to find: at its path, and where something moves from.
pub(super) fn found_by(step: &WriteStep) -> impl Iterator<Item = (&WorkspacePath, Expected)> {
    let (at_path, moving) = match &step.act {
        Act::Lift { before, .. } | Act::SetMode { before, .. } => (Expected::Mode(*before), None),
        Act::Remove { before, .. } | Act::Replace { before, .. } => (Expected::Entry(before.clone()), None),
        Act::RemoveDir { mode } => (Expected::Entry(Entry::Dir { mode: *mode }), None),
        Act::MakeDir | Act::Create { .. } => (Expected::Entry(Entry::Absent), None),
        Act::MoveFrom { from, before } => {
            (Expected::Entry(Entry::Absent), Some((from, Expected::Entry(before.clone()))))
        }
    };
    moving.into_iter().chain([(&step.path, at_path)])
}

/// What every path should hold after the last step.
pub(super) fn ends(steps: &[WriteStep]) -> BTreeMap<&WorkspacePath, Expected> {
    let mut ends = BTreeMap::new();
    for WriteStep { path, act } in steps {
        let end = match act {
            Act::Lift { lifted: mode, .. } | Act::SetMode { after: mode, .. } => with_mode(ends.remove(path), *mode),
            Act::Remove { .. } | Act::RemoveDir { .. } => Expected::Entry(Entry::Absent),
            Act::MakeDir => Expected::Folder,
            Act::MoveFrom { from, before } => {
                ends.insert(from, Expected::Entry(Entry::Absent));
                Expected::Entry(before.clone())
            }
            Act::Create { after, .. } | Act::Replace { after, .. } => Expected::Entry(after.clone()),
        };
        ends.insert(path, end);
    }
    ends
}

impl Expected {
    /// Whether this is what lies there.
    pub(super) fn is_met_by(&self, thing: &Thing<'_>) -> Result<bool, Halt> {
        match self {
            Expected::Entry(entry) => thing.is(entry),
            Expected::Folder => Ok(thing.stat().is_some_and(|stat| stat.kind == EntryKind::Dir)),
            Expected::Mode(mode) => Ok(thing.stat().is_some_and(|stat| stat.mode == *mode)),
        }
    }

    /// Whether nothing being there, not even the folder it would be in, is what is expected.
    pub(super) fn is_absent(&self) -> bool {
        *self == Expected::Entry(Entry::Absent)
    }
}

fn with_mode(expected: Option<Expected>, mode: Mode) -> Expected {
    match expected {
        Some(Expected::Entry(entry)) => Expected::Entry(entry.with_mode(mode)),
        Some(Expected::Folder) => Expected::Entry(Entry::Dir { mode }),
        Some(Expected::Mode(_)) | None => Expected::Mode(mode),
    }
}
