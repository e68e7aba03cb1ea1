//! PREVIEW: from an order to a plan, against the workspace as it is now. Writes nothing into it.

mod beyond;
mod company;
mod ledger;

use std::collections::BTreeSet;

use agents::SignOfLife;
use decide::{ControlFiles, Part, Reversal, dependents, reverse_parts};
use model::{
    ConflictPolicy, Contents, FileResult, Index, Left, Outcome, Plan, Scope, SessionId, StepId, Transition,
    WorkspacePath,
};
use store::{Reader, StoreError, WindowState};

use crate::apply::note_links;
use crate::choice::{Choice, choose, take_along};
use crate::driven::{self, Reach};
use crate::error::OrderError;
use crate::moment::Moment;
use crate::order::{Order, Permits};
use crate::record::settle;
use crate::report::{
    ConversationReport, ConversationResult, FileReport, NamedContest, NamedDependent, NamedEffect, NamedGap,
    NamedReader, Report, Trouble,
};
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
    pub(crate) dependents: Vec<NamedDependent>,
    pub(crate) readers: Vec<NamedReader>,
    pub(crate) contested: Vec<NamedContest>,
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
        let mut choice = choose(&reader, &self.store.contents(), session, order)?;
        let index = reader.index()?;
        let policy = order.policy.unwrap_or_else(|| settings.conflict());
        let (mut plan, dependents) = match order.scope {
            Scope::Conversation => (Plan::empty(), Vec::new()),
            Scope::Both | Scope::Files => self.plan(&reader, &mut choice, &index, order, policy)?,
        };
        let readers = company::readers(self, &reader, &choice, &plan, order)?;
        let contested = company::contests(&choice);
        note_links(&index, &mut plan);
        let gaps = gaps(&reader, &choice, &index, &plan)?;
        let effects = effects(&reader, &choice, order)?;
        let background = windows_in(&reader, session, WindowState::Background)?;
        let talk = match out_of_reach(asked).filter(|_| reach == Reach::Nowhere) {
            Some(plan) => plan,
            None => talk_plan(&reader, session, &choice, order)?,
        };
        let scope = order.scope;
        Ok(Draft {
            session,
            choice,
            plan,
            policy,
            scope,
            index,
            gaps,
            effects,
            dependents,
            readers,
            contested,
            rescue,
            background,
            talk,
        })
    }

    /// Unknown targets are told before anything is looked at.
    fn check_targets(&self, session: SessionId, order: &Order) -> Result<(), OrderError> {
        choose(&self.store.read()?, &self.store.contents(), session, order).map(|_| ())
    }

    /// Plans what is chosen; with the order's leave, later steps that need it are chosen as well, until none is left.
    fn plan(
        &self,
        reader: &Reader<'_>,
        choice: &mut Choice,
        index: &Index,
        order: &Order,
        policy: ConflictPolicy,
    ) -> Result<(Plan, Vec<NamedDependent>), OrderError> {
        loop {
            let (plan, dependents) = self.plan_once(reader, choice, index, order, policy)?;
            let more = company::steps_to_take_along(&dependents, choice);
            if !order.permits.with_dependents || more.is_empty() {
                return Ok((plan, dependents));
            }
            take_along(reader, &more, choice)?;
        }
    }

    fn plan_once(
        &self,
        reader: &Reader<'_>,
        choice: &Choice,
        index: &Index,
        order: &Order,
        policy: ConflictPolicy,
    ) -> Result<(Plan, Vec<NamedDependent>), OrderError> {
        let ledger: Vec<Transition> = weakened(reader, ledger_of(reader, choice)?)?;
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
        let parts: Vec<Part> = choice.parts.values().cloned().collect();
        let no_hunk = |reason| OrderError::NoHunk { name: "the hunk".to_owned(), reason };
        let plan = reverse_parts(&request, &parts, index, contents).map_err(no_hunk)?;
        let stays = |left: &&Left| matches!(left.result, FileResult::Conflict | FileResult::Kept);
        let stay: BTreeSet<&WorkspacePath> = plan.left.iter().filter(stays).map(|left| &left.path).collect();
        let mut found = if stay.is_empty() { Vec::new() } else { dependents(&request, index, contents) };
        found.retain(|dependent| stay.contains(&dependent.path));
        Ok((plan, company::named_dependents(&found, &ledger)))
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
            Order { permits: Permits { include_contested: true, .. }, .. } => "--include-contested",
            _ => return None,
        };
        Some(Trouble::InsideStep { what })
    }

    /// The steps of a session whose windows are open, and those that have left a subagent at work in the background.
    pub(crate) fn running_steps(&self, session: SessionId) -> Result<Vec<StepId>, StoreError> {
        let reader = self.store.read()?;
        let mut steps = windows_in(&reader, session, WindowState::Open)?;
        let background = windows_in(&reader, session, WindowState::Background)?;
        if !background.is_empty() {
            let at_work = reader.subagents_of(session)?.into_iter().filter(|subagent| subagent.stopped_ns.is_none());
            let called: BTreeSet<StepId> = at_work.filter_map(|subagent| subagent.dispatch).collect();
            steps.extend(background.into_iter().filter(|step| called.contains(step)));
            steps.sort_unstable();
        }
        Ok(steps)
    }

    /// Whether the session's agent is in the middle of something. Where its own files deny it, windows that no event has
    /// closed are closed as late.
    pub(crate) fn busy(&self, order: &Order, session: SessionId) -> Result<Option<Trouble>, OrderError> {
        if order.permits.even_if_busy { Ok(None) } else { self.busy_with(session) }
    }

    /// The same whatever an order says.
    pub(crate) fn busy_with(&self, session: SessionId) -> Result<Option<Trouble>, OrderError> {
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
            dependents: self.dependents.clone(),
            readers: self.readers.clone(),
            contested: self.contested.clone(),
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
        // A hunk that is gone already is nothing to do; whether it is, only the plan knows.
        let has_part = !self.choice.parts.is_empty() && (!self.plan.changes.is_empty() || !self.plan.left.is_empty());
        let is_chosen = !self.choice.chosen.is_empty() || has_part;
        let changes_files = self.scope.has_files() && is_chosen;
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
