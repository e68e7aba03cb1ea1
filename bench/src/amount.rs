//! Measured amounts and how people read them.

use std::time::Duration;

use serde_json::{Value, json};

/// What was measured of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Amount {
    /// How long its runs took.
    Times(Times),
    /// How much room it takes on disk.
    Bytes(u64),
}

/// How long several runs of the same work took, the shortest first; never empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    sorted: Vec<Duration>,
}

impl Times {
    /// Takes the runs in any order.
    pub(crate) fn new(mut runs: Vec<Duration>) -> Self {
        assert!(!runs.is_empty(), "something was run");
        runs.sort_unstable();
        Self { sorted: runs }
    }

    /// Half of the runs were not slower.
    pub(crate) fn median(&self) -> Duration {
        self.percentile(50)
    }

    /// So many percent of the runs were not slower.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.sorted.len() * percent).div_ceil(100);
        self.sorted[rank.max(1) - 1]
    }
}

impl Amount {
    /// The amount as one number, for ratios.
    pub(crate) fn typical(&self) -> f64 {
        match self {
            Amount::Times(times) => times.median().as_secs_f64(),
            Amount::Bytes(bytes) => *bytes as f64,
        }
    }

    /// The typical amount with its unit.
    pub(crate) fn text(&self) -> String {
        match self {
            Amount::Times(times) => duration_text(times.median()),
            Amount::Bytes(bytes) => format!("{:.1} MiB", *bytes as f64 / f64::from(1 << 20)),
        }
    }

    /// What nine of ten runs do not exceed; nothing for a size.
    pub(crate) fn ninetieth_text(&self) -> String {
        match self {
            Amount::Times(times) => duration_text(times.percentile(90)),
            Amount::Bytes(_) => String::new(),
        }
    }

    /// The amount for programs.
    pub(crate) fn to_json(&self) -> Value {
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
        match self {
            Amount::Times(times) => json!({
                "p50_ms": milliseconds(times.median()),
                "p90_ms": milliseconds(times.percentile(90)),
                "runs": times.sorted.len(),
            }),
            Amount::Bytes(bytes) => json!({ "bytes": bytes }),
        }
    }
}

fn duration_text(duration: Duration) -> String {
    let milliseconds = duration.as_secs_f64() * 1e3;
    if milliseconds < 1_000.0 { format!("{milliseconds:.1} ms") } else { format!("{:.2} s", milliseconds / 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_and_the_ninetieth_are_runs_that_happened() {
        let times = Times::new((1..=11).rev().map(Duration::from_millis).collect());
        assert_eq!((times.median(), times.percentile(90)), (Duration::from_millis(6), Duration::from_millis(10)));
        assert_eq!(Times::new([1, 2, 3].map(Duration::from_millis).to_vec()).percentile(90), Duration::from_millis(3));
        assert_eq!(Amount::Times(times).text(), "6.0 ms");
        assert_eq!(Amount::Bytes(3 << 19).text(), "1.5 MiB");
        assert_eq!(duration_text(Duration::from_millis(2_350)), "2.35 s");
    }
}
