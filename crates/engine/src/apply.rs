//! APPLY: lease, rescue point, drift check, journal, perform, verify, commit, clean up. Whatever goes wrong before the
//! commit is compensated, so that the workspace is as it was; a process that dies leaves a journal that the next one
//! takes back (`recover`).

mod commit;
mod site;

use std::collections::BTreeMap;

use agents::DriverError;
use decide::{Site, write_steps};
use disk::LockError;
use model::{Evidence, FileResult, Index, Left, OperationId, Outcome, Plan, Reason, WorkspacePath, WriteStep};
use store::{Durability, NewOperation};
use worktree::{CaptureScope, Doors, Mismatch, PerformFailure};

use crate::driven::{self, PrepareError, Prepared, Reach};
use crate::error::{OrderError, RecordError};
use crate::neighbours::{NeighbourError, Neighbours};
use crate::order::Order;
use crate::preview::{Draft, files};
use crate::recover;
use crate::report::{FileReport, Report, Trouble};
use crate::workspace::Workspace;
pub(crate) use site::note_links;

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
        let mut reach = None;
        for _ in 0..ATTEMPTS_MAX {
            let mut draft = self.draft_within(order, reach)?;
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
                Ended::Unprepared(DriverError::Failed { verb, reason }) => {
                    let message = DriverError::Failed { verb, reason }.to_string();
                    let mut report = draft.report(order, Some(Trouble::NotPerformed { message }));
                    report.outcome = Outcome::Failed;
                    return Ok(report);
                }
                Ended::Unprepared(_) => reach = Some(Reach::Nowhere),
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
        let prepared = match driven::prepare(self, draft.session, &draft.talk, &draft.choice) {
            Ok(prepared) => prepared,
            Err(PrepareError::Store(error)) => return Err(error.into()),
            Err(PrepareError::Driver(error)) => return Ok(Ended::Unprepared(error)),
        };
        let ended = self.write(order, draft, prepared.as_ref(), progress);
        if let (Err(_), Some(prepared)) = (&ended, &prepared) {
            prepared.discard(self);
        }
        ended
    }

    /// Everything from the journal to the activation, after all that can fail at the agent has been made ready.
    fn write(
        &self,
        order: &Order,
        draft: &mut Draft,
        prepared: Option<&Prepared>,
        progress: &mut dyn FnMut(usize, usize),
    ) -> Result<Ended, OrderError> {
        let operation = self.begin_operation(order, draft, prepared)?;
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
        let head = match self.commit(draft, operation, prepared) {
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
        report.conversation.at_agent =
            prepared.map(|prepared| driven::activate(self, prepared, operation)).transpose()?;
        if let Some(stuck) = stuck.first() {
            report.outcome = Outcome::Partial;
            report.trouble = Some(Trouble::NeedsRecovery { message: stuck.to_string() });
        }
        Ok(Ended::Report(Box::new(report)))
    }

    /// Writes down all that is about to be done, durably, before any of it is done.
    fn begin_operation(
        &self,
        order: &Order,
        draft: &mut Draft,
        prepared: Option<&Prepared>,
    ) -> Result<OperationId, OrderError> {
        let linked = note_links(&draft.index, &mut draft.plan);
        let intake = self.store.intake();
        for (hash, bytes) in &draft.plan.merged {
            disk::Intake::put_bytes(&intake, hash, bytes).map_err(|error| RecordError::Unusable(error.to_string()))?;
        }
        let mut writer = self.store.write("operation", Durability::Full)?;
        writer.adopt(&intake).map_err(RecordError::from)?;
        let operation = writer.add_operation(&NewOperation {
            session: Some(draft.session),
            verb: order.selection.verb(),
            scope: draft.scope,
            turns: draft.choice.turns.clone(),
            rescue: draft.rescue,
            started_ns: disk::clock::now_ns(),
            redoes: draft.choice.operations.clone(),
            brings: draft.choice.brings.clone(),
        })?;
        if let Some(prepared) = prepared {
            driven::note_prepared(&mut writer, prepared, operation)?;
        }
        let prefix = format!(".takeback-{operation}-");
        let lifts = self.lifts(&draft.plan);
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

    /// Takes back what was done and says whether the path in the way can be left out.
    fn give_up(
        &self,
        order: &Order,
        draft: &Draft,
        operation: OperationId,
        steps: &[WriteStep],
        obstacle: Obstacle,
    ) -> Result<Ended, OrderError> {
        let stuck = recover::take_back(self, operation, steps)?;
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
}

/// How an attempt ended.
enum Ended {
    Report(Box<Report>),
    /// This path was in the way; everything else was taken back.
    Obstacle(Left),
    /// The agent's conversation could not be made ready to move; nothing was begun.
    Unprepared(DriverError),
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
