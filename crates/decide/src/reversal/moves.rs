//! Which transitions are the two ends of one move.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Cause, CheckpointId, Entry, Move, Transition, WorkspacePath};

/// The moves of a ledger, by the place of their ends in it.
#[derive(Default)]
pub(super) struct Moves {
    arrival_of: BTreeMap<usize, usize>,
    departure_of: BTreeMap<usize, usize>,
}

impl Moves {
    /// Pairs the ends. A move whose other end cannot be found is no move.
    ///
    /// Folders are not followed: every entry below them moves by itself. Nor is a covered thing whose place was filled
    /// again at the same barrier: whoever keeps a copy of a file beside it has edited the file, not moved it away. Only of
    /// our own operations it is known that they moved what they say.
    pub(super) fn find(ledger: &[Cow<'_, Transition>]) -> Self {
        let mut ends: BTreeMap<(CheckpointId, &WorkspacePath), Vec<usize>> = BTreeMap::new();
        for (at, transition) in ledger.iter().enumerate() {
            ends.entry((transition.checkpoint, &transition.path)).or_default().push(at);
        }
        let mut moves = Self::default();
        for (at, transition) in ledger.iter().enumerate() {
            let (Some(Move::From(other)) | Some(Move::To(other))) = &transition.moved else { continue };
            let is_arrival = matches!(transition.moved, Some(Move::From(_)));
            for &candidate in ends.get(&(transition.checkpoint, other)).into_iter().flatten() {
                let (departure, arrival) = if is_arrival { (candidate, at) } else { (at, candidate) };
                if moves.try_pair(departure, arrival, ledger) {
                    break;
                }
            }
        }
        moves
    }

    /// Where the thing went that left at `departure`.
    pub(super) fn arrival(&self, departure: usize) -> Option<usize> {
        self.arrival_of.get(&departure).copied()
    }

    /// Where the thing came from that arrived at `arrival`.
    pub(super) fn departure(&self, arrival: usize) -> Option<usize> {
        self.departure_of.get(&arrival).copied()
    }

    /// Takes a move out again.
    pub(super) fn forget(&mut self, departure: usize) {
        if let Some(arrival) = self.arrival_of.remove(&departure) {
            self.departure_of.remove(&arrival);
        }
    }

    fn try_pair(&mut self, departure: usize, arrival: usize, ledger: &[Cow<'_, Transition>]) -> bool {
        let is_free = !self.arrival_of.contains_key(&departure) && !self.departure_of.contains_key(&arrival);
        let fits = departure != arrival && is_free && is_followed(&ledger[departure], &ledger[arrival]);
        if fits {
            self.arrival_of.insert(departure, arrival);
            self.departure_of.insert(arrival, departure);
        }
        fits
    }
}

fn is_followed(departure: &Transition, arrival: &Transition) -> bool {
    let thing = &departure.before;
    let is_one_thing = !thing.is_absent() && thing.kind() == arrival.after.kind();
    let is_folder = matches!(thing, Entry::Dir { .. });
    let is_certain = matches!(departure.cause, Cause::Operation(_));
    is_one_thing && !is_folder && (is_certain || !thing.is_covered() || departure.after.is_absent())
}
