//! The measures: what is done, how often, and beside what.

mod large;
mod small;
mod undo;

use std::path::Path;
use std::time::Duration;

use crate::Fault;
use crate::options::Options;
use crate::row::Row;

/// One measure, which gives one or more rows.
pub(crate) struct Measure {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) run: fn(&Path, &Options) -> Result<Vec<Row>, Fault>,
}

/// All of them, in the order of the result.
pub(crate) const ALL: &[Measure] = &[
    Measure { name: "small", summary: "hooks in a tree of 10 000 files", run: small::measure },
    Measure { name: "large", summary: "first capture, store and hooks at 100 000 files", run: large::measure },
    Measure { name: "undo", summary: "taking 1 000 changes of 20 000 files back", run: undo::measure },
];

/// What shadow git does at every step.
const CAPTURE: &str = "add -A, write-tree";

fn milliseconds(taken: Duration) -> f64 {
    taken.as_secs_f64() * 1_000.0
}

/// A number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_stand_apart() {
        assert_eq!([7, 1_000, 1_234_567].map(super::grouped), ["7", "1 000", "1 234 567"]);
    }
}
