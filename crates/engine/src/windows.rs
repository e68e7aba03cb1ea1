//! The windows open at a barrier, put together from the store's rows for attribution. Reads rows; judges nothing.

use std::collections::BTreeMap;

use decide::attribution::{Closing, OpenWindow, Presence};
use model::{SessionId, StepId};
use store::{Reader, Spawns, StoreError, Window, WindowState};

/// Every open window, those that `closing` names marked as closed here.
pub(crate) fn open_windows(
    reader: &Reader<'_>,
    closing: &BTreeMap<StepId, Closing>,
) -> Result<Vec<OpenWindow>, StoreError> {
    reader.open_windows()?.into_iter().map(|window| open_window(reader, window, closing)).collect()
}

/// Every window that was opened since, and those still open, as if they had never told of their end.
pub(crate) fn late_windows(reader: &Reader<'_>, since_ns: i64) -> Result<Vec<OpenWindow>, StoreError> {
    let windows = reader.windows_since(since_ns)?;
    let closing = windows.iter().map(|window| (window.step, Closing::Late)).collect();
    windows.into_iter().map(|window| open_window(reader, window, &closing)).collect()
}

fn open_window(
    reader: &Reader<'_>,
    window: Window,
    closing: &BTreeMap<StepId, Closing>,
) -> Result<OpenWindow, StoreError> {
    let lineage = lineage(reader, window.session, window.agent_id.as_deref())?;
    Ok(OpenWindow {
        step: window.step,
        session: window.session,
        agents: lineage.agents,
        agent_started_ns: lineage.started_ns,
        opened_ns: window.opened_ns,
        claims: window.claims,
        presence: if window.state == WindowState::Background { Presence::Background } else { Presence::Foreground },
        spawns_subagents: window.spawns == Spawns::Subagents,
        asked_permission: window.asked_permission,
        closing: closing.get(&window.step).copied().unwrap_or(Closing::Stays),
    })
}

/// A subagent and those it was started by, the innermost first.
#[derive(Debug, Default)]
pub(crate) struct Lineage {
    pub(crate) agents: Vec<String>,
    pub(crate) started_ns: i64,
}

/// Follows a subagent up to the main agent. Ids that are not known end the way; a circle cannot loop.
pub(crate) fn lineage(reader: &Reader<'_>, session: SessionId, agent: Option<&str>) -> Result<Lineage, StoreError> {
    let mut lineage = Lineage::default();
    let mut next = agent.map(str::to_owned);
    while let Some(agent) = next.take().filter(|agent| !lineage.agents.contains(agent)) {
        let row = reader.subagent(session, &agent)?;
        if lineage.agents.is_empty() {
            lineage.started_ns = row.as_ref().map_or(i64::MAX, |row| row.started_ns);
        }
        lineage.agents.push(agent);
        next = row.and_then(|row| row.parent_agent);
    }
    Ok(lineage)
}
