//! Counting what is not covered, by reason. Values only.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::{Reason, WorkspacePath};

/// How much is not covered for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GapTally {
    /// Why.
    pub reason: Reason,
    /// How many paths; a folder counts once, whatever is in it.
    pub paths: usize,
    /// The first of them, sorted.
    pub examples: Vec<WorkspacePath>,
}

/// How many paths are named for each reason.
const EXAMPLES_MAX: usize = 3;

/// Counts gaps by reason, the most frequent first.
pub(super) fn tally(gaps: impl IntoIterator<Item = (WorkspacePath, Reason)>) -> Vec<GapTally> {
    let mut by_reason: BTreeMap<Reason, Vec<WorkspacePath>> = BTreeMap::new();
    for (path, reason) in gaps {
        by_reason.entry(reason).or_default().push(path);
    }
    let mut tallies: Vec<GapTally> = by_reason
        .into_iter()
        .map(|(reason, mut paths)| {
            paths.sort();
            GapTally { reason, paths: paths.len(), examples: paths.into_iter().take(EXAMPLES_MAX).collect() }
        })
        .collect();
    tallies.sort_by_key(|tally| (Reverse(tally.paths), tally.reason));
    tallies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_reason_comes_first_with_its_first_paths() {
        let path = |text: &str| WorkspacePath::new(text).expect("a path");
        let gaps = [("d", Reason::Derived), ("c", Reason::TooLarge), ("b", Reason::TooLarge), ("a", Reason::TooLarge)];
        let tallies = tally(gaps.map(|(text, reason)| (path(text), reason)));
        assert_eq!(tallies[0].examples, ["a", "b", "c"].map(path));
        assert_eq!((tallies[0].paths, tallies[1].reason), (3, Reason::Derived));
    }
}
