//! Who else is concerned by what would be taken back: later changes that need it, steps that read it, and those who may
//! have made it. Named only; the plan does not depend on it.

use std::collections::{BTreeMap, BTreeSet};

use decide::Dependent;
use model::{Cause, Plan, Reason, Seq, StepId, Transition, WorkspacePath};
use store::{Reader, Step, StoreError};

use crate::choice::Choice;
use crate::order::{Order, Selection};
use crate::report::{NamedContest, NamedDependent, NamedReader};
use crate::workspace::Workspace;

/// The later changes that need what would be taken back, by path and by who made them.
pub(super) fn named_dependents(dependents: &[Dependent], ledger: &[Transition]) -> Vec<NamedDependent> {
    let causes: BTreeMap<Seq, &Cause> = ledger.iter().map(|transition| (transition.seq, &transition.cause)).collect();
    dependents
        .iter()
        .map(|dependent| {
            let mut named = NamedDependent::at(dependent.path.clone());
            for cause in dependent.seqs.iter().filter_map(|seq| causes.get(seq)) {
                match cause {
                    Cause::Step(step) => _ = named.steps.insert(*step),
                    Cause::Operation(operation) => _ = named.operations.insert(*operation),
                    Cause::Outside => named.is_outside = true,
                    Cause::Contested { steps, or_outside } => {
                        named.steps.extend(steps);
                        named.is_outside |= or_outside;
                    }
                }
            }
            named
        })
        .collect()
}

/// The steps that can be taken along: those that certainly made a later change that needs what goes.
pub(super) fn steps_to_take_along(dependents: &[NamedDependent], choice: &Choice) -> Vec<StepId> {
    let steps: BTreeSet<StepId> = dependents.iter().flat_map(|dependent| &dependent.steps).copied().collect();
    steps.into_iter().filter(|step| !choice.steps.contains(step)).collect()
}

/// The paths of which it is not clear who changed them, and that are kept for this reason, with all who may have.
pub(super) fn contests(choice: &Choice) -> Vec<NamedContest> {
    let mut by_path: BTreeMap<&WorkspacePath, NamedContest> = BTreeMap::new();
    let contested = choice.named.iter().filter(|(_, reason)| **reason == Reason::Contested);
    for transition in contested.filter_map(|(seq, _)| choice.transitions.get(seq)) {
        let new = || NamedContest::at(transition.path.clone());
        let contest = by_path.entry(&transition.path).or_insert_with(new);
        contest.steps.extend(transition.cause.candidate_steps());
        contest.or_outside |= matches!(transition.cause, Cause::Contested { or_outside: true, .. });
    }
    by_path.into_values().collect()
}

/// Later steps that were told to read what would be taken back, as far as their arguments say. Only where something is
/// taken out of the middle: whatever is undone from the end has no later steps.
pub(super) fn readers(
    workspace: &Workspace,
    reader: &Reader<'_>,
    choice: &Choice,
    plan: &Plan,
    order: &Order,
) -> Result<Vec<NamedReader>, StoreError> {
    let is_selective = matches!(order.selection, Selection::Revert { .. } | Selection::UndoSteps { .. });
    let first = choice.steps.first().filter(|_| is_selective && !plan.changes.is_empty());
    let Some(first) = first.map(|id| reader.step(*id)).transpose()?.flatten() else { return Ok(Vec::new()) };
    let mut readers = Vec::new();
    for step in reader.reading_steps_since(first.started_ns)? {
        let is_later = step.id != first.id && !choice.steps.contains(&step.id);
        let changed = plan.changes.iter().filter(|change| change.before.content() != change.after.content());
        let read = changed.map(|change| &change.path).filter(|path| reads(workspace, &step, path));
        readers.extend(read.filter(|_| is_later).map(|path| NamedReader { step: step.id, path: path.clone() }));
    }
    Ok(readers)
}

/// Whether a step names a path among what it reads, or a folder above it; or as a word of its command.
fn reads(workspace: &Workspace, step: &Step, path: &WorkspacePath) -> bool {
    let is_named = step.reads.iter().any(|read| path == read || (!read.is_root() && path.is_at_or_below(read)));
    is_named || step.command.as_deref().is_some_and(|command| is_word_of(command, path, workspace))
}

fn is_word_of(command: &str, path: &WorkspacePath, workspace: &Workspace) -> bool {
    let root = workspace.root_path();
    words_read(command).any(|word| {
        let relative = std::path::Path::new(word).strip_prefix(root).ok().and_then(|rest| rest.to_str());
        let word = relative.unwrap_or_else(|| word.trim_start_matches("./"));
        word.as_bytes() == path.as_bytes()
    })
}

/// The words of a command line, but for those that output is sent to.
fn words_read(command: &str) -> impl Iterator<Item = &str> {
    let is_between = |c: char| c.is_whitespace() || "'\"`;|&<>()=".contains(c);
    let mut is_sent_to = false;
    command.split_inclusive(is_between).filter_map(move |piece| {
        let word = piece.trim_end_matches(is_between);
        let was_sent_to = is_sent_to;
        is_sent_to = piece.ends_with('>') || (was_sent_to && word.is_empty());
        Some(word).filter(|word| !word.is_empty() && !was_sent_to)
    })
}
