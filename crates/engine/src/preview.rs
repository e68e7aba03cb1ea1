//! PREVIEW: from an order to a plan, against the workspace as it is now. Writes nothing into it.

mod beyond;
mod ledger;

use agents::SignOfLife;
use decide::{ControlFiles, Reversal, reverse};
use model::{ConflictPolicy, Contents, FileResult, Index, Outcome, Plan, Scope, SessionId, StepId};
use store::{Reader, StoreError, WindowState};

use crate::apply::note_links;
use crate::choice::{Choice, choose};
use crate::driven::{self, Reach};
use crate::error::OrderError;
use crate::moment::Moment;
use crate::order::{Order, Permits};
use crate::record::settle;
use crate::report::{ConversationReport, ConversationResult, FileReport, NamedEffect, NamedGap, Report, Trouble};
use crate::sessions;
use crate::talk::{TalkPlan, meant, out_of_reach, talk_plan, within_reach};
use crate::workspace::Workspace;
use beyond::{effects, gaps};
use ledger::{folder_modes, ledger_of, weakened};

/// An order, worked out against the present.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    pub(crate) session: SessionId,
    pub(crate) choice: Choice,
    pub(crate) plan: Plan,
    pub(crate) policy: ConflictPolicy,
    /// Which halves really move: a conversation that is only informed does not.
    pub(crate) scope: Scope,
    pub(crate) index: Index,
    pub(crate) gaps: Vec<NamedGap>,
    pub(crate) effects: Vec<NamedEffect>,
    pub(crate) rescue: model::CheckpointId,
    pub(crate) background: Vec<StepId>,
    pub(crate) talk: TalkPlan,
}

impl Workspace {
    /// Says what an order would do. The workspace is looked at first, so the answer holds for this moment; nothing in it
    /// is written.
    pub fn preview(&self, order: &Order) -> Result<Report, OrderError> {
        let draft = self.draft(order)?;
        let trouble = self.forbidden_here(order).or(self.busy(order, draft.session)?);
        Ok(draft.report(order, trouble))
    }

    /// Looks at the workspace and works an order out.
    pub(crate) fn draft(&self, order: &Order) -> Result<Draft, OrderError> {
        self.draft_within(order, None)
    }

    /// The same, where it is known already how far the conversation can be moved.
    pub(crate) fn draft_within(&self, order: &Order, reach: Option<Reach>) -> Result<Draft, OrderError> {
        let settings = self.settings()?;
        let asked = &meant(order, &settings);
        let session = self.session_of(asked)?;
        driven::follow(self, session, driven::Look::Always)?;
        let reach = match reach {
            Some(reach) => reach,
            None => driven::reach(&self.store.read()?, session)?,
        };
        let order = &within_reach(asked, reach);
        self.check_targets(session, order)?;
        let rescue = self.record("rescue point", |recording| {
            Ok(recording.enter(&Moment::of("rescue", Some(session)))?.checkpoint)
        })?;
        let reader = self.store.read()?;
        let choice = choose(&reader, session, order)?;
        let index = reader.index()?;
        let policy = order.policy.unwrap_or_else(|| settings.conflict());
        let mut plan = match order.scope {
            Scope::Conversation => Plan::empty(),
            Scope::Both | Scope::Files => self.plan(&reader, &choice, &index, order, policy)?,
        };
        note_links(&index, &mut plan);
        let gaps = gaps(&reader, &choice, &index, &plan)?;
        let effects = effects(&reader, &choice, order)?;
        let background = windows_in(&reader, session, WindowState::Background)?;
        let talk = match out_of_reach(asked).filter(|_| reach == Reach::Nowhere) {
            Some(plan) => plan,
            None => talk_plan(&reader, session, &choice, order)?,
        };
        let scope = order.scope;
        Ok(Draft { session, choice, plan, policy, scope, index, gaps, effects, rescue, background, talk })
    }

    /// Unknown targets are told before anything is looked at.
    fn check_targets(&self, session: SessionId, order: &Order) -> Result<(), OrderError> {
        choose(&self.store.read()?, session, order).map(|_| ())
    }

    fn plan(
        &self,
        reader: &Reader<'_>,
        choice: &Choice,
        index: &Index,
        order: &Order,
        policy: ConflictPolicy,
    ) -> Result<Plan, OrderError> {
        let ledger = weakened(reader, ledger_of(reader, choice)?)?;
        let modes = folder_modes(reader, &ledger, index)?;
        let control = if order.permits.include_control { ControlFiles::Include } else { ControlFiles::Ask };
        let request = Reversal {
            ledger: &ledger,
            chosen: &choice.chosen,
            named: &choice.named,
            policy,
            control,
            is_control: &worktree::is_control_file,
            folder_mode: &|path| modes.get(path).copied(),
        };
        let contents: &dyn Contents = &self.store.contents();
        Ok(reverse(&request, index, contents))
    }

    /// The session an order is for.
    pub(crate) fn session_of(&self, order: &Order) -> Result<SessionId, OrderError> {
        let reader = self.store.read()?;
        match order.session {
            Some(id) => Ok(reader
                .session(id)?
                .map(|session| session.id)
                .ok_or_else(|| OrderError::Unknown { what: "session", name: id.to_string() })?),
            None => Ok(sessions::newest(&reader)?.ok_or(OrderError::NoSession)?.id),
        }
    }

    /// An agent may take its own work back, but not what goes beyond that.
    pub(crate) fn forbidden_here(&self, order: &Order) -> Option<Trouble> {
        if !self.environment.is_inside_step {
            return None;
        }
        let what = match order {
            Order { policy: Some(ConflictPolicy::Take), .. } => "--on-conflict take",
            Order { permits: Permits { include_outside: true, .. }, .. } => "--include-outside",
            Order { permits: Permits { even_if_busy: true, .. }, .. } => "--even-if-busy",
            _ => return None,
        };
        Some(Trouble::InsideStep { what })
    }

    /// The steps of a session whose windows are open.
    pub(crate) fn running_steps(&self, session: SessionId) -> Result<Vec<StepId>, StoreError> {
        windows_in(&self.store.read()?, session, WindowState::Open)
    }

    /// Whether the session's agent is in the middle of something. Where its own files deny it, windows that no event has
    /// closed are closed as late.
    pub(crate) fn busy(&self, order: &Order, session: SessionId) -> Result<Option<Trouble>, OrderError> {
        if order.permits.even_if_busy {
            return Ok(None);
        }
        let steps = self.running_steps(session)?;
        match driven::sign_of_life(self, session)? {
            SignOfLife::Idle | SignOfLife::Gone if !steps.is_empty() => {
                settle(self, session)?;
                Ok(None)
            }
            SignOfLife::Busy if steps.is_empty() && !self.environment.speaks_from_chat => {
                Ok(Some(Trouble::AgentAtWork))
            }
            _ => Ok(if steps.is_empty() { None } else { Some(Trouble::Busy { steps }) }),
        }
    }
}

impl Draft {
    /// What this draft says, as a report of something that was not done.
    pub(crate) fn report(&self, order: &Order, trouble: Option<Trouble>) -> Report {
        let outcome = self.outcome_before(trouble.as_ref());
        let planned = |plan: &Plan| {
            let result = if outcome == Outcome::Conflict { FileResult::Skipped } else { FileResult::Planned };
            files(plan, result)
        };
        let files = planned(&self.plan);
        let outcome = if outcome == Outcome::Done { Outcome::Preview } else { outcome };
        self.report_of(order, outcome, files, trouble)
    }

    /// A report with what this draft knows besides the files.
    pub(crate) fn report_of(
        &self,
        order: &Order,
        outcome: Outcome,
        files: Vec<FileReport>,
        trouble: Option<Trouble>,
    ) -> Report {
        Report {
            outcome,
            operation: None,
            verb: order.selection.verb(),
            turns: self.choice.turns.clone(),
            files,
            gaps: self.gaps.clone(),
            effects: self.effects.clone(),
            conversation: self.conversation(),
            background: self.background.clone(),
            trouble,
        }
    }

    /// How the order would end if it were carried out: [`Outcome::Done`] if there is something to do.
    pub(crate) fn outcome_before(&self, trouble: Option<&Trouble>) -> Outcome {
        if trouble.is_some() {
            Outcome::Refused
        } else if self.policy == ConflictPolicy::Stop && self.plan.has_conflicts() {
            Outcome::Conflict
        } else if self.is_nothing() {
            Outcome::Nothing
        } else {
            Outcome::Done
        }
    }

    /// No change of a file is chosen, no turn is withdrawn and none is brought again.
    fn is_nothing(&self) -> bool {
        let changes_files = self.scope.has_files() && !self.choice.chosen.is_empty();
        if self.talk == TalkPlan::OutOfReach {
            return !changes_files;
        }
        !changes_files && !self.choice.withdraws_turns && self.choice.operations.is_empty()
    }

    fn conversation(&self) -> ConversationReport {
        match &self.talk {
            TalkPlan::Leave | TalkPlan::Inform => ConversationReport::unchanged(),
            TalkPlan::OutOfReach => {
                ConversationReport { result: ConversationResult::Unsupported, ..ConversationReport::unchanged() }
            }
            TalkPlan::NoBoundary => {
                ConversationReport { result: ConversationResult::NoBoundary, ..ConversationReport::unchanged() }
            }
            TalkPlan::Cut(cut) => ConversationReport {
                result: ConversationResult::Staged,
                prompts: cut.prompts.clone(),
                attachments: cut.attachments.clone(),
                ..ConversationReport::unchanged()
            },
            TalkPlan::Lift | TalkPlan::Select(_) => {
                ConversationReport { result: ConversationResult::Done, ..ConversationReport::unchanged() }
            }
        }
    }
}

/// The paths of a plan as a report has them; changes get `result`.
pub(crate) fn files(plan: &Plan, result: FileResult) -> Vec<FileReport> {
    let changes = plan.changes.iter().map(|change| FileReport {
        path: change.path.clone(),
        action: change.action(),
        result,
        reason: change.note,
        evidence: change.evidence,
    });
    let left = plan.left.iter().map(|left| FileReport {
        path: left.path.clone(),
        action: model::Action::None,
        result: left.result,
        reason: Some(left.reason),
        evidence: left.evidence,
    });
    let mut files: Vec<FileReport> = changes.chain(left).collect();
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files
}

/// The steps of a session whose windows are in this state.
fn windows_in(reader: &Reader<'_>, session: SessionId, state: WindowState) -> Result<Vec<StepId>, StoreError> {
    let windows = reader.open_windows()?.into_iter();
    Ok(windows.filter(|window| window.session == session && window.state == state).map(|w| w.step).collect())
}
