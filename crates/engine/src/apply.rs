//! APPLY: lease, rescue point, drift check, journal, perform, verify, commit, clean up. Whatever goes wrong before the
//! commit is compensated, so that the workspace is as it was; a process that dies leaves a journal that the next one
//! takes back (`recover`).

use std::collections::{BTreeMap, BTreeSet};

use decide::{LinkGroup, Site, note_split_links, write_steps};
use disk::LockError;
use model::{
    Cause, Change, Entry, Evidence, FileResult, HeadId, Index, Known, KnownFolder, Left, Mode, OperationId, Outcome, Plan,
    Reason, Stamp, WorkspacePath, WriteStep,
};
use store::{Durability, NewCheckpoint, NewOperation, NewTransition, OperationEnd, OperationState, StoreError, Writer};
use worktree::{CaptureScope, Doors, Mismatch, PerformFailure};

use crate::error::{OrderError, RecordError};
use crate::neighbours::{NeighbourError, Neighbours};
use crate::order::Order;
use crate::preview::{Draft, TalkPlan, files};
use crate::report::{FileReport, Report, Trouble};
use crate::talk;
use crate::workspace::Workspace;

/// How often an order is worked out anew because a path could not be done and its policy allows to leave it.
const ATTEMPTS_MAX: usize = 8;

/// What the caller has seen before it agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement<'a> {
    /// The caller takes whatever the order comes to now.
    Whatever,
    /// The caller agreed to exactly this report of a preview.
    To(&'a Report),
}

impl Workspace {
    /// Carries an order out, or does nothing at all.
    ///
    /// On success the report says `done` for every path that was changed and read again, and the operation can itself be
    /// taken back. On any other outcome but `partial` the workspace is byte for byte as before. Edits of others are never
    /// overwritten: a path that changed since it was looked at is a conflict. Errors mean that nothing was begun.
    ///
    /// `progress` is called with the number of steps done and their total.
    pub fn apply(
        &self,
        order: &Order,
        agreement: Agreement<'_>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Report, OrderError> {
        let session = self.session_of(order)?;
        if let Some(trouble) = self.forbidden_here(order).or(self.busy(order, session)?) {
            return Ok(Report::refused(order, trouble));
        }
        let guard = match self.lock_for_operation(Workspace::patience()) {
            Ok(guard) => guard,
            Err(LockError::Disk(error)) => return Err(error.into()),
            Err(busy) => return Ok(Report::refused(order, Trouble::Locked { holder: busy.to_string() })),
        };
        let neighbours = match Neighbours::lock(self) {
            Ok(neighbours) => neighbours,
            Err(NeighbourError::Locked(busy)) => {
                return Ok(Report::refused(order, Trouble::Locked { holder: busy.to_string() }));
            }
            Err(NeighbourError::Workspace(error)) => return Err(RecordError::Unusable(error.to_string()).into()),
            Err(NeighbourError::Record(error)) => return Err(error.into()),
        };
        let report = self.apply_locked(order, agreement, progress)?;
        if report.operation.is_some() {
            neighbours.enter(report.verb)?;
        }
        drop(guard);
        Ok(report)
    }

    fn apply_locked(
        &self,
        order: &Order,
        agreement: Agreement<'_>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Report, OrderError> {
        let mut set_aside: BTreeMap<WorkspacePath, Left> = BTreeMap::new();
        for _ in 0..ATTEMPTS_MAX {
            let mut draft = self.draft(order)?;
            leave(&mut draft.plan, &set_aside);
            if let Some(trouble) = drift(order, &draft, agreement) {
                return Ok(draft.report(order, Some(trouble)));
            }
            if draft.outcome_before(None) != Outcome::Done {
                return Ok(draft.report(order, None));
            }
            match self.carry_out(order, &mut draft, progress)? {
                Ended::Report(report) => return Ok(*report),
                Ended::Obstacle(left) => {
                    set_aside.insert(left.path.clone(), left);
                }
            }
        }
        let draft = self.draft(order)?;
        Ok(draft.report(order, Some(Trouble::Drift { paths: set_aside.into_keys().collect() })))
    }

    fn carry_out(
        &self,
        order: &Order,
        draft: &mut Draft,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Ended, OrderError> {
        let operation = self.begin_operation(order, draft)?;
        let steps = self.store.read()?.journal(operation)?;
        let contents = self.store.contents();
        let doors = Doors { supply: &contents, keeper: &contents };
        let total = steps.len();
        if let Err(failure) = worktree::perform(&self.root, &steps, &doors, &mut |done| progress(done, total)) {
            return self.give_up(order, draft, operation, &steps, Obstacle::of(&failure));
        }
        if let Some(mismatch) = worktree::verify(&self.root, &steps, &doors).into_iter().next() {
            self.keep_late_writing(&steps)?;
            return self.give_up(order, draft, operation, &steps, Obstacle::of_mismatch(&mismatch));
        }
        let head = match self.commit(draft, operation) {
            Ok(head) => head,
            Err(error) => return self.give_up(order, draft, operation, &steps, Obstacle::of_store(&error)),
        };
        let stuck = worktree::clean(&self.root, &steps, &doors);
        if stuck.is_empty() {
            self.note("operation", |writer| Ok(writer.drop_journal(operation)?))?;
        }
        let done = files(&draft.plan, FileResult::Done);
        let mut report = draft.report_of(order, Outcome::Done, done, None);
        report.operation = Some(operation);
        report.conversation.head = head;
        if let Some(stuck) = stuck.first() {
            report.outcome = Outcome::Partial;
            report.trouble = Some(Trouble::NeedsRecovery { message: stuck.to_string() });
        }
        Ok(Ended::Report(Box::new(report)))
    }

    /// Writes down all that is about to be done, durably, before any of it is done.
    fn begin_operation(&self, order: &Order, draft: &mut Draft) -> Result<OperationId, OrderError> {
        let linked = linked_groups(&draft.index, &draft.plan);
        note_split_links(&mut draft.plan, &linked);
        let intake = self.store.intake();
        for (hash, bytes) in &draft.plan.merged {
            disk::Intake::put_bytes(&intake, hash, bytes).map_err(|error| RecordError::Unusable(error.to_string()))?;
        }
        let mut writer = self.store.write("operation", Durability::Full)?;
        writer.adopt(&intake).map_err(RecordError::from)?;
        let operation = writer.add_operation(&NewOperation {
            session: Some(draft.session),
            verb: order.selection.verb(),
            scope: order.scope,
            turns: draft.choice.turns.clone(),
            rescue: draft.rescue,
            started_ns: disk::clock::now_ns(),
            redoes: draft.choice.operations.clone(),
        })?;
        let prefix = format!(".takeback-{operation}-");
        let lifts = self.lifts(&draft.plan)?;
        let site = Site {
            prefix: &prefix,
            tree: &draft.index,
            needs_lift: &|folder| lifts.get(folder).copied(),
            linked: &linked,
            folds_case: worktree::is_case_insensitive(&self.root, &WorkspacePath::root()).unwrap_or(false),
        };
        writer.put_journal(operation, &write_steps(&draft.plan, &site))?;
        writer.commit()?;
        Ok(operation)
    }

    /// The modes of the folders in which something must be written and which do not allow it.
    fn lifts(&self, plan: &Plan) -> Result<BTreeMap<WorkspacePath, Mode>, OrderError> {
        let mut lifts = BTreeMap::new();
        let paths = plan.changes.iter().flat_map(|change| std::iter::once(&change.path).chain(&change.moved_from));
        for folder in paths.filter_map(WorkspacePath::parent) {
            if !folder.is_root()
                && !lifts.contains_key(&folder)
                && let Ok(Some(mode)) = worktree::needs_lift(&self.root, &folder)
            {
                lifts.insert(folder, mode);
            }
        }
        Ok(lifts)
    }

    /// Takes back what was done and says whether the path in the way can be left out.
    fn give_up(
        &self,
        order: &Order,
        draft: &Draft,
        operation: OperationId,
        steps: &[WriteStep],
        obstacle: Obstacle,
    ) -> Result<Ended, OrderError> {
        let contents = self.store.contents();
        let stuck = worktree::compensate(&self.root, steps, &Doors { supply: &contents, keeper: &contents });
        let state = if stuck.is_empty() { OperationState::Compensated } else { OperationState::Stuck };
        self.note("operation", |writer| {
            writer.set_operation_state(operation, state)?;
            if stuck.is_empty() {
                writer.drop_journal(operation)?;
            }
            Ok(())
        })?;
        if let Some(first) = stuck.first() {
            let message = format!("{}; {first}", obstacle.message);
            let mut report = draft.report(order, Some(Trouble::NeedsRecovery { message }));
            report.outcome = Outcome::Partial;
            report.operation = Some(operation);
            return Ok(Ended::Report(Box::new(report)));
        }
        let Some((path, reason)) = obstacle.at else {
            let mut report = draft.report(order, Some(Trouble::NotPerformed { message: obstacle.message }));
            report.outcome = Outcome::Failed;
            return Ok(Ended::Report(Box::new(report)));
        };
        let is_stop = draft.policy == model::ConflictPolicy::Stop;
        let result = if is_stop { FileResult::Conflict } else { FileResult::Kept };
        Ok(Ended::Obstacle(Left { path, result, reason, evidence: Evidence::Exact }))
    }

    /// What a program wrote into a displaced file until now is put into the store before anything else happens to it.
    fn keep_late_writing(&self, steps: &[WriteStep]) -> Result<(), OrderError> {
        let displaced = steps.iter().filter_map(WriteStep::temporary).collect();
        let intake = self.store.intake();
        let nothing_known = Index::default();
        let scope = CaptureScope::Paths(displaced);
        worktree::capture(&self.root, &nothing_known, &self.rules()?, &intake, &scope).map_err(RecordError::from)?;
        let mut writer = self.store.write("late writing", Durability::Full)?;
        writer.adopt(&intake).map_err(RecordError::from)?;
        writer.commit().map_err(OrderError::from)
    }

    /// Enters what was done into the ledger, the index and the conversation: the one commit point of both halves.
    fn commit(&self, draft: &Draft, operation: OperationId) -> Result<Option<HeadId>, RecordError> {
        let mut writer = self.store.write("operation", Durability::Full)?;
        let checkpoint = writer.add_checkpoint(&NewCheckpoint {
            at_ns: disk::clock::now_ns(),
            event: "operation".to_owned(),
            session: Some(draft.session),
            turn: None,
            step: None,
        })?;
        let mut folders: BTreeMap<WorkspacePath, KnownFolder> = BTreeMap::new();
        for change in &draft.plan.changes {
            let seq = writer.add_transition(&transition(change, &draft.plan, operation, checkpoint))?;
            for taken in &change.reverses {
                writer.add_reversal(seq, *taken)?;
            }
            self.index_change(&writer, change, &mut folders)?;
        }
        for (path, folder) in &folders {
            writer.put_folder(path, folder, checkpoint)?;
        }
        for redone in &draft.choice.operations {
            writer.mark_redone(*redone, operation)?;
        }
        writer.end_operation(operation, &OperationEnd {
            state: OperationState::Committed,
            closing: Some(checkpoint),
            ended_ns: disk::clock::now_ns(),
            report: String::new(),
        })?;
        let head = move_conversation(&mut writer, draft, operation)?;
        writer.commit()?;
        Ok(head)
    }

    fn index_change(
        &self,
        writer: &Writer<'_>,
        change: &Change,
        folders: &mut BTreeMap<WorkspacePath, KnownFolder>,
    ) -> Result<(), RecordError> {
        let (Some(parent), Some(name)) = (change.path.parent(), change.path.name()) else { return Ok(()) };
        if !folders.contains_key(&parent) {
            let known = writer.folder(&parent)?;
            folders.insert(parent.clone(), known);
        }
        let stamp = worktree::look(&self.root, &change.path).ok().flatten().map_or(Stamp::UNKNOWN, |seen| seen.stamp);
        if let Some(folder) = folders.get_mut(&parent) {
            match &change.after {
                Entry::Absent => folder.remove(name),
                entry => folder.set(name, Known { entry: entry.clone(), stamp }),
            }
        }
        Ok(())
    }
}

/// Does the conversation half; the head the session stands on then, if that changed.
fn move_conversation(
    writer: &mut Writer<'_>,
    draft: &Draft,
    operation: OperationId,
) -> Result<Option<HeadId>, StoreError> {
    let session = draft.session;
    match &draft.talk {
        TalkPlan::Leave | TalkPlan::NoBoundary => Ok(None),
        TalkPlan::Cut(cut) => talk::stage(writer, session, cut, operation, &draft.effects).map(Some),
        TalkPlan::Lift => {
            for redone in &draft.choice.operations {
                talk::lift(writer, session, *redone)?;
            }
            Ok(writer.selected_head(session)?.map(|head| head.id))
        }
        TalkPlan::Inform => {
            let paths: Vec<String> = draft.plan.changes.iter().map(|change| format!("- {}", change.path)).collect();
            let text = format!("The user took back earlier changes to these files:\n{}", paths.join("\n"));
            talk::inform(writer, session, operation, &text).map(|()| None)
        }
    }
}

/// How an attempt ended.
enum Ended {
    Report(Box<Report>),
    /// This path was in the way; everything else was taken back.
    Obstacle(Left),
}

/// What was in the way.
struct Obstacle {
    at: Option<(WorkspacePath, Reason)>,
    message: String,
}

impl Obstacle {
    fn of(failure: &PerformFailure) -> Self {
        let at = failure.reason().map(|reason| (failure.path().clone(), reason));
        Self { at, message: failure.to_string() }
    }

    fn of_mismatch(mismatch: &Mismatch) -> Self {
        Self { at: Some((mismatch.path.clone(), mismatch.reason)), message: mismatch.to_string() }
    }

    fn of_store(error: &RecordError) -> Self {
        Self { at: None, message: error.to_string() }
    }
}

/// Moves paths that turned out to be in the way from the changes to what is left.
fn leave(plan: &mut Plan, set_aside: &BTreeMap<WorkspacePath, Left>) {
    if set_aside.is_empty() {
        return;
    }
    let is_aside = |path: &WorkspacePath| set_aside.contains_key(path);
    plan.changes.retain(|change| !is_aside(&change.path) && !change.moved_from.as_ref().is_some_and(is_aside));
    plan.left.retain(|left| !is_aside(&left.path));
    plan.left.extend(set_aside.values().cloned());
    plan.left.sort_by(|one, other| one.path.cmp(&other.path));
}

/// What would be done now is not what was agreed to.
fn drift(order: &Order, draft: &Draft, agreement: Agreement<'_>) -> Option<Trouble> {
    let Agreement::To(shown) = agreement else { return None };
    let now = draft.report(order, None);
    let mut paths: Vec<WorkspacePath> = Vec::new();
    let differs = |one: &[FileReport], other: &[FileReport], paths: &mut Vec<WorkspacePath>| {
        paths.extend(one.iter().filter(|file| !other.contains(file)).map(|file| file.path.clone()));
    };
    differs(&now.files, &shown.files, &mut paths);
    differs(&shown.files, &now.files, &mut paths);
    paths.sort();
    paths.dedup();
    if paths.is_empty() { None } else { Some(Trouble::Drift { paths }) }
}

fn transition(
    change: &Change,
    plan: &Plan,
    operation: OperationId,
    checkpoint: model::CheckpointId,
) -> NewTransition {
    let moved_to = plan.changes.iter().find(|other| other.moved_from.as_ref() == Some(&change.path));
    let moved = match (&change.moved_from, moved_to) {
        (Some(from), _) => Some(model::Move::From(from.clone())),
        (None, Some(to)) => Some(model::Move::To(to.path.clone())),
        (None, None) => None,
    };
    NewTransition {
        checkpoint,
        path: change.path.clone(),
        before: change.before.clone(),
        after: change.after.clone(),
        moved,
        cause: Cause::Operation(operation),
        evidence: Evidence::Exact,
    }
}

/// The groups of names that share a file now, as far as the plan changes one of them.
fn linked_groups(index: &Index, plan: &Plan) -> Vec<LinkGroup> {
    let shared = |path: &WorkspacePath| {
        let known = index.get(path).filter(|known| known.stamp.links > 1 && known.entry.content().is_some())?;
        Some(((known.stamp.device, known.stamp.inode), known.stamp.links))
    };
    let concerned: BTreeSet<(u64, u64)> =
        plan.changes.iter().filter_map(|change| Some(shared(&change.path)?.0)).collect();
    if concerned.is_empty() {
        return Vec::new();
    }
    let mut groups: BTreeMap<(u64, u64), (u32, Vec<WorkspacePath>)> = BTreeMap::new();
    for path in index.paths_below(&WorkspacePath::root()) {
        if let Some((inode, links)) = shared(&path).filter(|(inode, _)| concerned.contains(inode)) {
            let group = groups.entry(inode).or_default();
            group.0 = links;
            group.1.push(path);
        }
    }
    let group = |(links, names): (u32, Vec<WorkspacePath>)| LinkGroup {
        has_other_names: names.len() < links as usize,
        names,
    };
    groups.into_values().map(group).collect()
}
