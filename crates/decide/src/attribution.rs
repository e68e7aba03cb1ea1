//! Attribution: whose work a difference is, from the windows that were open when it was seen.
//!
//! It never guesses: where several could have made a change, all of them are named. It sees no disk and no store.

use std::collections::BTreeSet;

use model::{Cause, Entry, Evidence, SessionId, StepId, WorkspacePath};

/// The window of a step, as far as attribution needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenWindow {
    /// The step.
    pub step: StepId,
    /// The session it belongs to.
    pub session: SessionId,
    /// The subagents it was called by, the innermost first; empty for the main agent.
    pub agents: Vec<String>,
    /// When the innermost of those subagents began, in nanoseconds since the epoch; 0 for the main agent.
    pub agent_started_ns: i64,
    /// When the window was opened, in nanoseconds since the epoch.
    pub opened_ns: i64,
    /// The paths its tool said it would change.
    pub claims: Vec<WorkspacePath>,
    /// Whether the call has answered and only what it started goes on.
    pub presence: Presence,
    /// Whether its tool starts subagents.
    pub spawns_subagents: bool,
    /// Whether the user was asked for permission while it was open.
    pub asked_permission: bool,
    /// Whether it is closed at this barrier, and how.
    pub closing: Closing,
}

/// Whether a tool call itself still runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It runs.
    Foreground,
    /// It has answered, but left something running.
    Background,
}

/// How a window is closed at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Closing {
    /// It stays open.
    Stays,
    /// By its own after-event; `began_ns` is when the tool itself began, if it told how long it ran.
    ByItself {
        /// Nanoseconds since the epoch.
        began_ns: Option<i64>,
    },
    /// From outside: it never told that it has ended.
    Late,
}

/// One difference, as it was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sight<'a> {
    /// Where.
    pub path: &'a WorkspacePath,
    /// What was there.
    pub before: &'a Entry,
    /// What is there now.
    pub after: &'a Entry,
    /// When it last changed by its own stamp, in nanoseconds since the epoch; none for what is gone.
    pub changed_ns: Option<i64>,
}

/// How close to the start of a tool a time stamp proves nothing: hooks take time and clocks step.
pub const DOUBTFUL_BAND_NS: i64 = 150_000_000;

/// Says whose work a difference is. `windows` are all windows open at the barrier, those that it closes included.
pub fn attribute(windows: &[OpenWindow], sight: &Sight<'_>) -> (Cause, Evidence) {
    let claiming: Vec<&OpenWindow> = windows.iter().filter(|window| claims(window, sight)).collect();
    if !claiming.is_empty() {
        return among(&claiming, Evidence::Exact);
    }
    let foreground: Vec<&OpenWindow> = windows
        .iter()
        .filter(|window| window.presence == Presence::Foreground)
        .filter(|window| !windows.iter().any(|other| contains(window, other)))
        .collect();
    match foreground.as_slice() {
        [] if windows.is_empty() => (Cause::Outside, Evidence::Window),
        [] => contested(windows.iter(), OrOutside::Yes),
        [only] if only.asked_permission => after_permission(only, sight),
        [_] => among(&foreground, Evidence::Window),
        _ if foreground.iter().any(|window| window.asked_permission) => contested(foreground, OrOutside::Yes),
        _ => contested(foreground, OrOutside::No),
    }
}

/// A structured tool claims its paths, and the folders it had to make for them.
fn claims(window: &OpenWindow, sight: &Sight<'_>) -> bool {
    let makes_folder = sight.before.is_absent() && matches!(sight.after, Entry::Dir { .. });
    window.claims.iter().any(|claimed| claimed == sight.path || (makes_folder && claimed.is_at_or_below(sight.path)))
}

/// Whether `inner` is a call of a subagent that the call `outer` started, so that what is seen in both is `inner`'s.
fn contains(outer: &OpenWindow, inner: &OpenWindow) -> bool {
    let is_below = inner.agents.len() > outer.agents.len() && inner.agents.ends_with(&outer.agents);
    outer.spawns_subagents
        && inner.presence == Presence::Foreground
        && outer.session == inner.session
        && is_below
        && outer.opened_ns <= inner.agent_started_ns
}

fn among(windows: &[&OpenWindow], evidence: Evidence) -> (Cause, Evidence) {
    match windows {
        [only] if only.closing == Closing::Late => (Cause::Step(only.step), Evidence::Late),
        [only] => (Cause::Step(only.step), evidence),
        _ => contested(windows.iter().copied(), OrOutside::No),
    }
}

/// The user may have worked while the question was on the screen: the stamp of the change decides, if it can.
fn after_permission(window: &OpenWindow, sight: &Sight<'_>) -> (Cause, Evidence) {
    let doubt = || contested([window], OrOutside::Yes);
    let (Closing::ByItself { began_ns: Some(began_ns) }, Some(changed_ns)) = (window.closing, sight.changed_ns) else {
        return doubt();
    };
    if changed_ns >= began_ns.saturating_add(DOUBTFUL_BAND_NS) {
        (Cause::Step(window.step), Evidence::Window)
    } else if changed_ns < began_ns.saturating_sub(DOUBTFUL_BAND_NS) {
        (Cause::Outside, Evidence::Window)
    } else {
        doubt()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OrOutside {
    Yes,
    No,
}

fn contested<'a>(windows: impl IntoIterator<Item = &'a OpenWindow>, outside: OrOutside) -> (Cause, Evidence) {
    let steps: BTreeSet<StepId> = windows.into_iter().map(|window| window.step).collect();
    let or_outside = outside == OrOutside::Yes;
    (Cause::Contested { steps: steps.into_iter().collect(), or_outside }, Evidence::Contested)
}

#[cfg(test)]
mod tests;
