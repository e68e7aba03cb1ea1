//! Who made a transition, and how well that is known.

use crate::{OperationId, StepId};

/// Who made a transition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Cause {
    /// One step of an agent.
    Step(StepId),
    /// The user or another program.
    Outside,
    /// Any of these: several windows were open.
    Contested {
        /// The candidate steps, sorted, without repetition.
        steps: Vec<StepId>,
        /// Whether the user or another program is a candidate too.
        or_outside: bool,
    },
    /// An operation of takeback itself.
    Operation(OperationId),
}

impl Cause {
    /// The steps that may have made the transition; empty for the outside and for operations.
    pub fn candidate_steps(&self) -> &[StepId] {
        match self {
            Cause::Step(step) => std::slice::from_ref(step),
            Cause::Contested { steps, .. } => steps,
            Cause::Outside | Cause::Operation(_) => &[],
        }
    }

    /// Whether this is certainly the work of one of these steps: every candidate is among them.
    pub fn lies_within(&self, is_chosen: impl Fn(&StepId) -> bool) -> bool {
        match self {
            Cause::Step(step) => is_chosen(step),
            Cause::Contested { steps, or_outside } => !or_outside && steps.iter().all(is_chosen),
            Cause::Outside | Cause::Operation(_) => false,
        }
    }
}

/// How well a cause is known; a later kind is weaker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The tool named the path, or nobody else could have written.
    Exact,
    /// Seen while only this window was open.
    Window,
    /// Seen after the window had to be closed from outside.
    Late,
    /// Several windows were open.
    Contested,
}

impl Evidence {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            Evidence::Exact => "exact",
            Evidence::Window => "window",
            Evidence::Late => "late",
            Evidence::Contested => "contested",
        }
    }
}
