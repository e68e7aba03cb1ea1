//! RECORD: a barrier. The workspace is compared with the index, every difference becomes a transition with its cause,
//! and all of it is committed together with what the event itself has to say.
//!
//! Looking happens without a lock. Under the write lock the index is asked whether it is still the one that was
//! compared with; if not, the look is repeated, the last time while the lock is held.

use std::collections::BTreeMap;

use decide::attribution::{OpenWindow, Sight, attribute};
use model::{Cause, CheckpointId, Coverage, Entry, Evidence, Gap, Index, Known, KnownFolder, WorkspacePath};
use store::{Durability, NewCheckpoint, NewTransition, Reader, StoreIntake, Writer};
use worktree::{CaptureScope, Captured, Difference, Head};

use disk::{Intake, LockGuard};

use crate::error::RecordError;
use crate::moment::{Moment, Original};
use crate::watcher::{Inquiry, Trust};
use crate::workspace::{CoverageMode, Workspace};
use crate::{heads, original, recover, windows};

/// How often a look is made without the lock before it is made under it.
const LOOKS_WITHOUT_LOCK_MAX: usize = 3;

/// A barrier that is being written: a write transaction and what was seen right before it.
pub(crate) struct Recording<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) writer: Writer<'a>,
    seen: Look,
}

/// What a barrier found, after it was entered.
#[derive(Debug, Clone)]
pub(crate) struct Entered {
    pub(crate) checkpoint: CheckpointId,
    /// What could not be covered this time.
    pub(crate) gaps: Vec<Gap>,
    /// How many entries were looked at.
    pub(crate) entries: u64,
}

/// One look at the workspace.
struct Look {
    index: Index,
    version: CheckpointId,
    captured: Option<Captured>,
    heads: Vec<Head>,
    intake: StoreIntake,
    is_first: bool,
    inquiry: Option<Inquiry>,
}

impl Workspace {
    /// Looks at the workspace, then runs `act` in one write transaction and commits it. `act` runs again, on a new
    /// look, when another process was faster; nothing of an earlier run is kept.
    pub(crate) fn record<T>(
        &self,
        what: &str,
        act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        self.record_with(what, &[], Trust::Never, act)
    }

    /// The same around a tool, where the watcher is believed. In touched-paths mode these paths are looked at besides the
    /// known ones.
    pub(crate) fn record_paths<T>(
        &self,
        what: &str,
        touched: &[WorkspacePath],
        act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        self.record_with(what, touched, Trust::AroundTool, act)
    }

    fn record_with<T>(
        &self,
        what: &str,
        touched: &[WorkspacePath],
        trust: Trust,
        act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        match self.coverage_mode()? {
            CoverageMode::Whole => self.record_look(what, || self.look_at_whole(trust), act),
            CoverageMode::TouchedPaths => {
                let mut paths = self.store.read()?.index()?.paths_below(&WorkspacePath::root());
                paths.extend_from_slice(touched);
                paths.sort();
                paths.dedup();
                self.record_scope(what, &CaptureScope::Paths(paths), act)
            }
        }
    }

    /// The same for exactly this part of the workspace.
    pub(crate) fn record_scope<T>(
        &self,
        what: &str,
        scope: &CaptureScope,
        act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        self.record_look(what, || self.look(scope), act)
    }

    fn record_look<T>(
        &self,
        what: &str,
        look: impl Fn() -> Result<Look, RecordError>,
        mut act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let mut without_operations: Option<LockGuard> = None;
        let mut attempts = 0..=LOOKS_WITHOUT_LOCK_MAX;
        let mut attempt = attempts.next();
        while let Some(number) = attempt {
            if without_operations.is_none() {
                recover::wait_for_operation(self)?;
            }
            let is_last = number == LOOKS_WITHOUT_LOCK_MAX;
            let early = if is_last { None } else { Some(look()?) };
            let writer = self.store.write(what, Durability::Normal)?;
            if recover::is_under_way(&writer)? {
                drop(writer);
                if without_operations.is_some() {
                    break;
                }
                // Where one operation follows the other, a look would always come too early or too late.
                without_operations = Some(recover::keep_operations_out(self)?);
                continue;
            }
            attempt = attempts.next();
            let seen = match early {
                Some(seen) => seen,
                None => look()?,
            };
            if !seen.still_holds(&writer)? {
                continue;
            }
            let mut recording = Recording { workspace: self, writer, seen };
            match act(&mut recording) {
                Err(RecordError::Vanished) => continue,
                result => {
                    let result = result?;
                    recording.writer.commit()?;
                    return Ok(result);
                }
            }
        }
        Err(RecordError::Contended)
    }

    /// The same, but without a look while the first capture is still under way, so that nobody waits for it.
    pub(crate) fn record_if_captured<T>(
        &self,
        what: &str,
        act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        if self.has_first_capture()? { self.record(what, act) } else { self.record_unseen(what, act) }
    }

    /// Runs `act` in one write transaction without a look: entering it notes a checkpoint and no transitions.
    pub(crate) fn record_unseen<T>(
        &self,
        what: &str,
        mut act: impl FnMut(&mut Recording<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let writer = self.store.write(what, Durability::Normal)?;
        let mut recording = Recording { workspace: self, writer, seen: Look::none(self) };
        let result = act(&mut recording)?;
        recording.writer.commit()?;
        Ok(result)
    }

    /// Runs `act` in one write transaction that is no barrier at all.
    pub(crate) fn note<T>(
        &self,
        what: &str,
        act: impl FnOnce(&mut Writer<'_>) -> Result<T, RecordError>,
    ) -> Result<T, RecordError> {
        let mut writer = self.store.write(what, Durability::Normal)?;
        let result = act(&mut writer)?;
        writer.commit()?;
        Ok(result)
    }

    fn look(&self, scope: &CaptureScope) -> Result<Look, RecordError> {
        self.look_from(Start::read(self)?, scope)
    }

    /// Looks at everything, or at what the watcher leaves in doubt.
    fn look_at_whole(&self, trust: Trust) -> Result<Look, RecordError> {
        let start = Start::read(self)?;
        let inquiry =
            if start.is_first { None } else { Inquiry::begin(self, &self.store.read()?, &start.index, trust)? };
        let suspects = inquiry.as_ref().and_then(Inquiry::suspects).cloned();
        let scope = suspects.map_or(CaptureScope::Whole { entries_max: None }, CaptureScope::Suspects);
        let mut look = self.look_from(start, &scope)?;
        look.inquiry = inquiry;
        if let (Some(inquiry), Some(captured)) = (&mut look.inquiry, &look.captured) {
            inquiry.check(captured);
        }
        Ok(look)
    }

    fn look_from(&self, start: Start, scope: &CaptureScope) -> Result<Look, RecordError> {
        let Start { index, version, is_first } = start;
        let intake = self.store.intake();
        let captured = worktree::capture(&self.root, &index, &self.rules()?, &intake, scope)?;
        let heads = worktree::observe_repositories(&self.root, &index);
        Ok(Look { index, version, captured: Some(captured), heads, intake, is_first, inquiry: None })
    }
}

/// What a look starts from.
struct Start {
    index: Index,
    version: CheckpointId,
    is_first: bool,
}

impl Start {
    fn read(workspace: &Workspace) -> Result<Self, RecordError> {
        let reader = workspace.store.read()?;
        let (index, version) = (reader.index()?, version(&reader)?);
        drop(reader);
        Ok(Self { index, version, is_first: !workspace.has_first_capture()? })
    }
}

/// The index is as new as the newest checkpoint.
fn version(reader: &Reader<'_>) -> Result<CheckpointId, RecordError> {
    Ok(reader.latest_checkpoint()?.map_or(CheckpointId(0), |checkpoint| checkpoint.id))
}

impl Look {
    /// Nothing was looked at.
    fn none(workspace: &Workspace) -> Self {
        let intake = workspace.store.intake();
        Look {
            index: Index::default(),
            version: CheckpointId(0),
            captured: None,
            heads: Vec::new(),
            intake,
            is_first: false,
            inquiry: None,
        }
    }

    /// Whether the index is still the one that was compared with, as far as this look speaks of it.
    fn still_holds(&self, writer: &Writer<'_>) -> Result<bool, RecordError> {
        let Some(captured) = &self.captured else { return Ok(true) };
        if version(writer)? == self.version {
            return Ok(true);
        }
        let changed: BTreeMap<WorkspacePath, KnownFolder> =
            writer.folders_changed_since(self.version)?.into_iter().collect();
        let is_as_compared = |path: &WorkspacePath| {
            let (Some(parent), Some(name)) = (path.parent(), path.name()) else { return true };
            changed.get(&parent).is_none_or(|folder| folder.get(name) == self.index.get(path))
        };
        let moved_on = captured.differences.iter().any(|difference| !is_as_compared(&difference.path));
        Ok(!moved_on && captured.refreshed.iter().all(|(path, _)| is_as_compared(path)))
    }
}

impl Recording<'_> {
    /// Enters what was seen into the ledger and the index, as of this moment.
    pub(crate) fn enter(&mut self, moment: &Moment) -> Result<Entered, RecordError> {
        let windows = windows::open_windows(&self.writer, &moment.closing)?;
        if let Some(original) = &moment.original {
            // Without its bytes the tool's word is of no use; then it is simply not used.
            _ = self.seen.intake.put_bytes(&original.content, original.text.as_bytes());
        }
        self.writer.adopt(&self.seen.intake)?;
        let checkpoint = self.writer.add_checkpoint(&NewCheckpoint {
            at_ns: disk::clock::now_ns(),
            event: moment.event.to_owned(),
            session: moment.session,
            turn: moment.turn,
            step: moment.step,
        })?;
        let Some(captured) = self.seen.captured.take() else {
            return Ok(Entered { checkpoint, gaps: Vec::new(), entries: 0 });
        };
        let late = self.windows_of_missed()?;
        for difference in &captured.differences {
            let is_missed = self.seen.inquiry.as_ref().is_some_and(|told| told.missed().contains(&difference.path));
            let windows = if is_missed { &late } else { &windows };
            if !(self.seen.is_first && difference.before.is_none()) {
                self.enter_difference(difference, checkpoint, moment, windows)?;
            }
        }
        self.update_index(&captured, checkpoint)?;
        if let Some(inquiry) = self.seen.inquiry.take() {
            inquiry.enter(&mut self.writer)?;
        }
        heads::enter(&mut self.writer, &self.seen.heads, moment.session)?;
        let entries = captured.counts.entries;
        let gaps = captured.troubles;
        self.note_gaps(&gaps, checkpoint, moment)?;
        Ok(Entered { checkpoint, gaps, entries })
    }

    /// The windows in which the watcher can have missed something: all since everything was looked at last, closed as late.
    fn windows_of_missed(&self) -> Result<Vec<OpenWindow>, RecordError> {
        match self.seen.inquiry.as_ref().filter(|inquiry| !inquiry.missed().is_empty()) {
            Some(inquiry) => Ok(windows::late_windows(&self.writer, inquiry.scanned_ns())?),
            None => Ok(Vec::new()),
        }
    }

    fn enter_difference(
        &mut self,
        difference: &Difference,
        checkpoint: CheckpointId,
        moment: &Moment,
        windows: &[OpenWindow],
    ) -> Result<(), RecordError> {
        let before = entry_of(difference.before.as_ref());
        let after = entry_of(difference.after.as_ref());
        let (cause, evidence) = cause_of(difference, (&before, &after), moment, windows);
        let found = moment.original.as_ref().and_then(|original| self.found_by_tool(original, difference, &cause));
        let mut add = |before: &Entry, after: &Entry, cause: Cause, evidence: Evidence| {
            let moved = difference.moved.clone();
            let transition = NewTransition {
                checkpoint,
                path: difference.path.clone(),
                before: before.clone(),
                after: after.clone(),
                moved,
                cause,
                evidence,
            };
            self.writer.add_transition(&transition)
        };
        match found {
            Some(found) => {
                add(&before, &found, Cause::Outside, Evidence::Exact)?;
                if found != after {
                    add(&found, &after, cause, evidence)?;
                }
            }
            None if before != after || difference.moved.is_some() => {
                add(&before, &after, cause, evidence)?;
            }
            None => {}
        }
        Ok(())
    }

    /// What the tool says it found, if that is neither what we knew nor what is there now.
    fn found_by_tool(&self, original: &Original, difference: &Difference, cause: &Cause) -> Option<Entry> {
        let is_claimed = original.paths.contains(&difference.path) && matches!(cause, Cause::Step(_));
        if !is_claimed || difference.moved.is_some() {
            return None;
        }
        let known = difference.before.as_ref()?;
        let stored =
            known.entry.content().and_then(|hash| model::Contents::read(&self.workspace.store.contents(), hash));
        let entry = original::entry_found(original, &known.entry, stored.as_deref())?;
        self.seen.intake.holds(&original.content).then_some(entry)
    }

    /// What could not be covered belongs to the turn at hand, whose coverage is partial from now on.
    fn note_gaps(&mut self, gaps: &[Gap], checkpoint: CheckpointId, moment: &Moment) -> Result<(), RecordError> {
        if gaps.is_empty() {
            return Ok(());
        }
        let turn = match (moment.turn, moment.session) {
            (Some(turn), _) => Some(turn),
            (None, Some(session)) => self.writer.open_turn(session)?.map(|turn| turn.id),
            (None, None) => None,
        };
        for gap in gaps {
            self.writer.add_gap(turn, moment.step, checkpoint, gap)?;
        }
        if let Some(turn) = turn {
            self.writer.set_turn_coverage(turn, Coverage::Partial)?;
        }
        Ok(())
    }

    /// Brings the index up to what was seen; folders that others have changed meanwhile are taken as they left them.
    fn update_index(&mut self, captured: &Captured, checkpoint: CheckpointId) -> Result<(), RecordError> {
        let mut index = std::mem::take(&mut self.seen.index);
        for (path, folder) in self.writer.folders_changed_since(self.seen.version)? {
            index.set_folder(path, folder);
        }
        for path in captured.apply_to(&mut index) {
            let folder = index.folder(&path).cloned().unwrap_or_default();
            self.writer.put_folder(&path, &folder, checkpoint)?;
        }
        Ok(())
    }
}

fn cause_of(
    difference: &Difference,
    (before, after): (&Entry, &Entry),
    moment: &Moment,
    windows: &[OpenWindow],
) -> (Cause, Evidence) {
    if let Some(operation) = moment.operation {
        return (Cause::Operation(operation), Evidence::Exact);
    }
    let changed_ns = difference.after.as_ref().map(|known| known.stamp.changed_ns).filter(|ns| *ns != 0);
    attribute(windows, &Sight { path: &difference.path, before, after, changed_ns })
}

fn entry_of(known: Option<&Known>) -> Entry {
    known.map_or(Entry::Absent, |known| known.entry.clone())
}
