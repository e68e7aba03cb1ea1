//! Which transitions stand. A transition is taken back while a standing later one lists it; else it stands.
//!
//! This looks only at who lists whom, never at what the transitions changed.

use std::collections::{BTreeMap, BTreeSet};

use model::Seq;

/// That one transition takes another one back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reverses {
    /// The later transition, of one of our own operations.
    pub by: Seq,
    /// The earlier transition that it lists.
    pub taken: Seq,
}

/// Those of `asked` that stand.
///
/// `links` must be closed upward: with a transition it holds every link to those that take it back, to those that take
/// these back, and so on. A link that does not lead from a later to an earlier transition is ignored, so that no input
/// can send this in circles. Cost: one sort of the links.
pub fn standing(links: &[Reverses], asked: &BTreeSet<Seq>) -> BTreeSet<Seq> {
    let takers = takers_by_taken(links);
    let mut verdicts: BTreeMap<Seq, bool> = BTreeMap::new();
    for taken in takers.keys().rev() {
        let stands = takers[taken].iter().all(|by| !verdicts.get(by).copied().unwrap_or(true));
        verdicts.insert(*taken, stands);
    }
    asked.iter().copied().filter(|seq| verdicts.get(seq).copied().unwrap_or(true)).collect()
}

fn takers_by_taken(links: &[Reverses]) -> BTreeMap<Seq, Vec<Seq>> {
    let mut takers: BTreeMap<Seq, Vec<Seq>> = BTreeMap::new();
    for link in links.iter().filter(|link| link.by > link.taken) {
        takers.entry(link.taken).or_default().push(link.by);
    }
    takers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(links: &[(u64, u64)], asked: &[u64]) -> Vec<u64> {
        let links: Vec<_> = links.iter().map(|&(by, taken)| Reverses { by: Seq(by), taken: Seq(taken) }).collect();
        standing(&links, &asked.iter().map(|&n| Seq(n)).collect()).into_iter().map(|seq| seq.0).collect()
    }

    #[test]
    fn what_nobody_lists_stands() {
        assert_eq!(stand(&[], &[1, 2]), [1, 2]);
    }

    #[test]
    fn undo_takes_back_and_redo_brings_again() {
        assert_eq!(stand(&[(5, 1)], &[1, 2, 5]), [2, 5]);
        assert_eq!(stand(&[(5, 1), (8, 5)], &[1, 5, 8]), [1, 8]);
        assert_eq!(stand(&[(5, 1), (8, 5), (9, 8)], &[1, 5, 8, 9]), [5, 9]);
    }

    #[test]
    fn one_standing_taker_among_several_is_enough() {
        assert_eq!(stand(&[(5, 1), (8, 5), (9, 1)], &[1]), [] as [u64; 0]);
    }

    #[test]
    fn links_that_lead_nowhere_send_nobody_in_circles() {
        assert_eq!(stand(&[(1, 1), (2, 3), (3, 2)], &[1, 2, 3]), [1, 3]);
    }
}
