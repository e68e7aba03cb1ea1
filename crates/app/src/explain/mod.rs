//! The words: reports, logs and troubles as people read them. Nothing is decided or looked up here.

mod log;
mod progress;
mod reasons;
mod report;

pub(crate) use log::log;
pub(crate) use progress::{ProgressBar, progress_bar};
pub(crate) use reasons::reason;
pub(crate) use report::{report, trouble};

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

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}
