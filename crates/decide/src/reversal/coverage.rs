//! What goes on below a folder that becomes covered or uncovered says nothing about the files there.
//!
//! When a folder stops being covered, the paths below it vanish from sight, not from the disk; when it starts being
//! covered, they only come into sight.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{CheckpointId, Entry, Reason, Transition, WorkspacePath};

/// The ledger with `absent` read as `uncovered` below folders that were uncovered on that side of the same barrier.
pub(super) fn widen_uncovered_folders(ledger: &[Transition]) -> Vec<Cow<'_, Transition>> {
    let before = Uncovered::find(ledger, |transition| &transition.before);
    let after = Uncovered::find(ledger, |transition| &transition.after);
    ledger
        .iter()
        .map(|transition| {
            let hidden_before = before.hides(transition).filter(|_| transition.before.is_absent());
            let hidden_after = after.hides(transition).filter(|_| transition.after.is_absent());
            if hidden_before.is_none() && hidden_after.is_none() {
                return Cow::Borrowed(transition);
            }
            let mut widened = transition.clone();
            if let Some(reason) = hidden_before {
                widened.before = Entry::Uncovered { kind: transition.after.kind(), reason };
            }
            if let Some(reason) = hidden_after {
                widened.after = Entry::Uncovered { kind: transition.before.kind(), reason };
            }
            Cow::Owned(widened)
        })
        .collect()
}

/// The paths that were uncovered on one side of a barrier.
struct Uncovered<'a>(BTreeMap<(CheckpointId, &'a WorkspacePath), Reason>);

impl<'a> Uncovered<'a> {
    fn find(ledger: &'a [Transition], side: impl Fn(&Transition) -> &Entry) -> Self {
        let reason = |transition: &'a Transition| match side(transition) {
            Entry::Uncovered { reason, .. } => Some(((transition.checkpoint, &transition.path), *reason)),
            Entry::Absent | Entry::File { .. } | Entry::Link { .. } | Entry::Dir { .. } | Entry::Special { .. } => None,
        };
        Self(ledger.iter().filter(|transition| transition.moved.is_none()).filter_map(reason).collect())
    }

    fn hides(&self, transition: &Transition) -> Option<Reason> {
        if self.0.is_empty() || transition.moved.is_some() {
            return None;
        }
        let at = |folder: WorkspacePath| self.0.get(&(transition.checkpoint, &folder)).copied();
        transition.path.ancestors().find_map(at)
    }
}
