//! Bringing an agent to rest before files are touched: it is asked with its own lever, and waited for.

use std::time::Duration;

use model::SessionId;

use crate::driven;
use crate::error::OrderError;
use crate::workspace::Workspace;

/// How long lies between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(100);

/// What became of an agent that was asked to stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rest {
    /// Nothing of the session is running.
    Still,
    /// It was asked and goes on all the same.
    GoesOn,
    /// It was not asked, for this reason.
    NotAsked(String),
}

impl Workspace {
    /// Asks the agent of a session to stop the turn it is at work on, and waits for that, not for longer than `limit`.
    /// Nothing in the workspace is written, and no process is ended.
    pub fn bring_to_rest(&self, session: SessionId, limit: Duration) -> Result<Rest, OrderError> {
        if self.busy_with(session)?.is_none() {
            return Ok(Rest::Still);
        }
        if self.environment.is_inside_step {
            return Ok(Rest::NotAsked("an agent's own step cannot stop its agent".to_owned()));
        }
        if let Some(error) = driven::ask_to_stop(self, session)? {
            return Ok(Rest::NotAsked(error.to_string()));
        }
        let end_ns = disk::clock::monotonic_ns().saturating_add(u64::try_from(limit.as_nanos()).unwrap_or(u64::MAX));
        while disk::clock::monotonic_ns() < end_ns {
            disk::wait_for_any(&[], BETWEEN_LOOKS);
            if self.busy_with(session)?.is_none() {
                return Ok(Rest::Still);
            }
        }
        Ok(Rest::GoesOn)
    }
}
