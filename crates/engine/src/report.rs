//! [`Report`]: what an order did or would do, per file and per half. A value for any face; the wording is theirs.

use std::collections::BTreeSet;

use decide::effects::EffectClass;
use model::{Action, Evidence, FileResult, HeadId, OperationId, Outcome, Reason, StepId, TurnId, Verb, WorkspacePath};

use crate::order::Order;

/// What became of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How it ended.
    pub outcome: Outcome,
    /// The operation, if one was begun.
    pub operation: Option<OperationId>,
    /// What was asked.
    pub verb: Verb,
    /// The turns it concerns, the oldest first.
    pub turns: Vec<TurnId>,
    /// Every path it speaks of, sorted by path.
    pub files: Vec<FileReport>,
    /// What is not covered, sorted by path.
    pub gaps: Vec<NamedGap>,
    /// What left the workspace in the turns concerned and stays as it is.
    pub effects: Vec<NamedEffect>,
    /// Later changes that need what goes, where that is why something could not be taken back; sorted by path.
    pub dependents: Vec<NamedDependent>,
    /// Later steps that were told to read what goes, as far as their arguments say.
    pub readers: Vec<NamedReader>,
    /// The paths that are kept because it is not clear who changed them, with all who may have; sorted by path.
    pub contested: Vec<NamedContest>,
    /// The conversation half.
    pub conversation: ConversationReport,
    /// Steps of the session whose work may still be running in the background.
    pub background: Vec<StepId>,
    /// Why it was refused or failed, if it was.
    pub trouble: Option<Trouble>,
}

/// One path of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Where.
    pub path: WorkspacePath,
    /// What was or would be done.
    pub action: Action,
    /// What became of it.
    pub result: FileResult,
    /// Why, if there is something to say.
    pub reason: Option<Reason>,
    /// How well it is known whose change it was.
    pub evidence: Evidence,
}

/// Something that is not covered. The path may lie outside of the workspace; then it is absolute.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedGap {
    /// Where, as bytes relative to the workspace, or absolute.
    pub path: Vec<u8>,
    /// Why.
    pub reason: Reason,
}

/// An effect with the step that had it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedEffect {
    /// The step; none if it was not seen in a step.
    pub step: Option<StepId>,
    /// How it could be taken back, if at all.
    pub class: EffectClass,
    /// What it was.
    pub summary: String,
}

/// Later changes of one path that need what goes: they changed the same lines, or what it made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedDependent {
    /// Where.
    pub path: WorkspacePath,
    /// The steps that made, or may have made, them.
    pub steps: BTreeSet<StepId>,
    /// The operations that made them.
    pub operations: BTreeSet<OperationId>,
    /// Whether the user or another program made, or may have made, some.
    pub is_outside: bool,
}

/// A later step that was told to read what goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedReader {
    /// Which.
    pub step: StepId,
    /// What.
    pub path: WorkspacePath,
}

/// A path of which it is not clear who changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedContest {
    /// Where.
    pub path: WorkspacePath,
    /// The steps that may have.
    pub steps: BTreeSet<StepId>,
    /// Whether the user or another program may have, too.
    pub or_outside: bool,
}

/// What became of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationReport {
    /// How it ended.
    pub result: ConversationResult,
    /// The version the session stands on now, if that changed.
    pub head: Option<HeadId>,
    /// The prompts that were withdrawn, the oldest first. Each is handed back once, by the order that withdraws it.
    pub prompts: Vec<String>,
    /// What those prompts held beside their text, in the same order.
    pub attachments: Vec<Attachment>,
    /// Where an agent that keeps its conversation itself goes on; none for hosts whose conversation is kept here.
    pub at_agent: Option<AtAgent>,
}

/// What a prompt that was withdrawn held beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// The place of the prompt among those that were withdrawn.
    pub prompt: usize,
    /// All that the model got of it, text included, byte for byte as the host had given it.
    pub content: Vec<u8>,
}

/// Where an agent that keeps its conversation itself goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AtAgent {
    /// The agent's own id of the conversation from now on.
    pub native: String,
    /// The exact command that takes it up; none if the agent stands there already.
    pub resume: Option<String>,
    /// What a person types inside the agent's chat to stand there, if there is such a way.
    pub resume_in_chat: Option<String>,
    /// What went wrong when the agent was to be moved; the cut is staged all the same.
    pub trouble: Option<String>,
}

/// How the conversation half ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationResult {
    /// The next run gets the conversation without the turns; it can still be brought again.
    Staged,
    /// It was brought again.
    Done,
    /// It was not asked for, or nothing was to be done.
    Unchanged,
    /// It is not known where in the conversation the turn began.
    NoBoundary,
    /// The agent keeps it, and there is no way to move it there.
    Unsupported,
}

/// Why an order was not carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// The session's agent is running these steps.
    Busy {
        /// The steps whose windows are open.
        steps: Vec<StepId>,
    },
    /// It was asked for from inside an agent's step, which may not do that.
    InsideStep {
        /// What is not allowed there.
        what: &'static str,
    },
    /// The session's agent is at work, by its own files.
    AgentAtWork,
    /// Another operation, or a capture, holds the workspace.
    Locked {
        /// Who, as text for people.
        holder: String,
    },
    /// What would be done is no longer what was shown.
    Drift {
        /// The paths on which the plans differ.
        paths: Vec<WorkspacePath>,
    },
    /// It could not be carried out and was taken back.
    NotPerformed {
        /// What went wrong, as text for people.
        message: String,
    },
    /// It could not be carried out, and the way back is not complete either.
    NeedsRecovery {
        /// What is left to be done, as text for people.
        message: String,
    },
}

impl Report {
    /// An order that was not even looked into: nothing was changed.
    pub fn refused(order: &Order, trouble: Trouble) -> Self {
        Self { outcome: Outcome::Refused, trouble: Some(trouble), ..Self::nothing(order.selection.verb()) }
    }

    /// There is nothing to do.
    pub fn nothing(verb: Verb) -> Self {
        Self {
            outcome: Outcome::Nothing,
            operation: None,
            verb,
            turns: Vec::new(),
            files: Vec::new(),
            gaps: Vec::new(),
            effects: Vec::new(),
            dependents: Vec::new(),
            readers: Vec::new(),
            contested: Vec::new(),
            conversation: ConversationReport::unchanged(),
            background: Vec::new(),
            trouble: None,
        }
    }
}

impl NamedDependent {
    /// Nobody's changes of a path yet.
    pub(crate) fn at(path: WorkspacePath) -> Self {
        Self { path, steps: BTreeSet::new(), operations: BTreeSet::new(), is_outside: false }
    }
}

impl NamedContest {
    /// Nobody at a path yet.
    pub(crate) fn at(path: WorkspacePath) -> Self {
        Self { path, steps: BTreeSet::new(), or_outside: false }
    }
}

impl ConversationReport {
    /// The conversation was left as it is.
    pub(crate) fn unchanged() -> Self {
        Self {
            result: ConversationResult::Unchanged,
            head: None,
            prompts: Vec::new(),
            attachments: Vec::new(),
            at_agent: None,
        }
    }
}

impl ConversationResult {
    /// The stable code, as printed in JSON.
    pub fn code(self) -> &'static str {
        match self {
            ConversationResult::Staged => "staged",
            ConversationResult::Done => "done",
            ConversationResult::Unchanged => "unchanged",
            ConversationResult::NoBoundary => "no-boundary",
            ConversationResult::Unsupported => "unsupported",
        }
    }
}
