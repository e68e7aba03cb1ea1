//! Forks: another version, or another session, that goes on from a place in the conversation. Files stay as they are;
//! both sides own what they do from then on.

use model::{HeadId, HeadKind, Scope, SessionId, TurnId};
use store::{EntryPlace, Head, NewHead, NewSession, Reader, StoreError, Writer};

use super::selected;
use crate::apply::Agreement;
use crate::driven::{self, PrepareError, Prepared};
use crate::error::OrderError;
use crate::order::{Order, Permits, Selection};
use crate::report::AtAgent;
use crate::workspace::Workspace;

/// What a fork made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forked {
    /// The session the version belongs to.
    pub session: SessionId,
    /// The new version; the session stands on it.
    pub head: HeadId,
    /// Where an agent that keeps its conversation itself goes on.
    pub at_agent: Option<AtAgent>,
}

impl Workspace {
    /// Makes a version that holds everything up to the end of a turn, or all that was said, and stands on it.
    ///
    /// With the name of a new session the version belongs to that one, which inherits the turns up to there; without, it
    /// is another version of the same session. Fails with nothing made if the turn is not on the present version, the
    /// session exists already, or an agent is running that would be moved to the version. Never touches a file.
    pub fn fork(&self, session: SessionId, after: Option<TurnId>, into: Option<&str>) -> Result<Forked, OrderError> {
        if into.is_none() && !self.running_steps(session)?.is_empty() {
            return Err(OrderError::Running);
        }
        driven::follow(self, session, driven::Look::Always)?;
        let prepared = self.prepare_fork(session, after, into)?;
        let mut writer = self.store.write("fork", store::Durability::Full)?;
        let from = selected(&mut writer, session)?;
        let boundary = match after {
            None => from.tip,
            Some(turn) => Some(
                end_of(&writer, &from, turn)?
                    .ok_or_else(|| OrderError::Unknown { what: "turn on this version", name: turn.to_string() })?,
            ),
        };
        let owner = match into {
            None => session,
            Some(native) => new_session(&mut writer, session, after, native)?,
        };
        let head = writer.add_head(&NewHead {
            session: owner,
            kind: HeadKind::Fork,
            parent: Some(from.id),
            boundary,
            operation: None,
            made_ns: disk::clock::now_ns(),
        })?;
        if owner != session {
            writer.select_head(owner, head)?;
        }
        if let Some(prepared) = &prepared {
            driven::stand_at(&mut writer, prepared, head)?;
        }
        writer.commit()?;
        if owner == session {
            self.switch_to(session, head)?;
        }
        let at_agent = prepared.map(|prepared| driven::at_agent(&prepared.lever, None));
        Ok(Forked { session: owner, head, at_agent })
    }

    /// The agent that keeps the conversation makes the fork first: what fails there fails before anything is written. It
    /// gives its own ids, so no other name can be asked for.
    fn prepare_fork(
        &self,
        session: SessionId,
        after: Option<TurnId>,
        into: Option<&str>,
    ) -> Result<Option<Prepared>, OrderError> {
        let reader = self.store.read()?;
        let turn = after.map(|turn| reader.turn(turn)).transpose()?.flatten();
        let is_driven = reader.session(session)?.is_some_and(|row| driven::is_driven(&row.agent));
        if is_driven && into.is_some() {
            return Err(OrderError::AgentNamesSessions);
        }
        let prompt = turn.map(|turn| super::prompt_entry_id(&turn));
        driven::prepare_fork(self, session, prompt).map_err(|error| match error {
            PrepareError::Driver(error) => OrderError::Agent(error),
            PrepareError::Store(error) => error.into(),
        })
    }

    /// Stands on a version made just now; the turns it leaves out are on the one that is left.
    fn switch_to(&self, session: SessionId, head: HeadId) -> Result<(), OrderError> {
        let order = Order {
            session: Some(session),
            selection: Selection::Switch { head },
            scope: Scope::Conversation,
            policy: None,
            memory: None,
            permits: Permits::NONE,
        };
        self.apply(&order, Agreement::Whatever, &mut |_, _| {}).map(|_| ())
    }
}

/// The last entry of a turn on a version.
pub(super) fn end_of(reader: &Reader<'_>, head: &Head, turn: TurnId) -> Result<Option<EntryPlace>, StoreError> {
    let chain = reader.talk_chain(head.tip)?;
    Ok(chain.iter().rev().find(|entry| entry.turn == Some(turn)).map(|entry| entry.place))
}

fn new_session(
    writer: &mut Writer<'_>,
    parent: SessionId,
    after: Option<TurnId>,
    native: &str,
) -> Result<SessionId, OrderError> {
    let row = writer.session(parent)?.ok_or(OrderError::NoSession)?;
    if writer.session_by_native(&row.agent, native)?.is_some() {
        return Err(OrderError::Exists(native.to_owned()));
    }
    let newest = crate::history::newest_turn(writer, parent)?;
    Ok(writer.add_session(&NewSession {
        agent: row.agent,
        native: native.to_owned(),
        parent: Some(parent),
        forked_at: after.or(newest),
        cwd: row.cwd,
        started_ns: disk::clock::now_ns(),
    })?)
}
