//! Subagents and the calls that started them: what belongs together when steps are taken back one by one.

use std::collections::{BTreeMap, BTreeSet};

use model::StepId;

/// The subagents of one session, each with who started it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dispatches(BTreeMap<String, Dispatch>);

/// Who started a subagent, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// The call.
    pub step: Option<StepId>,
    /// The subagent that made the call; none for the main agent.
    pub parent: Option<String>,
}

impl Dispatches {
    /// The subagents by their ids.
    pub fn new(dispatches: impl IntoIterator<Item = (String, Dispatch)>) -> Self {
        Self(dispatches.into_iter().collect())
    }

    /// The unit that a step belongs to, by the step it begins with: a step of the main agent is one with everything that
    /// was done by subagents it started, and by those that they started. What a subagent did of which nobody knows who
    /// started it is taken step by step.
    pub fn unit(&self, step: StepId, agent: Option<&str>) -> StepId {
        let calls = self.line(agent).into_iter().rev();
        calls.filter_map(|agent| self.0.get(agent).and_then(|dispatch| dispatch.step)).next().unwrap_or(step)
    }

    /// Whether a subagent was started by this call, or by one that was.
    pub fn is_started_by(&self, agent: Option<&str>, call: StepId) -> bool {
        self.line(agent).iter().any(|agent| self.0.get(*agent).is_some_and(|known| known.step == Some(call)))
    }

    /// A subagent, as far as it is known, and those that were started by it or by one that was.
    pub fn below<'a>(&'a self, top: &str) -> impl Iterator<Item = &'a str> {
        self.0.keys().map(String::as_str).filter(move |agent| self.line(Some(agent)).contains(&top))
    }

    /// A subagent and those above it, the innermost first. Ids that are not known end the way; a circle cannot loop.
    fn line<'a>(&'a self, agent: Option<&'a str>) -> Vec<&'a str> {
        let mut line = Vec::new();
        let mut seen = BTreeSet::new();
        let mut next = agent;
        while let Some(agent) = next.filter(|agent| seen.insert(*agent)) {
            line.push(agent);
            next = self.0.get(agent).and_then(|dispatch| dispatch.parent.as_deref());
        }
        line
    }
}

/// The last `count` units among those that hold standing changes.
pub fn units_to_undo(standing: &[StepId], count: usize) -> BTreeSet<StepId> {
    let units: BTreeSet<StepId> = standing.iter().copied().collect();
    units.into_iter().rev().take(count).collect()
}

#[cfg(test)]
mod tests {
    use model::TurnId;

    use super::*;

    fn step(number: u32) -> StepId {
        StepId { turn: TurnId(1), number }
    }

    fn dispatches() -> Dispatches {
        let dispatch = |step, parent: Option<&str>| Dispatch { step, parent: parent.map(str::to_owned) };
        Dispatches::new([
            ("child".to_owned(), dispatch(Some(step(2)), None)),
            ("grandchild".to_owned(), dispatch(Some(step(4)), Some("child"))),
            ("stray".to_owned(), dispatch(None, None)),
            ("one".to_owned(), dispatch(None, Some("other"))),
            ("other".to_owned(), dispatch(None, Some("one"))),
        ])
    }

    #[test]
    fn what_nested_subagents_did_belongs_to_the_call_of_the_main_agent() {
        let all = dispatches();
        assert_eq!(all.unit(step(1), None), step(1));
        assert_eq!(all.unit(step(3), Some("child")), step(2));
        assert_eq!(all.unit(step(5), Some("grandchild")), step(2));
        assert!(all.is_started_by(Some("grandchild"), step(4)) && all.is_started_by(Some("grandchild"), step(2)));
        assert!(!all.is_started_by(Some("child"), step(4)) && !all.is_started_by(None, step(2)));
        assert_eq!(all.below("child").collect::<Vec<_>>(), ["child", "grandchild"]);
        assert_eq!(all.below("nobody knows").count(), 0);
    }

    #[test]
    fn what_a_subagent_of_unknown_origin_did_is_taken_step_by_step_and_a_circle_ends() {
        let all = dispatches();
        assert_eq!(all.unit(step(6), Some("stray")), step(6));
        assert_eq!(all.unit(step(6), Some("nobody knows")), step(6));
        assert_eq!(all.unit(step(6), Some("one")), step(6));
    }

    #[test]
    fn the_newest_units_are_taken_each_once() {
        let standing = [step(2), step(7), step(1), step(2)];
        assert_eq!(units_to_undo(&standing, 2), BTreeSet::from([step(7), step(2)]));
        assert_eq!(units_to_undo(&standing, 9).len(), 3);
    }
}
