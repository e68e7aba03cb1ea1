//! Before the conversation moves the running turn must come to rest: whoever runs it is asked, and waited for.

use std::sync::MutexGuard;
use std::time::{Duration, Instant};

use model::TurnId;
use serde_json::json;
use takeback::Standing;

use super::call::Call;
use super::fault::Fault;
use super::message;
use super::server::Session;

/// How long a turn may take to come to rest, unless the request says otherwise.
const WAIT_MS: u64 = 15_000;

/// How often the store is asked; a turn that ends through this server is noticed at once.
const POLL: Duration = Duration::from_millis(100);

/// What wants to move the conversation, and how much it minds a running turn.
pub(super) struct Asking {
    /// What those who run the turn are told.
    pub(super) reason: &'static str,
    /// Go on at once; nobody is asked.
    pub(super) even_if_busy: bool,
}

/// What came of the asking.
pub(super) enum Rest<'a> {
    /// Nothing of the session is under way, and nothing can begin through this server while this is held.
    Still(MutexGuard<'a, ()>),
    /// It did not come to rest in time.
    Busy(Busy),
}

/// What went on all the time.
pub(super) struct Busy {
    pub(super) standing: Standing,
    /// The same for people.
    pub(super) message: String,
}

/// Asks those who run the session's turn to stop, and waits until nothing of it is under way.
///
/// Changes nothing. A turn that begins while this waits is asked too. A session that nobody has opened here has nobody
/// to be asked; then it is the engine that refuses while a tool runs. Fails if the request is cancelled meanwhile.
pub(super) fn come_to_rest<'a>(call: &Call<'_>, session: &'a Session, asking: &Asking) -> Result<Rest<'a>, Fault> {
    let wait_ms = call.parameters.number("wait_ms").unwrap_or(WAIT_MS);
    let wait = Duration::from_millis(wait_ms);
    let (mut asked_first, mut asked) = (None, None);
    loop {
        call.cancel.check()?;
        let seen = call.server.pulse.count();
        let still = session.hold_still();
        let standing = session.workspace.standing(session.id).map_err(|error| Fault::not_done(&error))?;
        if asking.even_if_busy || standing.is_at_rest() || !session.has_owners() {
            return Ok(Rest::Still(still));
        }
        drop(still);
        let left = asked_first.map_or(wait, |at: Instant| wait.saturating_sub(at.elapsed()));
        asked_first.get_or_insert_with(Instant::now);
        if asked != Some(standing.turn) {
            ask(session, standing.turn, asking.reason, left);
            asked = Some(standing.turn);
        }
        if left.is_zero() {
            return Ok(Rest::Busy(busy(standing, wait_ms)));
        }
        call.server.pulse.wait(seen, left.min(POLL));
    }
}

/// Tells everybody who runs the session that it should stop.
fn ask(session: &Session, turn: Option<TurnId>, reason: &str, left: Duration) {
    let parameters = json!({
        "session": session.handle,
        "turn": turn.map(|turn| turn.to_string()),
        "reason": reason,
        "deadline_ms": u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
    });
    let request = message::notification("stop/request", &parameters);
    session.owners().iter().for_each(|owner| owner.offer(request.clone()));
}

fn busy(standing: Standing, wait_ms: u64) -> Busy {
    let turn = standing.turn.map_or_else(|| "A tool".to_owned(), |turn| format!("Turn {turn}"));
    let message =
        format!("{turn} did not come to rest within {wait_ms} ms; nothing was changed, stop it and try again");
    Busy { standing, message }
}
