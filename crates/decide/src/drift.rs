//! Where two plans disagree: the one that was shown and the one that was made again right before writing.

use std::collections::{BTreeMap, BTreeSet};

use model::{Entry, FileResult, Plan, Reason, WorkspacePath};

/// What a plan says about a path, without what is only of interest to the reader.
#[derive(PartialEq, Eq, Default)]
struct Saying<'p> {
    change: Option<(&'p Entry, &'p Entry, Option<&'p WorkspacePath>)>,
    left: Option<(FileResult, Reason)>,
    gaps: BTreeSet<Reason>,
}

/// The paths on which two plans disagree, sorted. Empty if carrying out the one is carrying out the other.
pub fn drift(shown: &Plan, now: &Plan) -> Vec<WorkspacePath> {
    let (shown, now) = (sayings(shown), sayings(now));
    let paths: BTreeSet<_> = shown.keys().chain(now.keys()).copied().collect();
    paths.into_iter().filter(|path| shown.get(path) != now.get(path)).cloned().collect()
}

fn sayings(plan: &Plan) -> BTreeMap<&WorkspacePath, Saying<'_>> {
    let mut sayings: BTreeMap<_, Saying<'_>> = BTreeMap::new();
    for change in &plan.changes {
        let said = (&change.before, &change.after, change.moved_from.as_ref());
        sayings.entry(&change.path).or_default().change = Some(said);
    }
    for left in &plan.left {
        sayings.entry(&left.path).or_default().left = Some((left.result, left.reason));
    }
    for gap in &plan.gaps {
        sayings.entry(&gap.path).or_default().gaps.insert(gap.reason);
    }
    sayings
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Evidence, Gap, Left};

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a good path")
    }

    fn left(text: &str, reason: Reason) -> Left {
        Left { path: path(text), result: FileResult::Kept, reason, evidence: Evidence::Exact }
    }

    #[test]
    fn equal_plans_do_not_drift_and_others_do_where_they_differ() {
        let mut shown = Plan::empty();
        shown.left = vec![left("a", Reason::Contested), left("b", Reason::Contested)];
        shown.gaps = vec![Gap { path: path("c"), reason: Reason::TooLarge }];
        let mut now = shown.clone();
        assert_eq!(drift(&shown, &now), []);
        now.left[1].reason = Reason::EditedOutside;
        now.gaps.clear();
        assert_eq!(drift(&shown, &now), [path("b"), path("c")]);
    }
}
