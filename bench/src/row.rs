//! [`Row`]: one line of the table: some work, what it costs here and there, and what it should cost.

use serde_json::{Value, json};

use crate::amount::Amount;

/// One comparison.
#[derive(Debug)]
pub(crate) struct Row {
    /// What was done.
    pub(crate) work: String,
    /// What takeback needs for it.
    pub(crate) ours: Amount,
    /// What it was compared with.
    pub(crate) alternative: &'static str,
    /// What that needs.
    pub(crate) theirs: Amount,
    /// What is aimed at.
    pub(crate) target: Target,
}

/// What is aimed at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// At most so many milliseconds.
    MillisecondsMax(f64),
    /// At most so many mebibytes.
    MebibytesMax(f64),
    /// At least so many times as fast as the alternative.
    TimesFaster(f64),
    /// At most so many times what the alternative needs.
    TimesMax(f64),
}

impl Row {
    /// What the alternative needs, in units of what takeback needs.
    pub(crate) fn ratio(&self) -> f64 {
        self.theirs.typical() / self.ours.typical()
    }

    /// Whether the target is reached.
    pub(crate) fn is_reached(&self) -> bool {
        match self.target {
            Target::MillisecondsMax(most) => self.ours.typical() * 1e3 <= most,
            Target::MebibytesMax(most) => self.ours.typical() <= most * f64::from(1 << 20),
            Target::TimesFaster(least) => self.ratio() >= least,
            Target::TimesMax(most) => self.ours.typical() <= most * self.theirs.typical(),
        }
    }

    /// The row for programs.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "work": self.work,
            "takeback": self.ours.to_json(),
            "alternative": self.alternative,
            "alternative_needs": self.theirs.to_json(),
            "ratio": self.ratio(),
            "target": self.target.text(),
            "reached": self.is_reached(),
        })
    }
}

impl Target {
    /// The target in few signs.
    pub(crate) fn text(self) -> String {
        match self {
            Target::MillisecondsMax(most) => format!("≤ {most} ms"),
            Target::MebibytesMax(most) => format!("≤ {most} MiB"),
            Target::TimesFaster(least) => format!("≥ {least}× faster"),
            Target::TimesMax(most) => format!("≤ {most}× of it"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_reached_at_its_edge_and_not_beyond() {
        let row = |target, ours, theirs| Row {
            work: String::new(),
            ours: Amount::Bytes(ours),
            alternative: "",
            theirs: Amount::Bytes(theirs),
            target,
        };
        assert!(row(Target::TimesMax(0.5), 5, 10).is_reached());
        assert!(row(Target::MebibytesMax(1.0), 1 << 20, 10).is_reached());
        assert!(!row(Target::MebibytesMax(1.0), (1 << 20) + 1, 10).is_reached());
        assert!(!row(Target::TimesMax(0.5), 6, 10).is_reached());
        assert!(row(Target::TimesFaster(2.0), 5, 10).is_reached());
        assert!(!row(Target::TimesFaster(2.0), 6, 10).is_reached());
    }
}
