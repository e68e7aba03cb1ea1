//! From an order to the set S: which transitions are to be taken back, and which must be named although they are kept.
//! The rules are in `decide`; here the rows are looked up.

mod hunks;
mod units;

use std::collections::{BTreeMap, BTreeSet};

use decide::{Part, Reverses, selection};
use model::{Cause, Contents, HeadId, OperationId, Reason, Seq, SessionId, StepId, Transition, TurnId, WorkspacePath};
use store::{OperationState, Reader, StoreError};

use crate::error::OrderError;
use crate::history;
use crate::order::{CheckpointName, Maker, Order, Permits, RevertTarget, Selection};
use crate::talk;

/// What an order means in the ledger.
#[derive(Debug, Clone, Default)]
pub(crate) struct Choice {
    /// The turns it is about, the oldest first.
    pub(crate) turns: Vec<TurnId>,
    /// The operations it brings back.
    pub(crate) operations: Vec<OperationId>,
    /// For a switch: the turns of the other version.
    pub(crate) brings: Vec<TurnId>,
    /// S: the standing transitions to be taken back.
    pub(crate) chosen: BTreeSet<Seq>,
    /// Parts of standing transitions to be taken back, by the last transition of each change.
    pub(crate) parts: BTreeMap<Seq, Part>,
    /// Transitions that are kept and must be named.
    pub(crate) named: BTreeMap<Seq, Reason>,
    /// All of these, by their number.
    pub(crate) transitions: BTreeMap<Seq, Transition>,
    /// The steps whose effects outside of the workspace are to be named.
    pub(crate) steps: BTreeSet<StepId>,
    /// Whether the order has something to cut out of the conversation although no file may move.
    pub(crate) withdraws_turns: bool,
    /// Of every transition that was looked at, the chosen ones among those who may have made it.
    asked: BTreeMap<Seq, BTreeSet<StepId>>,
    /// Whether what chosen steps only may have made is chosen as well.
    pub(crate) include_contested: bool,
}

/// Looks up what an order means for a session.
pub(crate) fn choose(
    reader: &Reader<'_>,
    contents: &dyn Contents,
    session: SessionId,
    order: &Order,
) -> Result<Choice, OrderError> {
    let mut choice = Choice { include_contested: order.permits.include_contested, ..Choice::default() };
    match &order.selection {
        Selection::UndoTurns { count } => {
            let past = history::history_to_undo(reader, session, *count)?;
            let turns = selection::turns_to_undo(&past, order.scope, *count);
            take_turns(reader, &turns, &mut choice)?;
        }
        Selection::UndoSteps { count } => {
            let steps = units::steps_to_undo(reader, session, *count)?;
            take_steps(reader, &steps, &mut choice)?;
        }
        Selection::Rewind { turn } => {
            let past = history::history(reader, session)?;
            if !past.turns.contains(turn) {
                return Err(unknown("turn of this session", turn));
            }
            take_turns(reader, &selection::turns_to_rewind(&past, order.scope, *turn), &mut choice)?;
        }
        Selection::Redo { count } => {
            let past = history::history_to_redo(reader, session)?;
            take_operations(reader, &selection::operations_to_redo(&past, order.scope, *count), &mut choice)?;
        }
        Selection::Revert { targets } => {
            for target in targets {
                take_target(reader, contents, session, target, &mut choice)?;
            }
        }
        Selection::Switch { head } => take_version(reader, session, *head, &mut choice)?,
        Selection::Restore { checkpoint, paths } => {
            take_since(reader, checkpoint, paths, order, &mut choice)?;
            return Ok(choice);
        }
    }
    keep_standing(reader, &mut choice)?;
    Ok(choice)
}

fn unknown(what: &'static str, name: impl ToString) -> OrderError {
    OrderError::Unknown { what, name: name.to_string() }
}

fn take_turns(reader: &Reader<'_>, turns: &[TurnId], choice: &mut Choice) -> Result<(), StoreError> {
    let are_chosen: BTreeSet<TurnId> = turns.iter().copied().collect();
    for turn in &are_chosen {
        let transitions = reader.transitions_of_turn(*turn)?;
        take(transitions, |step| are_chosen.contains(&step.turn), choice);
        choice.steps.extend(reader.steps_of(*turn)?.into_iter().map(|step| step.id));
    }
    choice.turns.extend(are_chosen);
    choice.withdraws_turns |= !turns.is_empty();
    Ok(())
}

/// Takes the turns that only the present version has, and brings those that only the other one has: what holds these
/// back is to be taken back.
fn take_version(reader: &Reader<'_>, session: SessionId, head: HeadId, choice: &mut Choice) -> Result<(), OrderError> {
    let target = reader.head(head)?.filter(|head| head.session == session).ok_or_else(|| unknown("version", head))?;
    let present = reader.selected_head(session)?;
    let here = talk::turns_on(reader, present.as_ref().and_then(|head| head.tip))?;
    let there = talk::turns_on(reader, target.tip)?;
    let leaving: Vec<TurnId> = here.difference(&there).copied().collect();
    choice.brings = there.difference(&here).copied().collect();
    let holding = take_holding(reader, choice)?;
    take_turns(reader, &leaving, choice)?;
    choice.withdraws_turns = present.is_none_or(|present| present.id != target.id);
    leave_what_goes_anyway(reader, &holding, choice)?;
    Ok(())
}

/// Chooses the standing transitions that hold back the work of the turns that are brought.
fn take_holding(reader: &Reader<'_>, choice: &mut Choice) -> Result<BTreeSet<Seq>, StoreError> {
    let mut own = BTreeSet::new();
    for turn in &choice.brings {
        own.extend(reader.transitions_of_turn(*turn)?.iter().map(|transition| transition.seq));
    }
    let links = links_upon(reader, &own)?;
    let holding: BTreeSet<Seq> = links.iter().filter(|link| own.contains(&link.taken)).map(|link| link.by).collect();
    let holding = decide::standing(&links, &holding);
    let places: Vec<Seq> = holding.iter().copied().collect();
    for transition in reader.transitions_by_seq(&places)? {
        choice.chosen.insert(transition.seq);
        choice.transitions.insert(transition.seq, transition);
    }
    Ok(holding)
}

/// What an earlier undo holds back again, once what held that undo back is gone, must not be taken back a second time.
fn leave_what_goes_anyway(reader: &Reader<'_>, holding: &BTreeSet<Seq>, choice: &mut Choice) -> Result<(), StoreError> {
    let mut links = links_upon(reader, &choice.chosen)?;
    links.extend(holding.iter().map(|taken| Reverses { by: Seq(u64::MAX), taken: *taken }));
    let left = decide::standing(&links, &choice.chosen);
    choice.chosen.retain(|seq| holding.contains(seq) || left.contains(seq));
    Ok(())
}

fn take_steps(reader: &Reader<'_>, steps: &[StepId], choice: &mut Choice) -> Result<(), StoreError> {
    let are_chosen: BTreeSet<StepId> = steps.iter().copied().collect();
    for step in &are_chosen {
        take(reader.transitions_of_step(*step)?, |candidate| are_chosen.contains(candidate), choice);
    }
    choice.steps.extend(are_chosen);
    Ok(())
}

/// Chooses more steps than an order named.
pub(crate) fn take_along(reader: &Reader<'_>, steps: &[StepId], choice: &mut Choice) -> Result<(), StoreError> {
    take_steps(reader, steps, choice)?;
    keep_standing(reader, choice)
}

fn take_operations(reader: &Reader<'_>, ids: &[OperationId], choice: &mut Choice) -> Result<(), StoreError> {
    for id in ids {
        for transition in reader.transitions_of_operation(*id)? {
            choice.chosen.insert(transition.seq);
            choice.transitions.insert(transition.seq, transition);
        }
        if let Some(operation) = reader.operation(*id)? {
            choice.turns.extend(operation.turns);
        }
        choice.operations.push(*id);
    }
    choice.turns.sort_unstable();
    choice.turns.dedup();
    Ok(())
}

fn take_target(
    reader: &Reader<'_>,
    contents: &dyn Contents,
    session: SessionId,
    target: &RevertTarget,
    choice: &mut Choice,
) -> Result<(), OrderError> {
    match target {
        RevertTarget::Turn(turn) => {
            reader.turn(*turn)?.ok_or_else(|| unknown("turn", turn))?;
            take_turns(reader, &[*turn], choice)?;
            choice.withdraws_turns = false;
        }
        RevertTarget::Step(step) => {
            reader.step(*step)?.ok_or_else(|| unknown("step", step))?;
            take_steps(reader, &units::with_subagents(reader, *step)?, choice)?;
        }
        RevertTarget::Operation(id) => {
            let known = reader.operation(*id)?.filter(|operation| operation.state == OperationState::Committed);
            known.ok_or_else(|| unknown("operation", id))?;
            take_operations(reader, &[*id], choice)?;
            choice.operations.clear();
        }
        RevertTarget::PathOfTurn(turn, path) => take_path(reader, Maker::Turn(*turn), path, choice)?,
        RevertTarget::PathOfStep(step, path) => take_path(reader, Maker::Step(*step), path, choice)?,
        RevertTarget::Hunk { of, path, number } => {
            hunks::take_hunk(reader, contents, (*of, path, *number), choice)?;
        }
        RevertTarget::SubagentOrPath(name) => take_subagent_or_path(reader, session, name, choice)?,
    }
    Ok(())
}

/// What a turn or step did at a path and below it.
fn take_path(reader: &Reader<'_>, maker: Maker, path: &WorkspacePath, choice: &mut Choice) -> Result<(), OrderError> {
    let below = at_or_below(transitions_of(reader, maker)?, std::slice::from_ref(path));
    if below.is_empty() {
        return Err(unknown("path of it", path));
    }
    take(below, |step| maker.has(*step), choice);
    Ok(())
}

/// Everything that a turn or step did, or may have done.
fn transitions_of(reader: &Reader<'_>, maker: Maker) -> Result<Vec<Transition>, OrderError> {
    match maker {
        Maker::Turn(turn) => {
            reader.turn(turn)?.ok_or_else(|| unknown("turn", turn))?;
            Ok(reader.transitions_of_turn(turn)?)
        }
        Maker::Step(step) => {
            reader.step(step)?.ok_or_else(|| unknown("step", step))?;
            Ok(reader.transitions_of_step(step)?)
        }
    }
}

fn take_subagent_or_path(
    reader: &Reader<'_>,
    session: SessionId,
    name: &str,
    choice: &mut Choice,
) -> Result<(), OrderError> {
    let steps = units::steps_of_subagent(reader, session, name)?;
    if !steps.is_empty() {
        return Ok(take_steps(reader, &steps, choice)?);
    }
    let path = WorkspacePath::new(name).map_err(|_| unknown("turn, step, operation, subagent or path", name))?;
    let candidates = reader.transitions_below_since(&path, Seq(0))?;
    let turns: BTreeSet<TurnId> =
        candidates.iter().flat_map(|one| one.cause.candidate_steps()).map(|step| step.turn).collect();
    let are_ours = history::turns_of_lineage(reader, session, turns)?;
    let is_ours = |step: &StepId| are_ours.contains(&step.turn);
    let ours: Vec<Transition> =
        candidates.into_iter().filter(|transition| transition.cause.candidate_steps().iter().any(is_ours)).collect();
    if ours.is_empty() {
        return Err(unknown("turn, step, operation, subagent or path", name));
    }
    take(ours, is_ours, choice);
    Ok(())
}

/// Everything since a checkpoint: outside edits are kept and named unless they were asked for.
///
/// What was taken back since then is in S together with what took it back, whoever made it: one without the other would
/// lead past the checkpoint.
fn take_since(
    reader: &Reader<'_>,
    checkpoint: &CheckpointName,
    paths: &[WorkspacePath],
    order: &Order,
    choice: &mut Choice,
) -> Result<(), OrderError> {
    let found = match checkpoint {
        CheckpointName::Id(id) => reader.checkpoint(*id)?.ok_or_else(|| unknown("checkpoint", id))?,
        CheckpointName::Name(name) => reader.checkpoint_by_name(name)?.ok_or_else(|| unknown("checkpoint", name))?,
    };
    let since = at_or_below(reader.transitions_since(found.last_seq)?, paths);
    let reason = |transition: &Transition| reason_to_keep(&transition.cause, order.permits);
    let keepable = since.iter().filter(|transition| reason(transition).is_some());
    let standing = standing_among(reader, keepable.map(|transition| transition.seq))?;
    for transition in since {
        choice.steps.extend(transition.cause.candidate_steps());
        match reason(&transition).filter(|_| standing.contains(&transition.seq)) {
            Some(reason) => _ = choice.named.insert(transition.seq, reason),
            None => _ = choice.chosen.insert(transition.seq),
        }
        choice.transitions.insert(transition.seq, transition);
    }
    Ok(())
}

/// Why a restore keeps what was, or may have been, made outside.
fn reason_to_keep(cause: &Cause, permits: Permits) -> Option<Reason> {
    let Permits { include_outside, include_contested, .. } = permits;
    match cause {
        Cause::Outside if !include_outside => Some(Reason::EditedOutside),
        Cause::Contested { or_outside: true, .. } if !include_outside && !include_contested => Some(Reason::Contested),
        Cause::Outside | Cause::Step(_) | Cause::Contested { .. } | Cause::Operation(_) => None,
    }
}

fn at_or_below(transitions: Vec<Transition>, paths: &[WorkspacePath]) -> Vec<Transition> {
    let fits = |path: &WorkspacePath| paths.is_empty() || paths.iter().any(|top| path.is_at_or_below(top));
    transitions.into_iter().filter(|transition| fits(&transition.path)).collect()
}

/// Chooses the transitions whose candidates are all chosen; of the others that may be chosen steps' work, names them.
fn take(transitions: Vec<Transition>, is_chosen: impl Fn(&StepId) -> bool, choice: &mut Choice) {
    for transition in transitions {
        // Of several targets each may name a candidate: all of them together decide.
        let asked = choice.asked.entry(transition.seq).or_default();
        asked.extend(transition.cause.candidate_steps().iter().filter(|step| is_chosen(step)));
        let may_be = choice.include_contested && !asked.is_empty();
        if may_be || transition.cause.lies_within(|step| asked.contains(step)) {
            choice.chosen.insert(transition.seq);
            choice.named.remove(&transition.seq);
        } else if !choice.chosen.contains(&transition.seq) {
            choice.named.insert(transition.seq, Reason::Contested);
        }
        choice.transitions.insert(transition.seq, transition);
    }
}

/// What a standing later transition has taken back is no longer there to be taken.
fn keep_standing(reader: &Reader<'_>, choice: &mut Choice) -> Result<(), StoreError> {
    let standing = standing_among(reader, choice.transitions.keys().copied())?;
    choice.chosen.retain(|seq| standing.contains(seq));
    choice.named.retain(|seq, _| standing.contains(seq));
    let Choice { parts, chosen, .. } = choice;
    parts.retain(|seq, _| standing.contains(seq) && !chosen.contains(seq));
    Ok(())
}

fn standing_among(reader: &Reader<'_>, asked: impl Iterator<Item = Seq>) -> Result<BTreeSet<Seq>, StoreError> {
    let asked: BTreeSet<Seq> = asked.collect();
    Ok(decide::standing(&links_upon(reader, &asked)?, &asked))
}

/// Who lists these transitions, who lists those, and so on.
fn links_upon(reader: &Reader<'_>, places: &BTreeSet<Seq>) -> Result<Vec<Reverses>, StoreError> {
    let places: Vec<Seq> = places.iter().copied().collect();
    Ok(reader.reversals_upon(&places)?.into_iter().map(|(by, taken)| Reverses { by, taken }).collect())
}
