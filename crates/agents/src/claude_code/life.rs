//! Whether the client is at work on a session: it keeps one file per living process that says so.

use disk::Process;
use serde_json::Value;

use super::transcript::config_folder;
use crate::driver::{Seat, SignOfLife};

/// Looks for a process that holds the session. Without any file of it nothing is known: not every way of starting the
/// client leaves one.
pub(super) fn sign_of_life(seat: &Seat) -> SignOfLife {
    let files = disk::state::list(&config_folder(seat).join("sessions")).unwrap_or_default();
    let told = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "json"));
    let mut newest = SignOfLife::Unknown;
    for file in told {
        let Some(value) = disk::state::read(file).ok().flatten().and_then(|bytes| parse(&bytes)) else { continue };
        if value["sessionId"].as_str() != Some(&seat.native) {
            continue;
        }
        match of_process(&value) {
            SignOfLife::Busy => return SignOfLife::Busy,
            sign if newest == SignOfLife::Unknown || sign == SignOfLife::Idle => newest = sign,
            _ => {}
        }
    }
    newest
}

fn parse(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok()
}

fn of_process(value: &Value) -> SignOfLife {
    let pid = value["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok());
    match (pid.and_then(Process::of), value["status"].as_str()) {
        (None, _) => SignOfLife::Gone,
        (Some(_), Some("busy")) => SignOfLife::Busy,
        (Some(_), Some("idle")) => SignOfLife::Idle,
        (Some(_), _) => SignOfLife::Unknown,
    }
}
