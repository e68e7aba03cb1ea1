//! The JSON mirrors: what is printed with `--json`, field by field. Stable; see `docs/json.md`. Conversion only.

mod log;
mod outcome;

pub(crate) use log::log;
pub(crate) use outcome::outcome;

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
            Err(_) => Self { path: escaped(bytes), path_bytes: Some(STANDARD.encode(bytes)) },
        }
    }
}

fn escaped(bytes: &[u8]) -> String {
    model::WorkspacePath::new(bytes).map_or_else(|_| String::from_utf8_lossy(bytes).into_owned(), |path| path.to_string())
}

/// A time as RFC 3339 in UTC.
pub(crate) fn time(ns: i64) -> String {
    jiff::Timestamp::from_nanosecond(i128::from(ns)).map_or_else(|_| ns.to_string(), |time| format!("{time:.3}"))
}

/// One line of JSON.
pub(crate) fn line(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"));
    text.push('\n');
    text
}
