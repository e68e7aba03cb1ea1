//! [`Moment`]: whose barrier this is and which windows it closes. Values only; the barrier itself is `recording`.

use std::collections::BTreeMap;

use decide::attribution::Closing;
use model::{ContentHash, OperationId, SessionId, StepId, TurnId, WorkspacePath};

/// One barrier, as the ledger notes it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Moment {
    /// What is happening, in the words of the events.
    pub(crate) event: &'static str,
    /// Whose session.
    pub(crate) session: Option<SessionId>,
    /// In which turn.
    pub(crate) turn: Option<TurnId>,
    /// Around which step.
    pub(crate) step: Option<StepId>,
    /// The windows that are closed here.
    pub(crate) closing: BTreeMap<StepId, Closing>,
    /// What a structured tool says the file held right before it wrote.
    pub(crate) original: Option<Original>,
    /// Everything seen here was done by this operation of ours.
    pub(crate) operation: Option<OperationId>,
}

/// The content a structured tool found where it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Original {
    /// The paths the tool claimed.
    pub(crate) paths: Vec<WorkspacePath>,
    /// The text it found, as it read it.
    pub(crate) text: String,
    /// The name of that text as content.
    pub(crate) content: ContentHash,
}

impl Moment {
    /// A barrier that closes nothing.
    pub(crate) fn of(event: &'static str, session: Option<SessionId>) -> Self {
        Self { event, session, ..Self::default() }
    }
}
