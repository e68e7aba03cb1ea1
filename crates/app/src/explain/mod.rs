//! The words: reports, logs and troubles as people read them. Nothing is decided or looked up here.

mod blame;
mod change;
mod diff;
mod doctor;
mod log;
mod phrases;
mod progress;
mod reasons;
mod report;
mod sessions;
mod setup;
mod show;
mod status;
mod talk;
mod upkeep;

pub(crate) use blame::blame;
pub(crate) use diff::{diff, text_change};
pub(crate) use doctor::doctor;
pub(crate) use log::log;
pub(crate) use progress::progress_bar;
pub(crate) use report::{at_agent, report, trouble};
pub(crate) use sessions::sessions;
pub(crate) use setup::{setup, setups};
pub(crate) use show::show;
pub(crate) use status::status;
pub(crate) use talk::{context, version_diff, versions};
pub(crate) use upkeep::{gc, purge, purge_preview, verify};

pub(crate) use phrases::first_line;
use phrases::{ago, below, count, duration, listed, size};
use reasons::reason;

use crate::wire::shown_path;

/// An error with what caused it, in one line, each part said once.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let more = source.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        next = source.source();
    }
    text
}
