//! Whether the client is at work on a session: it keeps one file per living process that says so.

use disk::Process;
use serde_json::Value;

use super::place::config_folder;
use crate::driver::{Seat, SignOfLife};

/// Looks for a process that holds the session. Without any file of it nothing is known: not every way of starting the
/// client leaves one.
pub(super) fn sign_of_life(seat: &Seat) -> SignOfLife {
    let files = disk::state::list(&config_folder(&seat.home).join("sessions")).unwrap_or_default();
    let told = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    let values = told.filter_map(|file| serde_json::from_slice(&disk::state::read(file).ok()??).ok());
    let ours = values.filter(|value: &Value| value["sessionId"].as_str() == Some(&seat.native));
    ours.map(|value| of_process(&value)).max_by_key(weight).unwrap_or(SignOfLife::Unknown)
}

fn of_process(value: &Value) -> SignOfLife {
    let pid = value["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    if !pid.and_then(Process::of).is_some_and(|process| has_started_then(process, value)) {
        return SignOfLife::Gone;
    }
    match value["status"].as_str() {
        Some("idle") => SignOfLife::Idle,
        // It waits for an answer of the user in the middle of a turn, or works.
        Some("busy" | "waiting") => SignOfLife::Busy,
        _ => SignOfLife::Unknown,
    }
}

/// A number that was given to a later process is not that process.
fn has_started_then(process: Process, value: &Value) -> bool {
    let told = value["procStart"].as_str().and_then(|ticks| ticks.parse::<u64>().ok());
    told.is_none_or(|ticks| process.started_ticks == 0 || process.started_ticks == ticks)
}

/// What the careful go by, where several processes hold one session.
fn weight(sign: &SignOfLife) -> u8 {
    match sign {
        SignOfLife::Gone => 0,
        SignOfLife::Idle => 1,
        SignOfLife::Unknown => 2,
        SignOfLife::Busy => 3,
    }
}
