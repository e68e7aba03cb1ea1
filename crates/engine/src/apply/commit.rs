//! The one commit point of an operation: ledger, index and conversation change in one transaction, after everything on
//! the disk was read again.

use std::collections::{BTreeMap, BTreeSet};

use model::{
    Cause, Change, Entry, Evidence, HeadId, Known, KnownFolder, OperationId, Plan, SessionId, Stamp, WorkspacePath,
};
use store::{Durability, NewCheckpoint, NewTransition, OperationEnd, OperationState, StoreError, Writer};

use crate::driven::{self, Done, Prepared};
use crate::error::RecordError;
use crate::preview::Draft;
use crate::talk::{self, TalkPlan};
use crate::workspace::Workspace;

impl Workspace {
    /// Enters what was done into the ledger, the index and the conversation: the one commit point of both halves.
    pub(super) fn commit(
        &self,
        draft: &Draft,
        operation: OperationId,
        prepared: Option<&Prepared>,
    ) -> Result<Option<HeadId>, RecordError> {
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
        writer.end_operation(
            operation,
            &OperationEnd {
                state: OperationState::Committed,
                closing: Some(checkpoint),
                ended_ns: disk::clock::now_ns(),
                report: String::new(),
            },
        )?;
        let head = move_conversation(&mut writer, draft, operation)?;
        if let (Some(prepared), Some(head)) = (prepared, head) {
            driven::intend(&mut writer, prepared, head)?;
        }
        driven::note_operation(&mut writer, draft.session, operation, &done(draft))?;
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
        // Looked at again by the next barrier: somebody may write between the last check and this look.
        let seen = worktree::look(&self.root, &change.path).ok().flatten();
        let stamp = seen.map_or(Stamp::UNKNOWN, |seen| Stamp { looked_ns: 0, ..seen.stamp });
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
        TalkPlan::Leave | TalkPlan::NoBoundary | TalkPlan::OutOfReach => Ok(None),
        TalkPlan::Cut(cut) => talk::stage(writer, session, cut, operation, &draft.effects).map(Some),
        TalkPlan::Lift => {
            for redone in &draft.choice.operations {
                talk::lift(writer, session, *redone)?;
            }
            tell_again(writer, draft, operation)?;
            Ok(writer.selected_head(session)?.map(|head| head.id))
        }
        TalkPlan::Select(head) => {
            writer.retire_head(*head, false)?;
            writer.select_head(session, *head)?;
            Ok(Some(*head))
        }
        TalkPlan::Inform if draft.choice.operations.is_empty() => {
            tell(writer, session, operation, "took back", draft.plan.changes.iter()).map(|()| None)
        }
        TalkPlan::Inform => tell_again(writer, draft, operation).map(|()| None),
    }
}

/// Tells the model what comes again of that of which it was told that it went.
fn tell_again(writer: &mut Writer<'_>, draft: &Draft, operation: OperationId) -> Result<(), StoreError> {
    let mut told = BTreeSet::new();
    for redone in &draft.choice.operations {
        if talk::has_informed(writer, draft.session, *redone)? {
            told.insert(*redone);
        }
    }
    let cause = |seq| draft.choice.transitions.get(seq).map(|transition| &transition.cause);
    let is_told = |seq| matches!(cause(seq), Some(Cause::Operation(by)) if told.contains(by));
    let changes = draft.plan.changes.iter().filter(|change| change.reverses.iter().any(is_told));
    tell(writer, draft.session, operation, "brought again", changes)
}

fn tell<'a>(
    writer: &mut Writer<'_>,
    session: SessionId,
    operation: OperationId,
    did: &str,
    changes: impl Iterator<Item = &'a Change>,
) -> Result<(), StoreError> {
    let paths: Vec<String> = changes.map(|change| format!("- {}", change.path)).collect();
    if paths.is_empty() {
        return Ok(());
    }
    let text = format!("The user {did} earlier changes to these files:\n{}", paths.join("\n"));
    talk::inform(writer, session, operation, &text)
}

/// What the model of a driven agent is to know of a draft that was carried out.
fn done(draft: &Draft) -> Done<'_> {
    Done {
        brings: !draft.choice.operations.is_empty(),
        paths: draft.plan.changes.iter().map(|change| change.path.to_string()).collect(),
        effects: &draft.effects,
    }
}

fn transition(change: &Change, plan: &Plan, operation: OperationId, checkpoint: model::CheckpointId) -> NewTransition {
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
