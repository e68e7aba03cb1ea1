//! What something changed, line by line. The bytes come from the store; how they are shown is for the faces.

use decide::{DiffHunk, diff_text};
use model::{ContentHash, Contents, Entry, SessionId, Transition, TurnId, limits};
use store::Reader;

use super::change::{FileChange, file_changes};
use super::{InspectError, Target, checkpoint, unknown};
use crate::first_capture;
use crate::moment::Moment;
use crate::order::CheckpointName;
use crate::sessions;
use crate::workspace::Workspace;

/// The difference that something made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffView {
    /// What it is the difference of; a checkpoint: since it.
    pub target: Target,
    /// What changed, sorted by path. A path that others changed in between comes more than once.
    pub files: Vec<FileDiff>,
}

/// What was done to one path, with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    /// What was done.
    pub change: FileChange,
    /// What became of its content.
    pub content: ContentDiff,
    /// The number of its first hunk among all of this path, from 1: a hunk can be named by it.
    pub first_hunk: usize,
}

/// What became of the content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContentDiff {
    /// It is the same, or there is none on either side.
    Same,
    /// It is text on both sides; a side without a file is an empty text.
    Text(Vec<DiffHunk>),
    /// It is not text on one side at least.
    Binary,
    /// It is too large to be compared.
    TooLarge,
    /// It is missing from the store, or damaged, on one side at least.
    Missing,
}

impl Workspace {
    /// What a turn, step or operation changed, or what changed since a checkpoint, whoever did it; without a target: what
    /// the newest turn of the session, or of the one that was active last, changed.
    ///
    /// For a checkpoint the present state is recorded first. Nothing in the workspace is written.
    pub fn diff(&self, target: Option<&Target>, session: Option<SessionId>) -> Result<DiffView, InspectError> {
        let target = match target {
            Some(target) => target.clone(),
            None => Target::Turn(newest_turn(&self.store.read()?, session)?),
        };
        let (target, transitions) = self.transitions_of(&target)?;
        let contents = self.store.contents();
        let files = file_changes(&transitions).into_iter().map(|change| file_diff(change, &contents)).collect();
        Ok(DiffView { target, files: numbered(files) })
    }

    fn transitions_of(&self, target: &Target) -> Result<(Target, Vec<Transition>), InspectError> {
        let reader = self.store.read()?;
        let transitions = match target {
            Target::Turn(id) => {
                reader.turn(*id)?.ok_or_else(|| unknown("turn", id))?;
                reader.transitions_of_turn(*id)?
            }
            Target::Step(id) => {
                reader.step(*id)?.ok_or_else(|| unknown("step", id))?;
                reader.transitions_of_step(*id)?
            }
            Target::Operation(id) => {
                reader.operation(*id)?.ok_or_else(|| unknown("operation", id))?;
                reader.transitions_of_operation(*id)?
            }
            Target::Checkpoint(name) => {
                let row = checkpoint(&reader, name)?;
                drop(reader);
                self.look_now()?;
                let since = self.store.read()?.transitions_since(row.last_seq)?;
                return Ok((Target::Checkpoint(CheckpointName::Id(row.id)), since));
            }
        };
        Ok((target.clone(), transitions))
    }

    /// Records the present state, so that the ledger reaches to this moment.
    pub(super) fn look_now(&self) -> Result<(), InspectError> {
        first_capture::finish(self)?;
        self.record("diff", |recording| recording.enter(&Moment::of("diff", None)))?;
        Ok(())
    }
}

fn newest_turn(reader: &Reader<'_>, session: Option<SessionId>) -> Result<TurnId, InspectError> {
    let session = match session {
        Some(id) => id,
        None => sessions::newest(reader)?.ok_or(InspectError::NoTurn)?.id,
    };
    Ok(reader.newest_turn(session)?.ok_or(InspectError::NoTurn)?.id)
}

fn file_diff(change: FileChange, contents: &dyn Contents) -> FileDiff {
    let content = content_diff(&change.before, &change.after, contents);
    FileDiff { change, content, first_hunk: 1 }
}

/// Numbers the hunks of each path, which may come more than once.
fn numbered(mut files: Vec<FileDiff>) -> Vec<FileDiff> {
    for same in files.chunk_by_mut(|one, next| one.change.path == next.change.path) {
        let mut first = 1;
        for file in same {
            file.first_hunk = first;
            first += if let ContentDiff::Text(hunks) = &file.content { hunks.len() } else { 0 };
        }
    }
    files
}

fn content_diff(before: &Entry, after: &Entry, contents: &dyn Contents) -> ContentDiff {
    if before.content() == after.content() {
        return ContentDiff::Same;
    }
    if [before, after].into_iter().any(is_too_large) {
        return ContentDiff::TooLarge;
    }
    let read = |hash: Option<&ContentHash>| hash.map_or(Some(Vec::new()), |hash| contents.read(hash));
    match (read(before.content()), read(after.content())) {
        (Some(before), Some(after)) => diff_text(&before, &after).map_or(ContentDiff::Binary, ContentDiff::Text),
        _ => ContentDiff::Missing,
    }
}

fn is_too_large(entry: &Entry) -> bool {
    matches!(entry, Entry::File { size_bytes, .. } if *size_bytes > limits::MERGE_SIZE_BYTES_MAX)
}
