//! [`Previews`]: what a client was shown lately, so that it can agree to exactly that.

use std::collections::VecDeque;

use takeback::{Order, Report};

/// How many previews are kept; older ones must be asked for again.
const PREVIEWS_MAX: usize = 16;

/// The newest previews of one client.
#[derive(Debug, Default)]
pub(super) struct Previews {
    kept: VecDeque<Preview>,
    number: u64,
}

#[derive(Debug)]
struct Preview {
    name: String,
    order: Order,
    report: Report,
}

impl Previews {
    /// Keeps what was shown; returns the name to agree to it by.
    pub(super) fn keep(&mut self, order: Order, report: Report) -> String {
        self.number += 1;
        let name = format!("a{}", self.number);
        self.kept.truncate(PREVIEWS_MAX - 1);
        self.kept.push_front(Preview { name: name.clone(), order, report });
        name
    }

    /// What was shown under a name for this very order.
    pub(super) fn shown(&self, name: &str, order: &Order) -> Option<Report> {
        let preview = self.kept.iter().find(|preview| preview.name == name)?;
        (preview.order == *order).then(|| preview.report.clone())
    }
}
