//! Steps with what belongs to them: a call that started subagents is one with what they did.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use decide::dispatch::{Dispatch, Dispatches, units_to_undo};
use decide::selection;
use model::{Scope, SessionId, StepId, TurnId};
use store::{Reader, Step, StoreError};

use super::{Choice, keep_standing, take_turns};
use crate::history;

/// The session's last `count` units that changed files and whose changes still stand, as their steps.
pub(super) fn steps_to_undo(reader: &Reader<'_>, session: SessionId, count: usize) -> Result<Vec<StepId>, StoreError> {
    let past = history::history(reader, session)?;
    let mut known = Known::default();
    let mut standing: Vec<StepId> = Vec::new();
    let mut turns = Vec::new();
    for turn in selection::turns_to_undo(&past, Scope::Files, usize::MAX) {
        if standing.iter().collect::<BTreeSet<_>>().len() >= count {
            break;
        }
        turns.push(turn);
        for steps in standing_changes(reader, turn)? {
            standing.extend(known.common_unit(reader, &steps)?);
        }
    }
    let units = units_to_undo(&standing, count);
    steps_among(reader, &turns, &mut known, |dispatches, step| {
        units.contains(&dispatches.unit(step.id, step.agent_id.as_deref()))
    })
}

/// A step with everything that the subagents it started did.
pub(super) fn with_subagents(reader: &Reader<'_>, call: StepId) -> Result<Vec<StepId>, StoreError> {
    steps_among(reader, &[call.turn], &mut Known::default(), |dispatches, step| {
        step.id == call || dispatches.is_started_by(step.agent_id.as_deref(), call)
    })
}

/// The steps of a subagent of the session, and of those that it started. Cost does not grow with what came before.
pub(super) fn steps_of_subagent(
    reader: &Reader<'_>,
    session: SessionId,
    agent: &str,
) -> Result<Vec<StepId>, StoreError> {
    let mut steps = Vec::new();
    for (ancestor, until) in history::lineage(reader, session)? {
        let dispatches = dispatches_of(reader, ancestor.id)?;
        let mut agents: BTreeSet<&str> = dispatches.below(agent).collect();
        agents.insert(agent);
        for agent in agents {
            let own = reader.steps_of_agent(ancestor.id, agent)?.into_iter().map(|step| step.id);
            steps.extend(own.filter(|step| until.is_none_or(|until| step.turn <= until)));
        }
    }
    Ok(steps)
}

/// The subagents of the sessions that were asked about.
#[derive(Default)]
struct Known(BTreeMap<SessionId, Dispatches>);

impl Known {
    fn dispatches(&mut self, reader: &Reader<'_>, session: SessionId) -> Result<&Dispatches, StoreError> {
        Ok(match self.0.entry(session) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(dispatches_of(reader, session)?),
        })
    }

    /// The unit that certainly made a change.
    fn common_unit(&mut self, reader: &Reader<'_>, steps: &[StepId]) -> Result<Option<StepId>, StoreError> {
        let mut units = BTreeSet::new();
        for id in steps {
            if let Some(step) = reader.step(*id)? {
                units.insert(self.dispatches(reader, step.session)?.unit(*id, step.agent_id.as_deref()));
            }
        }
        let is_certain = units.len() == 1;
        Ok(units.into_iter().next().filter(|_| is_certain))
    }
}

fn dispatches_of(reader: &Reader<'_>, session: SessionId) -> Result<Dispatches, StoreError> {
    let mut all = Vec::new();
    for subagent in reader.subagents_of(session)? {
        let call = subagent.dispatch.map(|step| reader.step(step)).transpose()?.flatten();
        let parent = subagent.parent_agent.or_else(|| call.and_then(|step| step.agent_id));
        all.push((subagent.agent_id, Dispatch { step: subagent.dispatch, parent }));
    }
    Ok(Dispatches::new(all))
}

fn steps_among(
    reader: &Reader<'_>,
    turns: &[TurnId],
    known: &mut Known,
    fits: impl Fn(&Dispatches, &Step) -> bool,
) -> Result<Vec<StepId>, StoreError> {
    let mut steps = Vec::new();
    for turn in turns {
        for step in reader.steps_of(*turn)? {
            if fits(known.dispatches(reader, step.session)?, &step) {
                steps.push(step.id);
            }
        }
    }
    Ok(steps)
}

/// The steps that may have made each change of a turn that still stands.
fn standing_changes(reader: &Reader<'_>, turn: TurnId) -> Result<BTreeSet<Vec<StepId>>, StoreError> {
    let mut choice = Choice::default();
    take_turns(reader, &[turn], &mut choice)?;
    keep_standing(reader, &mut choice)?;
    let causes = choice.chosen.iter().filter_map(|seq| Some(&choice.transitions.get(seq)?.cause));
    Ok(causes.map(|cause| cause.candidate_steps().to_vec()).collect())
}
