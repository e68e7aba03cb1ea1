//! PREVIEW: from an order to a plan, against the workspace as it is now. Writes nothing into it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use decide::effects::effects_of;
use decide::{ControlFiles, Reversal, reverse};
use model::{
    Cause, ConflictPolicy, Contents, Entry, Evidence, FileResult, Gap, HeadId, Index, Memory, Mode, Move, Outcome,
    Plan, Reason, Scope, Seq, SessionId, StepId, Transition, Tree, Verb, WorkspacePath,
};
use store::{Reader, StoreError, WindowState};

use crate::choice::{Choice, choose};
use crate::claims::absolute_path;
use crate::error::OrderError;
use crate::heads;
use crate::moment::Moment;
use crate::order::{Order, Permits, Selection};
use crate::report::{ConversationReport, ConversationResult, FileReport, NamedEffect, NamedGap, Report, Trouble};
use crate::run::RUN_AGENT;
use crate::settings::Settings;
use crate::talk::{self, Cut, find_cut};
use crate::workspace::Workspace;

/// Up to this many transitions more than chosen, the whole ledger since the oldest is read instead of path by path.
const BULK_MARGIN: u64 = 5_000;

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

/// What an order does to the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TalkPlan {
    /// Nothing.
    Leave,
    /// It should be cut, but it is not known where.
    NoBoundary,
    /// It is cut.
    Cut(Cut),
    /// The cuts that operations made are lifted.
    Lift,
    /// Another version is selected.
    Select(HeadId),
    /// The model is told what was taken back or brought again.
    Inform,
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
        let settings = self.settings()?;
        let order = &meant(order, &settings);
        let session = self.session_of(order)?;
        self.check_targets(session, order)?;
        let rescue = self.record("rescue point", |recording| {
            Ok(recording.enter(&Moment::of("rescue", Some(session)))?.checkpoint)
        })?;
        let reader = self.store.read()?;
        let choice = choose(&reader, session, order)?;
        let index = reader.index()?;
        let policy = order.policy.unwrap_or_else(|| settings.conflict());
        let plan = match order.scope {
            Scope::Conversation => Plan::empty(),
            Scope::Both | Scope::Files => self.plan(&reader, &choice, &index, order, policy)?,
        };
        let gaps = gaps(&reader, &choice, &index, &plan)?;
        let effects = effects(&reader, &choice, order)?;
        let background = windows_in(&reader, session, WindowState::Background)?;
        let talk = talk_plan(&reader, session, &choice, order)?;
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
            None => Ok(reader.newest_session()?.ok_or(OrderError::NoSession)?.id),
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

    /// Whether the session's agent is in the middle of something.
    pub(crate) fn busy(&self, order: &Order, session: SessionId) -> Result<Option<Trouble>, OrderError> {
        if order.permits.even_if_busy {
            return Ok(None);
        }
        let steps = windows_in(&self.store.read()?, session, WindowState::Open)?;
        Ok(if steps.is_empty() { None } else { Some(Trouble::Busy { steps }) })
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

    /// Nothing is chosen and no turn is withdrawn.
    fn is_nothing(&self) -> bool {
        self.choice.chosen.is_empty() && !self.choice.withdraws_turns && self.choice.operations.is_empty()
    }

    fn conversation(&self) -> ConversationReport {
        let prompts = |cut: &Cut| cut.prompts.clone();
        match &self.talk {
            TalkPlan::Leave | TalkPlan::Inform => ConversationReport::unchanged(),
            TalkPlan::NoBoundary => {
                ConversationReport { result: ConversationResult::NoBoundary, ..ConversationReport::unchanged() }
            }
            TalkPlan::Cut(cut) => {
                ConversationReport { result: ConversationResult::Staged, head: None, prompts: prompts(cut) }
            }
            TalkPlan::Lift | TalkPlan::Select(_) => {
                ConversationReport { result: ConversationResult::Done, ..ConversationReport::unchanged() }
            }
        }
    }
}

/// What an order does to the conversation: only whole turns are cut out of it, only redo lifts a cut, and a revert never
/// cuts.
fn talk_plan(reader: &Reader<'_>, session: SessionId, choice: &Choice, order: &Order) -> Result<TalkPlan, StoreError> {
    let has_none = reader.session(session)?.is_none_or(|row| row.agent == RUN_AGENT);
    if has_none {
        return Ok(TalkPlan::Leave);
    }
    match &order.selection {
        Selection::Switch { head } => {
            Ok(if choice.withdraws_turns { TalkPlan::Select(*head) } else { TalkPlan::Leave })
        }
        Selection::Redo { .. } if order.scope.has_conversation() => lift_plan(reader, session, choice),
        Selection::Revert { .. } if !choice.chosen.is_empty() => Ok(TalkPlan::Inform),
        _ if order.memory == Some(Memory::Inform) && choice.withdraws_turns && order.scope == Scope::Files => {
            Ok(TalkPlan::Inform)
        }
        _ if order.scope.has_conversation() && choice.withdraws_turns => {
            Ok(find_cut(reader, &choice.turns)?.map_or(TalkPlan::NoBoundary, TalkPlan::Cut))
        }
        _ => Ok(TalkPlan::Leave),
    }
}

/// A redo lifts the cuts of what it brings again; where the model was only told, it is told again.
fn lift_plan(reader: &Reader<'_>, session: SessionId, choice: &Choice) -> Result<TalkPlan, StoreError> {
    let mut plan = TalkPlan::Leave;
    for operation in &choice.operations {
        if reader.head_of_operation(*operation)?.is_some() {
            return Ok(TalkPlan::Lift);
        }
        if talk::has_informed(reader, session, *operation)? {
            plan = TalkPlan::Inform;
        }
    }
    Ok(plan)
}

/// The order as the settings complete it. Where the model is only to be told, its conversation does not move.
fn meant(order: &Order, settings: &Settings) -> Order {
    let takes_turns = matches!(order.selection.verb(), Verb::Undo | Verb::Rewind);
    let informs = order.memory.unwrap_or_else(|| settings.memory()) == Memory::Inform;
    let scope = match order.scope {
        Scope::Both if takes_turns && informs => Scope::Files,
        scope => scope,
    };
    Order { scope, memory: Some(if informs { Memory::Inform } else { Memory::Cut }), ..order.clone() }
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

/// Every transition that the chains of the chosen and named ones need, with both ends of moves.
fn ledger_of(reader: &Reader<'_>, choice: &Choice) -> Result<Vec<Transition>, StoreError> {
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
fn weakened(reader: &Reader<'_>, mut ledger: Vec<Transition>) -> Result<Vec<Transition>, StoreError> {
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

/// The steps of a session whose windows are in this state.
fn windows_in(reader: &Reader<'_>, session: SessionId, state: WindowState) -> Result<Vec<StepId>, StoreError> {
    let windows = reader.open_windows()?.into_iter();
    Ok(windows.filter(|window| window.session == session && window.state == state).map(|w| w.step).collect())
}

/// The last known modes of folders that were taken away above the paths concerned.
fn folder_modes(
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

/// What is not covered: what the plan met, what was noted in the turns concerned, and everything of the workspace that
/// such a turn may have touched unseen.
fn gaps(reader: &Reader<'_>, choice: &Choice, index: &Index, plan: &Plan) -> Result<Vec<NamedGap>, StoreError> {
    let named = |gap: &Gap| NamedGap { path: absolute_path(gap), reason: gap.reason };
    let mut gaps: BTreeSet<NamedGap> = plan.gaps.iter().map(named).collect();
    for turn in &choice.turns {
        for gap in reader.gaps_of_turn(*turn)? {
            gaps.insert(named(&gap));
        }
    }
    for (folder, known) in index.folders() {
        for child in &known.children {
            let Some(reason) = child.known.entry.gap().filter(|_| &*child.name != b".git") else { continue };
            if let Ok(path) = folder.child(&child.name) {
                gaps.insert(NamedGap { path: path.as_bytes().to_vec(), reason });
            }
        }
    }
    Ok(gaps.into_iter().filter(|gap| gap.reason != Reason::NotCapturedYet || is_uncaptured(index, gap)).collect())
}

/// What was missed once and has been captured since is no gap any more.
fn is_uncaptured(index: &Index, gap: &NamedGap) -> bool {
    WorkspacePath::new(gap.path.clone()).map_or(true, |path| !index.entry(&path).is_covered())
}

fn effects(reader: &Reader<'_>, choice: &Choice, order: &Order) -> Result<Vec<NamedEffect>, StoreError> {
    if matches!(order.selection, Selection::Redo { .. }) {
        return Ok(Vec::new());
    }
    let mut effects = Vec::new();
    for id in &choice.steps {
        let Some(command) = reader.step(*id)?.and_then(|step| step.command) else { continue };
        effects.extend(effects_of(&command).into_iter().map(|effect| NamedEffect {
            step: Some(*id),
            class: effect.class,
            summary: effect.summary,
        }));
    }
    let first = choice.turns.first().map(|turn| reader.turn(*turn)).transpose()?.flatten();
    if let Some(turn) = first {
        effects.extend(heads::moved_since(reader, turn.started_ns)?);
    }
    Ok(effects)
}
