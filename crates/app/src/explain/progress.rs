//! A bar for work that takes long, shown only to people.

use indicatif::{ProgressBar as Bar, ProgressStyle};

use crate::terminal::Terminal;

/// A bar that may be shown.
pub(crate) struct ProgressBar {
    bar: Option<Bar>,
}

/// A bar with a verb, or nothing where no person is watching.
pub(crate) fn progress_bar(terminal: &Terminal, verb: &'static str) -> ProgressBar {
    if !terminal.shows_progress() {
        return ProgressBar { bar: None };
    }
    let bar = Bar::new(0).with_message(verb);
    if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos}/{len}") {
        bar.set_style(style);
    }
    ProgressBar { bar: Some(bar) }
}

impl ProgressBar {
    /// Shows how much of how much is done.
    pub(crate) fn set(&self, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Takes the bar away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
