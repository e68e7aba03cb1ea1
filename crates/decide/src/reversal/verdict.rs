//! The judgement over one thread, without looking at any other.

use model::{ConflictPolicy, Entry, Evidence, FileResult, Gap, Left, Reason, Seq, WorkspacePath};

use super::blend::{Clash, Overlap, Texts, Versions, blend};
use super::layout::{Layout, Wish};
use super::report::Notices;
use super::runs::{Run, Runs, collapse};
use super::thread::{Event, State, Thread};
use super::{ControlFiles, Reversal};

/// What should become of one thread, and what must be said about it.
pub(super) struct Verdict {
    outcome: Outcome,
    evidence: Evidence,
    gap: Option<Reason>,
    named: Option<(Reason, Evidence)>,
}

enum Outcome {
    /// There is nothing to do.
    Nothing,
    /// Nothing to do, because later work of others stands there.
    Superseded,
    /// It should become this, which takes these transitions back.
    Become(State, Vec<Seq>),
    /// It stays as it is.
    Stay(FileResult, Reason),
}

/// Judges one thread.
pub(super) fn judge(thread: &Thread, request: &Reversal<'_>, texts: &mut Texts<'_>) -> Verdict {
    let (hidden, visible) = split_at_coverage(&thread.events);
    let runs = Runs::of(visible);
    Verdict {
        outcome: Judge { thread, runs: &runs, request }.outcome(texts),
        evidence: runs.chosen().map(Run::evidence).max().unwrap_or(Evidence::Exact),
        gap: gap(hidden),
        named: named(&thread.events, request),
    }
}

impl Verdict {
    /// Hands the verdict on to those who lay out the tree and write the report.
    pub(super) fn deliver(self, thread: &Thread, layout: &mut Layout<'_>, notices: &mut Notices) {
        let now = &thread.now;
        let left = |result, reason, evidence| Left { path: now.place.clone(), result, reason, evidence };
        if let Some(reason) = self.gap {
            notices.add_gap(Gap { path: now.place.clone(), reason });
        }
        if let Some((reason, evidence)) = self.named {
            notices.add_named(left(FileResult::Kept, reason, evidence));
        }
        match self.outcome {
            Outcome::Nothing => {}
            Outcome::Superseded => notices.add_left(left(FileResult::Skipped, Reason::Superseded, self.evidence)),
            Outcome::Stay(result, reason) => notices.add_left(left(result, reason, self.evidence)),
            Outcome::Become(to, reverses) => {
                layout.wish(Wish { now: now.clone(), to, reverses, evidence: self.evidence });
            }
        }
    }
}

/// Cuts a thread at its newest change of coverage: what lies before it cannot be reached.
///
/// Changes that lead out of coverage and into it again, all of them chosen or all kept, are as good as one change: what
/// was there before and after is known, so they cut nothing.
pub(super) fn split_at_coverage(events: &[Event]) -> (&[Event], &[Event]) {
    let mut start = 0;
    let mut way_out: Option<(usize, usize)> = None;
    for (at, event) in events.iter().enumerate().filter(|(_, event)| event.is_about_coverage()) {
        if event.before.entry.is_covered() {
            way_out = Some((at, start));
        }
        start = at + 1;
        if event.after.entry.is_covered()
            && let Some((out, earlier_start)) = way_out.take()
            && events[out..=at].iter().all(|other| other.is_chosen == event.is_chosen)
        {
            start = earlier_start;
        }
    }
    events.split_at(start)
}

/// Why chosen changes among these cannot be taken back; none if there are none.
fn gap(hidden: &[Event]) -> Option<Reason> {
    let cut = hidden.last().filter(|_| hidden.iter().any(|event| event.is_chosen))?;
    cut.after.entry.gap().or_else(|| cut.before.entry.gap())
}

/// The reason to name kept changes whose effect still shows.
fn named(events: &[Event], request: &Reversal<'_>) -> Option<(Reason, Evidence)> {
    let reason = |event: &Event| event.seqs.iter().find_map(|seq| request.named.get(seq)).copied();
    let runs = collapse(events, |event| reason(event).is_some());
    let newest = runs.iter().rev().find(|run| run.is_chosen)?;
    Some((newest.events.iter().rev().find_map(|event| reason(event))?, newest.evidence()))
}

struct Judge<'j> {
    thread: &'j Thread,
    runs: &'j Runs<'j>,
    request: &'j Reversal<'j>,
}

impl Judge<'_> {
    fn outcome(&self, texts: &mut Texts<'_>) -> Outcome {
        let Some((oldest, newest)) = self.runs.chosen().next().zip(self.runs.chosen().next_back()) else {
            return Outcome::Nothing;
        };
        let entry = self.walk_entry(oldest, newest, texts);
        let place = self.walk_place(oldest, entry.as_ref().ok());
        let outcome = match (entry, place) {
            (Ok(entry), Ok(place)) => self.become_or_nothing(State { place, entry }),
            (Err(Clash::MadeBySession), _) => Outcome::Stay(FileResult::Kept, Reason::MadeBySessionEditedLater),
            (Err(Clash::Apart(reason)), _) | (Ok(_), Err(reason)) => Outcome::Stay(self.result_of_conflict(), reason),
        };
        self.guard_control_file(outcome, newest)
    }

    /// What the thread would hold, from the newest run to the oldest.
    fn walk_entry(&self, oldest: &Run<'_>, newest: &Run<'_>, texts: &mut Texts<'_>) -> Result<Entry, Clash> {
        let now = &self.thread.now.entry;
        match walk_down(&self.runs.live, now, self.runs.live.len(), texts) {
            Ok(entry) => Ok(entry),
            Err(stop) => match (self.request.policy, stop.clash) {
                (ConflictPolicy::Take, _) => Ok(oldest.preimage().entry.clone()),
                (ConflictPolicy::Merge, Clash::Apart(_)) => {
                    self.mark(newest, texts).map_err(|()| name_contested(stop.clash, stop.in_the_way))
                }
                (_, clash) => Err(name_contested(clash, stop.in_the_way)),
            },
        }
    }

    /// What there is now against what there was before, with markers where the two clash, written once.
    ///
    /// What there was before is what the newest chosen run led to, without all that was chosen and with what others did in
    /// between: of that nothing may go. Where not even this can be told, markers are written run by run.
    fn mark(&self, newest: &Run<'_>, texts: &mut Texts<'_>) -> Result<Entry, ()> {
        let now = &self.thread.now.entry;
        let (base, live) = (&newest.postimage().entry, &self.runs.live);
        let place = live.iter().rposition(|run| run.is_chosen).unwrap_or(0);
        if let Ok(theirs) = walk_down(live, base, place + 1, texts) {
            return blend(Versions { base, mine: now, theirs: &theirs }, texts, Overlap::Mark).map_err(|_| ());
        }
        live.iter().rev().filter(|run| run.is_chosen).try_fold(now.clone(), |result, run| {
            let versions = Versions { base: &run.postimage().entry, mine: &result, theirs: &run.preimage().entry };
            blend(versions, texts, Overlap::Mark).map_err(|_| ())
        })
    }

    /// Where the thread would be. For something that would not be there at all the place does not matter.
    fn walk_place(&self, oldest: &Run<'_>, entry: Option<&Entry>) -> Result<WorkspacePath, Reason> {
        let now = &self.thread.now.place;
        if entry.is_some_and(Entry::is_absent) {
            return Ok(now.clone());
        }
        let mut result = now;
        let mut in_the_way = None;
        for run in self.runs.live.iter().rev() {
            if !run.is_chosen && run.starts_anew() {
                break;
            }
            if !run.is_chosen {
                in_the_way = Some(run);
                continue;
            }
            let versions = Versions { base: &run.postimage().place, mine: result, theirs: &run.preimage().place };
            result = match versions.settle() {
                Some(place) => place,
                None if self.request.policy == ConflictPolicy::Take => return Ok(oldest.preimage().place.clone()),
                None => return Err(reason_in_the_way(in_the_way)),
            };
        }
        Ok(result.clone())
    }

    fn become_or_nothing(&self, to: State) -> Outcome {
        if to != self.thread.now {
            Outcome::Become(to, self.reversed())
        } else if self.runs.has_superseded {
            Outcome::Superseded
        } else {
            Outcome::Nothing
        }
    }

    fn reversed(&self) -> Vec<Seq> {
        let mut seqs: Vec<Seq> = self.runs.chosen().flat_map(Run::seqs).collect();
        seqs.sort_unstable();
        seqs
    }

    fn result_of_conflict(&self) -> FileResult {
        match self.request.policy {
            ConflictPolicy::Keep => FileResult::Kept,
            ConflictPolicy::Stop | ConflictPolicy::Take | ConflictPolicy::Merge => FileResult::Conflict,
        }
    }

    /// A file that steers an agent or a CI is touched only if the chosen changes alone made it what it is.
    fn guard_control_file(&self, outcome: Outcome, newest: &Run<'_>) -> Outcome {
        let now = &self.thread.now;
        let asks = self.request.control == ControlFiles::Ask;
        let steers = |place| (self.request.is_control)(place);
        let is_untouched = self.runs.are_all_chosen() && newest.postimage() == now;
        match outcome {
            Outcome::Become(to, _) if asks && !is_untouched && (steers(&now.place) || steers(&to.place)) => {
                Outcome::Stay(FileResult::Kept, Reason::ControlFile)
            }
            Outcome::Stay(..) if asks && steers(&now.place) => Outcome::Stay(FileResult::Kept, Reason::ControlFile),
            other => other,
        }
    }
}

/// Where a walk down the runs had to stop.
struct Stop<'r> {
    clash: Clash,
    in_the_way: Option<&'r Run<'r>>,
}

/// What an entry becomes without the chosen ones among the first `count` runs, from the newest of them to the oldest.
fn walk_down<'r>(runs: &'r [Run<'r>], from: &Entry, count: usize, texts: &mut Texts<'_>) -> Result<Entry, Stop<'r>> {
    let mut result = from.clone();
    let mut in_the_way = None;
    for run in runs[..count].iter().rev() {
        if !run.is_chosen {
            in_the_way = Some(run);
            continue;
        }
        let versions = Versions { base: &run.postimage().entry, mine: &result, theirs: &run.preimage().entry };
        result = blend(versions, texts, Overlap::Refuse).map_err(|clash| Stop { clash, in_the_way })?;
    }
    Ok(result)
}

fn name_contested(clash: Clash, in_the_way: Option<&Run<'_>>) -> Clash {
    match clash {
        Clash::Apart(Reason::EditedOutside) => Clash::Apart(reason_in_the_way(in_the_way)),
        other => other,
    }
}

fn reason_in_the_way(run: Option<&Run<'_>>) -> Reason {
    if run.is_some_and(Run::is_contested) { Reason::Contested } else { Reason::EditedOutside }
}
