//! The part of the ledger that a reversal needs: the chains of what is chosen, with the evidence as it is known today.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use model::{Cause, Entry, Evidence, Index, Mode, Move, Seq, StepId, Transition, Tree, WorkspacePath};
use store::{Reader, StoreError};

use crate::choice::Choice;

/// Up to this many transitions more than chosen, the whole ledger since the oldest is read instead of path by path.
const BULK_MARGIN: u64 = 5_000;

/// Every transition that the chains of the chosen and named ones need, with both ends of moves.
pub(super) fn ledger_of(reader: &Reader<'_>, choice: &Choice) -> Result<Vec<Transition>, StoreError> {
    let Some(oldest) = choice.transitions.keys().next().copied() else { return Ok(Vec::new()) };
    let before = Seq(oldest.0.saturating_sub(1));
    let span = reader.last_seq()?.0.saturating_sub(before.0);
    if span <= choice.transitions.len() as u64 * 4 + BULK_MARGIN {
        return reader.transitions_since(before);
    }
    let mut ledger: BTreeMap<Seq, Transition> = BTreeMap::new();
    let mut open: Vec<WorkspacePath> = choice.transitions.values().map(|t| t.path.clone()).collect();
    let mut seen: BTreeSet<WorkspacePath> = BTreeSet::new();
    while let Some(path) = open.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        for transition in reader.transitions_of_path_since(&path, before)? {
            if let Some(Move::From(other) | Move::To(other)) = &transition.moved {
                open.push(other.clone());
            }
            ledger.insert(transition.seq, transition);
        }
    }
    Ok(ledger.into_values().collect())
}

/// A step that never told of its end is weak evidence, also for what was seen while it seemed to run.
pub(super) fn weakened(reader: &Reader<'_>, mut ledger: Vec<Transition>) -> Result<Vec<Transition>, StoreError> {
    let mut has_ended: HashMap<StepId, bool> = HashMap::new();
    for transition in &mut ledger {
        let Cause::Step(id) = transition.cause else { continue };
        let is_known = match has_ended.get(&id) {
            Some(is_known) => *is_known,
            None => {
                let is_known = reader.step(id)?.is_none_or(|step| step.ended_ns.is_some());
                has_ended.insert(id, is_known);
                is_known
            }
        };
        if !is_known {
            transition.evidence = transition.evidence.max(Evidence::Late);
        }
    }
    Ok(ledger)
}

/// The last known modes of folders that were taken away above the paths concerned.
pub(super) fn folder_modes(
    reader: &Reader<'_>,
    ledger: &[Transition],
    index: &Index,
) -> Result<HashMap<WorkspacePath, Mode>, StoreError> {
    let mut modes = HashMap::new();
    let above: BTreeSet<WorkspacePath> = ledger.iter().flat_map(|transition| transition.path.ancestors()).collect();
    for folder in above.into_iter().filter(|folder| index.entry(folder).is_absent()) {
        let past = reader.transitions_of_path_since(&folder, Seq(0))?;
        let mode = past.iter().rev().find_map(|transition| match (&transition.after, &transition.before) {
            (Entry::Dir { mode }, _) | (_, Entry::Dir { mode }) => Some(*mode),
            _ => None,
        });
        modes.extend(mode.map(|mode| (folder, mode)));
    }
    Ok(modes)
}
