//! What lies beyond an operation: what is not covered, and what has left the workspace. Named, never touched.

use std::collections::BTreeSet;

use decide::effects::effects_of;
use model::{Gap, Index, Plan, Reason, Tree, WorkspacePath};
use store::{Reader, StoreError};

use crate::choice::Choice;
use crate::claims::absolute_path;
use crate::heads;
use crate::order::{Order, Selection};
use crate::report::{NamedEffect, NamedGap};

/// What is not covered: what the plan met, what was noted in the turns concerned, and everything of the workspace that
/// such a turn may have touched unseen.
pub(super) fn gaps(
    reader: &Reader<'_>,
    choice: &Choice,
    index: &Index,
    plan: &Plan,
) -> Result<Vec<NamedGap>, StoreError> {
    let named = |gap: &Gap| NamedGap { path: absolute_path(gap), reason: gap.reason };
    let mut gaps: BTreeSet<NamedGap> = plan.gaps.iter().map(named).collect();
    for turn in &choice.turns {
        for gap in reader.gaps_of_turn(*turn)? {
            gaps.insert(named(&gap));
        }
    }
    for (folder, known) in index.folders() {
        for child in &known.children {
            let Some(reason) = child.known.entry.gap().filter(|_| &*child.name != b".git") else { continue };
            if let Ok(path) = folder.child(&child.name) {
                gaps.insert(NamedGap { path: path.as_bytes().to_vec(), reason });
            }
        }
    }
    Ok(gaps.into_iter().filter(|gap| gap.reason != Reason::NotCapturedYet || is_uncaptured(index, gap)).collect())
}

/// What was missed once and has been captured since is no gap any more.
fn is_uncaptured(index: &Index, gap: &NamedGap) -> bool {
    WorkspacePath::new(gap.path.clone()).map_or(true, |path| !index.entry(&path).is_covered())
}

pub(super) fn effects(reader: &Reader<'_>, choice: &Choice, order: &Order) -> Result<Vec<NamedEffect>, StoreError> {
    if matches!(order.selection, Selection::Redo { .. }) {
        return Ok(Vec::new());
    }
    let mut effects = Vec::new();
    for id in &choice.steps {
        let Some(command) = reader.step(*id)?.and_then(|step| step.command) else { continue };
        effects.extend(effects_of(&command).into_iter().map(|effect| NamedEffect {
            step: Some(*id),
            class: effect.class,
            summary: effect.summary,
        }));
    }
    let first = choice.turns.first().map(|turn| reader.turn(*turn)).transpose()?.flatten();
    if let Some(turn) = first {
        effects.extend(heads::moved_since(reader, turn.started_ns)?);
    }
    Ok(effects)
}
