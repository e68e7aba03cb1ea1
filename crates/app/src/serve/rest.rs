//! Before turns are taken back the running one must come to rest: whoever runs it is asked, and waited for.

use std::time::{Duration, Instant};

use serde_json::json;
use takeback::{Order, Report, Standing, Trouble};

use super::call::Call;
use super::fault::Fault;
use super::message;
use super::server::Session;
use crate::wire;

/// How long a turn may take to come to rest, unless the request says otherwise.
const WAIT_MS: u64 = 15_000;

/// How often the store is asked; a turn that ends through this server is noticed at once.
const POLL: Duration = Duration::from_millis(100);

/// Asks those who run the session's turn to stop, and waits until nothing of it is under way.
///
/// Returns the outcome to answer with if it does not come to rest in time: refused, nothing changed. A session that
/// nobody has opened here has nobody to be asked; then it is the engine that refuses while a tool runs. Fails if the
/// request is cancelled meanwhile.
pub(super) fn come_to_rest(call: &Call<'_>, session: &Session, order: &Order) -> Result<Option<String>, Fault> {
    let wait_ms = call.parameters.number("wait_ms").unwrap_or(WAIT_MS);
    let mut standing = standing(session)?;
    let owners = session.owners();
    if order.permits.even_if_busy || owners.is_empty() || standing.is_at_rest() {
        return Ok(None);
    }
    let request = stop_request(session, &standing, order, wait_ms);
    owners.iter().for_each(|owner| owner.offer(request.clone()));
    let began = Instant::now();
    loop {
        call.cancel.check()?;
        let left = Duration::from_millis(wait_ms).saturating_sub(began.elapsed());
        if left.is_zero() {
            return Ok(Some(refused(order, &standing, wait_ms)));
        }
        let seen = call.server.pulse.count();
        standing = self::standing(session)?;
        if standing.is_at_rest() {
            return Ok(None);
        }
        call.cancel.check()?;
        call.server.pulse.wait(seen, left.min(POLL));
    }
}

fn standing(session: &Session) -> Result<Standing, Fault> {
    session.workspace.standing(session.id).map_err(|error| Fault::not_done(&error))
}

fn stop_request(session: &Session, standing: &Standing, order: &Order, deadline_ms: u64) -> String {
    let parameters = json!({
        "session": session.handle,
        "turn": standing.turn.map(|turn| turn.to_string()),
        "reason": order.selection.verb().code(),
        "deadline_ms": deadline_ms,
    });
    message::notification("stop/request", &parameters)
}

fn refused(order: &Order, standing: &Standing, wait_ms: u64) -> String {
    let report = Report::refused(order, Trouble::Busy { steps: standing.running.clone() });
    let turn = standing.turn.map_or_else(|| "A tool".to_owned(), |turn| format!("Turn {turn}"));
    let message =
        format!("{turn} did not come to rest within {wait_ms} ms; nothing was changed, stop it and try again");
    wire::outcome(&report, Some(message))
}
