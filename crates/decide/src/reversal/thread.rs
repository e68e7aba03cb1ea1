//! Threads: the history of one thing each, wherever it went.
//!
//! A thread is a path's chain that follows moves: its state is a place and an entry. Where a moved thing covers another
//! one, the covered one ends as absent at that place and waits below it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Cause, Entry, Evidence, Seq, Transition, Tree, WorkspacePath};

use super::Reversal;
use super::moves::Moves;

/// Where a thing is and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct State {
    pub(super) place: WorkspacePath,
    pub(super) entry: Entry,
}

/// One change of a thread: a transition, or the two ends of a move.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// The transitions; empty for a change that nobody recorded.
    pub(super) seqs: Vec<Seq>,
    pub(super) is_chosen: bool,
    pub(super) is_contested: bool,
    pub(super) evidence: Evidence,
    pub(super) before: State,
    pub(super) after: State,
}

/// The history of one thing.
#[derive(Debug)]
pub(super) struct Thread {
    pub(super) events: Vec<Event>,
    /// Where and what it is now.
    pub(super) now: State,
}

/// Spins the threads of a ledger, in the order in which they begin, up to what is in the tree now.
pub(super) fn spin(ledger: &[Cow<'_, Transition>], request: &Reversal<'_>, tree: &dyn Tree) -> Vec<Thread> {
    let mut wheel = Wheel {
        ledger,
        request,
        moves: Moves::find(ledger),
        threads: Vec::new(),
        at_place: BTreeMap::new(),
        in_flight: BTreeMap::new(),
    };
    (0..ledger.len()).for_each(|at| wheel.take_up(at));
    wheel.meet_the_present(tree);
    wheel.threads
}

impl Event {
    /// Whether it changes what we know and not what is there.
    pub(super) fn is_about_coverage(&self) -> bool {
        let (before, after) = (&self.before.entry, &self.after.entry);
        before != after && !(before.is_covered() && after.is_covered())
    }
}

struct Wheel<'a> {
    ledger: &'a [Cow<'a, Transition>],
    request: &'a Reversal<'a>,
    moves: Moves,
    threads: Vec<Thread>,
    /// The threads at every place; only the last one can hold anything.
    at_place: BTreeMap<WorkspacePath, Vec<usize>>,
    /// The threads that have left, by their departure.
    in_flight: BTreeMap<usize, usize>,
}

impl Wheel<'_> {
    fn take_up(&mut self, at: usize) {
        let transition: &Transition = &self.ledger[at];
        let has_departed = self.moves.arrival(at).is_some() && self.depart(at);
        let mover = self.moves.departure(at).filter(|&departure| self.depart(departure));
        let rest = if has_departed { &Entry::Absent } else { &transition.before };
        match mover {
            Some(departure) => {
                if !rest.is_absent() {
                    self.change(at, rest, &Entry::Absent);
                }
                self.arrive(departure, at);
            }
            None if *rest != transition.after => self.change(at, rest, &transition.after),
            None => {}
        }
    }

    /// Lifts the thing that moves away out of its place; says whether the move is followed.
    fn depart(&mut self, at: usize) -> bool {
        let Some(arrival) = self.moves.arrival(at) else { return false };
        if self.in_flight.contains_key(&at) {
            return true;
        }
        let departure: &Transition = &self.ledger[at];
        let thread = self.thread_at(&departure.path, &departure.before);
        self.settle(thread, &departure.before);
        if self.is_rewrite(thread, arrival) {
            self.moves.forget(at);
            return false;
        }
        if let Some(stack) = self.at_place.get_mut(&departure.path) {
            stack.pop();
        }
        self.in_flight.insert(at, thread);
        true
    }

    /// Whether the move is the second half of writing a file anew: the chosen transitions made the mover, and it is put
    /// over a file that was there before. The file's own history goes on, so that later edits of it can be merged.
    fn is_rewrite(&self, mover: usize, arrival: usize) -> bool {
        let covered = &self.ledger[arrival].before;
        let is_made = |event: &Event| event.is_chosen && event.before.entry.is_absent();
        !covered.is_absent() && covered.is_covered() && self.threads[mover].events.first().is_some_and(is_made)
    }

    fn arrive(&mut self, departure: usize, arrival: usize) {
        let Some(&thread) = self.in_flight.get(&departure) else { return };
        let (from, to): (&Transition, &Transition) = (&self.ledger[departure], &self.ledger[arrival]);
        let before = State { place: from.path.clone(), entry: from.before.clone() };
        let after = State { place: to.path.clone(), entry: to.after.clone() };
        let event = self.event(&[from, to], before, after);
        self.push(thread, event);
        self.at_place.entry(to.path.clone()).or_default().push(thread);
    }

    /// A change in place.
    fn change(&mut self, at: usize, before: &Entry, after: &Entry) {
        let transition: &Transition = &self.ledger[at];
        let thread = self.thread_at(&transition.path, before);
        self.settle(thread, before);
        let state = |entry: &Entry| State { place: transition.path.clone(), entry: entry.clone() };
        let event = self.event(&[transition], state(before), state(after));
        self.push(thread, event);
    }

    fn event(&self, ends: &[&Transition], before: State, after: State) -> Event {
        let mut seqs: Vec<Seq> = ends.iter().map(|end| end.seq).collect();
        seqs.sort_unstable();
        Event {
            is_chosen: seqs.iter().any(|seq| self.request.chosen.contains(seq)),
            is_contested: ends.iter().any(|end| matches!(end.cause, Cause::Contested { .. })),
            evidence: ends.iter().map(|end| end.evidence).max().unwrap_or(Evidence::Exact),
            seqs,
            before,
            after,
        }
    }

    fn push(&mut self, thread: usize, event: Event) {
        let thread = &mut self.threads[thread];
        thread.now = event.after.clone();
        thread.events.push(event);
    }

    /// The thread on top at a place; a new one if there is none.
    fn thread_at(&mut self, place: &WorkspacePath, entry: &Entry) -> usize {
        let stack = self.at_place.entry(place.clone()).or_default();
        if let Some(&top) = stack.last() {
            return top;
        }
        let thread = self.threads.len();
        stack.push(thread);
        self.threads.push(Thread { events: Vec::new(), now: State { place: place.clone(), entry: entry.clone() } });
        thread
    }

    /// Notes a change that nobody recorded, if the thread does not hold what it should.
    fn settle(&mut self, thread: usize, entry: &Entry) {
        let now = &self.threads[thread].now;
        if now.entry == *entry {
            return;
        }
        let event = Event {
            seqs: Vec::new(),
            is_chosen: false,
            is_contested: false,
            evidence: Evidence::Exact,
            before: now.clone(),
            after: State { place: now.place.clone(), entry: entry.clone() },
        };
        self.push(thread, event);
    }

    /// The top thread of every place holds what is there now, all below it hold nothing.
    fn meet_the_present(&mut self, tree: &dyn Tree) {
        let places = std::mem::take(&mut self.at_place);
        for (place, stack) in places {
            let entry = tree.entry(&place);
            for (height, &thread) in stack.iter().enumerate() {
                let is_top = height + 1 == stack.len();
                self.settle(thread, if is_top { &entry } else { &Entry::Absent });
            }
        }
    }
}
