//! From what is meant for the conversation to a lever at the agent: which of its conversations has to stand where, and
//! that this is made ready before any file is written.

use agents::{DriverError, Lever, Target};
use model::{HeadId, OperationId, SessionId};
use store::{NativeTalk, Reader, Session, StoreError};

use super::import::newest_prompt;
use super::seat::{current_talk, seat, talk_of_head};
use crate::choice::Choice;
use crate::talk::{self, TalkPlan};
use crate::workspace::Workspace;

/// Whether a conversation can be moved where it is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// It is kept here: nobody else has to be moved.
    Own,
    /// The agent keeps it, and its record is understood.
    Agent,
    /// The agent keeps it, and it cannot be moved.
    Nowhere,
}

/// A lever that is ready to be pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Prepared {
    /// Whose conversation it moves.
    pub(crate) row: Session,
    /// The agent's conversation as it stands now.
    pub(crate) from: NativeTalk,
    /// The version of ours that is left.
    pub(crate) left_head: Option<HeadId>,
    /// The lever.
    pub(crate) lever: Lever,
}

impl Prepared {
    /// Throws away what was made ready.
    pub(crate) fn discard(&self, workspace: &Workspace) {
        if let Some(driver) = agents::driver(&self.row.agent) {
            driver.discard(&seat(workspace, &self.row, &self.from), &self.lever);
        }
    }
}

/// Whether a session's conversation can be moved where it is kept, as far as its record has been read.
pub(crate) fn reach(reader: &Reader<'_>, session: SessionId) -> Result<Reach, StoreError> {
    let Some(row) = reader.session(session)?.filter(|row| super::is_driven(&row.agent)) else { return Ok(Reach::Own) };
    Ok(if current_talk(reader, &row)?.is_readable { Reach::Agent } else { Reach::Nowhere })
}

/// Makes ready what a plan for the conversation needs at the agent; none if it needs nothing.
pub(crate) fn prepare(
    workspace: &Workspace,
    session: SessionId,
    plan: &TalkPlan,
    choice: &Choice,
) -> Result<Option<Prepared>, PrepareError> {
    let reader = workspace.store.read()?;
    let Some(row) = reader.session(session)? else { return Ok(None) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(None) };
    let selected = reader.selected_head(session)?.map(|head| head.id);
    let mut failed = None;
    for (from, target) in ways(&reader, &row, plan, choice)? {
        match driver.prepare(&seat(workspace, &row, &from), &target) {
            Ok(lever) => return Ok(Some(Prepared { row, from, left_head: selected, lever })),
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(None), |error| Err(error.into()))
}

/// Makes ready that the version a session stands on branches off after a prompt, or at its end. None for hosts whose
/// conversation is kept here, and where the agent's cannot be moved.
pub(crate) fn prepare_fork(
    workspace: &Workspace,
    session: SessionId,
    after: Option<String>,
) -> Result<Option<Prepared>, PrepareError> {
    let reader = workspace.store.read()?;
    if reach(&reader, session)? != Reach::Agent {
        return Ok(None);
    }
    let Some(row) = reader.session(session)? else { return Ok(None) };
    let Some(driver) = agents::driver(&row.agent) else { return Ok(None) };
    let selected = reader.selected_head(session)?.map(|head| head.id);
    let from = match selected {
        Some(head) => talk_of_head(&reader, &row, head)?,
        None => current_talk(&reader, &row)?,
    };
    let lever = driver.prepare(&seat(workspace, &row, &from), &Target::Fork { prompt: after })?;
    Ok(Some(Prepared { row, from, left_head: selected, lever }))
}

/// A conversation could not be made ready to move. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrepareError {
    /// The agent's side failed.
    #[error(transparent)]
    Driver(#[from] DriverError),
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The ways to where a plan wants the conversation, the best first.
fn ways(
    reader: &Reader<'_>,
    row: &Session,
    plan: &TalkPlan,
    choice: &Choice,
) -> Result<Vec<(NativeTalk, Target)>, StoreError> {
    match plan {
        TalkPlan::Cut(_) => way_to_cut(reader, row, choice),
        TalkPlan::Lift => match head_after_lifting(reader, row.id, &choice.operations)? {
            Some(head) => ways_to(reader, row, head),
            None => Ok(Vec::new()),
        },
        TalkPlan::Select(head) => ways_to(reader, row, *head),
        _ => Ok(Vec::new()),
    }
}

fn way_to_cut(reader: &Reader<'_>, row: &Session, choice: &Choice) -> Result<Vec<(NativeTalk, Target)>, StoreError> {
    let first = choice.turns.first().map(|turn| reader.turn(*turn)).transpose()?.flatten();
    let from = match reader.selected_head(row.id)? {
        Some(head) => talk_of_head(reader, row, head.id)?,
        None => current_talk(reader, row)?,
    };
    Ok(first.map(|turn| (from, Target::Before { prompt: talk::prompt_entry_id(&turn) })).into_iter().collect())
}

/// To a version that is there already: in the conversation at hand if it still holds it, else in the one that was left.
fn ways_to(reader: &Reader<'_>, row: &Session, head: HeadId) -> Result<Vec<(NativeTalk, Target)>, StoreError> {
    let tip = reader.head(head)?.and_then(|head| head.tip);
    let prompt = newest_prompt(reader, tip)?.map(|entry| entry.native);
    let at_hand = current_talk(reader, row)?;
    let standing = reader.native_talk_of_head(head)?.filter(|talk| talk.tip_prompt == prompt);
    let at_its_end = standing.map(|talk| (talk, Target::After { prompt: None }));
    let in_place = (at_hand, Target::After { prompt });
    Ok(match at_its_end {
        Some(end) if end.0.native == in_place.0.native => vec![end],
        Some(end) => vec![in_place, end],
        None => vec![in_place],
    })
}

/// Where the session stands once the cuts of these operations are lifted, one after the other.
fn head_after_lifting(
    reader: &Reader<'_>,
    session: SessionId,
    operations: &[OperationId],
) -> Result<Option<HeadId>, StoreError> {
    let Some(mut stands) = reader.selected_head(session)? else { return Ok(None) };
    let mut moved = false;
    for operation in operations {
        let cut = reader.head_of_operation(*operation)?.filter(|cut| cut.id == stands.id && !cut.is_absorbed);
        let Some(parent) = cut.and_then(|cut| cut.parent).map(|parent| reader.head(parent)).transpose()?.flatten()
        else {
            continue;
        };
        stands = parent;
        moved = true;
    }
    Ok(moved.then_some(stands.id))
}
