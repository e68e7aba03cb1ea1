//! Alternating runs of chosen and kept changes of one thread.

use model::{Entry, EntryKind, Evidence, Seq};

use super::thread::{Event, State};

/// Changes of one thread without anything of the other kind between them; never empty.
#[derive(Debug)]
pub(super) struct Run<'a> {
    pub(super) is_chosen: bool,
    pub(super) events: Vec<&'a Event>,
}

/// The runs that matter for taking the chosen changes back.
pub(super) struct Runs<'a> {
    /// Oldest first; begins with a chosen run, unless it is empty.
    pub(super) live: Vec<Run<'a>>,
    /// Whether chosen runs were left out because later work of others stands where they were.
    pub(super) has_superseded: bool,
}

impl<'a> Run<'a> {
    /// What the thread was before the run.
    pub(super) fn preimage(&self) -> &'a State {
        &self.events[0].before
    }

    /// What the thread was after the run.
    pub(super) fn postimage(&self) -> &'a State {
        &self.events[self.events.len() - 1].after
    }

    /// Whether several open windows could have made some of it.
    pub(super) fn is_contested(&self) -> bool {
        self.events.iter().any(|event| event.is_contested)
    }

    pub(super) fn seqs(&self) -> impl Iterator<Item = Seq> {
        self.events.iter().flat_map(|event| event.seqs.iter().copied())
    }

    pub(super) fn evidence(&self) -> Evidence {
        self.events.iter().map(|event| event.evidence).max().unwrap_or(Evidence::Exact)
    }

    fn is_idle(&self) -> bool {
        self.preimage() == self.postimage()
    }

    /// Whether what is there after cannot be the same thing as what was there before.
    pub(super) fn starts_anew(&self) -> bool {
        let kind = self.preimage().entry.kind();
        let is_other = |entry: &Entry| entry.is_absent() || entry.kind() != kind;
        kind == EntryKind::Absent || self.events.iter().any(|event| is_other(&event.after.entry))
    }
}

impl<'a> Runs<'a> {
    /// The live runs of a thread.
    pub(super) fn of(events: &'a [Event]) -> Self {
        let first_chosen = events.iter().position(|event| event.is_chosen).unwrap_or(events.len());
        let runs = collapse(&events[first_chosen..], |event| event.is_chosen);
        let Some(newest_chosen) = runs.iter().rposition(|run| run.is_chosen) else {
            return Self { live: Vec::new(), has_superseded: false };
        };
        let ending = runs[..newest_chosen].iter().rposition(|run| !run.is_chosen && run.starts_anew());
        let start = ending.map_or(0, |at| at + 1);
        let has_superseded = runs[..start].iter().any(|run| run.is_chosen);
        let live = runs.into_iter().skip(start).skip_while(|run| !run.is_chosen).collect();
        Self { live, has_superseded }
    }

    /// The chosen runs, oldest first.
    pub(super) fn chosen(&self) -> impl DoubleEndedIterator<Item = &Run<'a>> {
        self.live.iter().filter(|run| run.is_chosen)
    }

    /// Whether nobody else had a hand in the thing since the chosen changes began.
    pub(super) fn are_all_chosen(&self) -> bool {
        !self.has_superseded && self.live.iter().all(|run| run.is_chosen)
    }
}

/// Cuts changes into runs; those that end where they began are dropped and their neighbours join, until none is left.
pub(super) fn collapse<'a>(events: &'a [Event], is_chosen: impl Fn(&Event) -> bool) -> Vec<Run<'a>> {
    let single = |event: &'a Event| Run { is_chosen: is_chosen(event), events: vec![event] };
    let mut runs = join(events.iter().map(single));
    while runs.iter().any(Run::is_idle) {
        runs = join(runs.into_iter().filter(|run| !run.is_idle()));
    }
    runs
}

fn join<'a>(runs: impl Iterator<Item = Run<'a>>) -> Vec<Run<'a>> {
    let mut joined: Vec<Run<'a>> = Vec::new();
    for run in runs {
        match joined.last_mut() {
            Some(last) if last.is_chosen == run.is_chosen => last.events.extend(run.events),
            _ => joined.push(run),
        }
    }
    joined
}
