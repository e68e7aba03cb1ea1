//! The JSON mirrors: what is printed with `--json`, field by field. Stable; see `docs/json.md`. Conversion only.

mod blame;
mod change;
mod diff;
mod doctor;
mod log;
mod outcome;
mod sessions;
mod setup;
mod show;
mod status;
mod talk;
mod upkeep;
mod verify;

pub(crate) use blame::blame;
pub(crate) use diff::{NO_NEWLINE, diff, sign, target};
pub(crate) use doctor::doctor;
pub(crate) use log::log;
pub(crate) use outcome::outcome;
pub(crate) use sessions::sessions;
pub(crate) use setup::{setup, setups};
pub(crate) use show::show;
pub(crate) use status::{checkpoint, status};
pub(crate) use talk::{context, fork, transcript, version_diff, versions};
pub(crate) use upkeep::{gc, gc_refused, purge, purge_not_done};
pub(crate) use verify::verify;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

/// A path as it is printed: readable, and exactly where it is not UTF-8.
#[derive(Debug, Serialize)]
pub(crate) struct WirePath {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
}

impl WirePath {
    pub(crate) fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self { path: text.to_owned(), path_bytes: None },
            Err(_) => Self { path: shown_path(bytes), path_bytes: Some(STANDARD.encode(bytes)) },
        }
    }
}

/// Bytes as text: what is not UTF-8 is shown as `\xNN`.
pub(crate) fn shown_path(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    text
}

/// A time as RFC 3339 in UTC.
pub(crate) fn time(ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns)).map_or_else(|_| ns.to_string(), |time| format!("{time:.3}"))
}

/// Ids as they are printed.
fn texts<T: ToString>(ids: impl IntoIterator<Item = T>) -> Vec<String> {
    ids.into_iter().map(|id| id.to_string()).collect()
}

/// One line of JSON.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    text.push('\n');
    text
}
