//! [`Row`]: one line of the result: what was measured, on both sides, and what it should come to.

/// One line of the result.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// What was done, with its size.
    pub(crate) what: String,
    /// What shadow git did meanwhile.
    pub(crate) beside: &'static str,
    pub(crate) unit: Unit,
    /// What takeback took, run by run.
    pub(crate) takeback: Vec<f64>,
    /// What shadow git took in the same runs.
    pub(crate) shadow_git: Vec<f64>,
    pub(crate) target: Target,
}

/// What the numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Milliseconds,
    Bytes,
}

/// What a row should come to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Target {
    /// The median of takeback, in the unit of the row.
    AtMost(f64),
    /// Shadow git takes at least this many times as much.
    TimesLess(f64),
    /// Takeback takes at most this many times as much.
    TimesAtMost(f64),
}

impl Row {
    /// The median of what shadow git took for one of what takeback took.
    pub(crate) fn ratio(&self) -> f64 {
        let pairs = self.takeback.iter().zip(&self.shadow_git);
        median(&pairs.map(|(ours, theirs)| theirs / ours.max(f64::MIN_POSITIVE)).collect::<Vec<_>>())
    }

    /// Whether the target is met.
    pub(crate) fn is_met(&self) -> bool {
        match self.target {
            Target::AtMost(most) => median(&self.takeback) <= most,
            Target::TimesLess(least) => self.ratio() >= least,
            Target::TimesAtMost(most) => 1.0 / self.ratio() <= most,
        }
    }
}

/// The middle one, or the mean of the two in the middle.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn a_ratio_is_the_median_of_pairs_and_not_a_ratio_of_medians() {
        let row = Row {
            what: "this".to_owned(),
            beside: "that",
            unit: Unit::Milliseconds,
            takeback: vec![1.0, 10.0, 1.0],
            shadow_git: vec![2.0, 40.0, 3.0],
            target: Target::TimesLess(3.0),
        };
        assert_eq!((row.ratio(), row.is_met()), (3.0, true));
        assert!(!Row { target: Target::AtMost(0.5), ..row.clone() }.is_met());
        assert!(Row { target: Target::TimesAtMost(0.4), ..row }.is_met());
    }
}
