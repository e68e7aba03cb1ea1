//! The files half of the reference: the ledger as a plain list, read again from its beginning for every question. It
//! shares no code with what it checks.

use std::collections::BTreeSet;

use model::{ConflictPolicy, StepId, TurnId};

/// How many parts a text has that can be edited without touching the others.
pub(crate) const PARTS: usize = 3;

/// Every path there is in a story.
pub(crate) const PATHS: [&str; 4] = ["a.txt", "b.txt", "src/c.txt", "src/d.txt"];

/// What a path holds: nothing, or a text by the numbers in its parts.
pub(crate) type Text = Option<[u32; PARTS]>;

/// What every path holds.
pub(crate) type Texts = [Text; PATHS.len()];

/// Who changed a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Cause {
    Outside,
    /// One of these steps; nobody knows which.
    Steps(BTreeSet<StepId>),
    Operation(u64),
}

/// One change of one path.
#[derive(Debug, Clone)]
pub(crate) struct Transition {
    pub(crate) path: usize,
    pub(crate) before: Text,
    pub(crate) after: Text,
    pub(crate) cause: Cause,
    /// When it was seen.
    pub(crate) at: u64,
    /// The places in the ledger of what it takes back.
    pub(crate) reverses: Vec<usize>,
}

/// What taking a set of transitions back comes to.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// Path, its new text, and what that takes back.
    pub(crate) changes: Vec<(usize, Text, Vec<usize>)>,
    pub(crate) has_conflicts: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Files {
    pub(crate) ledger: Vec<Transition>,
    /// What was there at the last look.
    pub(crate) known: Texts,
    /// What is there.
    pub(crate) present: Texts,
}

/// Why a change cannot be taken back.
enum Clash {
    /// What the session made was edited later.
    Made,
    Overlap,
}

/// Changes of one path by one party.
struct Run {
    is_chosen: bool,
    before: Text,
    after: Text,
    /// Whether nothing was there at its beginning or in between.
    starts_anew: bool,
    places: Vec<usize>,
}

impl Cause {
    pub(crate) fn steps(&self) -> impl Iterator<Item = StepId> {
        let steps = if let Cause::Steps(steps) = self { Some(steps) } else { None };
        steps.into_iter().flatten().copied()
    }

    /// The step, if it is known.
    pub(crate) fn step(&self) -> Option<StepId> {
        let mut steps = self.steps();
        steps.next().filter(|_| steps.next().is_none())
    }

    /// Whether it was one of some steps, whichever it was.
    pub(crate) fn is_among(&self, fits: impl Fn(&StepId) -> bool) -> bool {
        matches!(self, Cause::Steps(_)) && self.steps().all(|step| fits(&step))
    }
}

impl Files {
    /// Enters what has changed since the last look.
    pub(crate) fn look(&mut self, cause: impl Fn(usize) -> Cause, at: u64) {
        for path in 0..PATHS.len() {
            let (before, after) = (self.known[path], self.present[path]);
            if before != after {
                self.ledger.push(Transition { path, before, after, cause: cause(path), at, reverses: Vec::new() });
            }
        }
        self.known = self.present;
    }

    /// Does what a plan says.
    pub(crate) fn carry_out(&mut self, plan: &Plan, operation: u64, at: u64) {
        for (path, after, reverses) in &plan.changes {
            self.ledger.push(Transition {
                path: *path,
                before: self.present[*path],
                after: *after,
                cause: Cause::Operation(operation),
                at,
                reverses: reverses.clone(),
            });
            self.present[*path] = *after;
        }
        self.known = self.present;
    }

    /// The transitions that fit.
    pub(crate) fn places(&self, fits: impl Fn(&Transition) -> bool) -> BTreeSet<usize> {
        (0..self.ledger.len()).filter(|place| fits(&self.ledger[*place])).collect()
    }

    /// What a turn did, or may have done.
    pub(crate) fn of_turn(&self, turn: TurnId) -> BTreeSet<usize> {
        self.places(|transition| transition.cause.steps().any(|step| step.turn == turn))
    }

    /// What these turns did, whichever of their steps it was.
    pub(crate) fn within(&self, turns: &BTreeSet<TurnId>) -> BTreeSet<usize> {
        self.places(|transition| transition.cause.is_among(|step| turns.contains(&step.turn)))
    }

    /// Those of `asked` that stand, as if `gone` had been taken back.
    pub(crate) fn standing(&self, asked: &BTreeSet<usize>, gone: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut stands = vec![true; self.ledger.len()];
        for place in (0..self.ledger.len()).rev() {
            if gone.contains(&place) {
                stands[place] = false;
            }
            if stands[place] {
                self.ledger[place].reverses.iter().for_each(|taken| stands[*taken] = false);
            }
        }
        asked.iter().copied().filter(|place| stands[*place]).collect()
    }

    /// The standing transitions that take one of these back.
    pub(crate) fn holding(&self, taken: &BTreeSet<usize>) -> BTreeSet<usize> {
        let holding = self.places(|transition| transition.reverses.iter().any(|place| taken.contains(place)));
        self.standing(&holding, &BTreeSet::new())
    }

    /// Plans to take these standing transitions back.
    pub(crate) fn plan(&self, chosen: &BTreeSet<usize>, policy: ConflictPolicy) -> Plan {
        let mut plan = Plan::default();
        for path in 0..PATHS.len() {
            let runs = self.live_runs(path, chosen);
            match walk(&runs, self.present[path]) {
                Ok(text) if text != self.present[path] => {
                    let taken = runs.iter().filter(|run| run.is_chosen).flat_map(|run| run.places.clone());
                    plan.changes.push((path, text, taken.collect()));
                }
                Ok(_) | Err(Clash::Made) => {}
                Err(Clash::Overlap) => plan.has_conflicts |= policy == ConflictPolicy::Stop,
            }
        }
        plan
    }

    /// The runs of a path that count, the oldest first.
    fn live_runs(&self, path: usize, chosen: &BTreeSet<usize>) -> Vec<Run> {
        let chain = (0..self.ledger.len()).filter(|place| self.ledger[*place].path == path);
        let mut runs: Vec<Run> =
            chain.skip_while(|place| !chosen.contains(place)).map(|place| self.run(place, chosen)).collect();
        loop {
            let count = runs.len();
            runs = join(runs);
            runs.retain(|run| run.before != run.after);
            if runs.len() == count {
                break;
            }
        }
        let newest = runs.iter().rposition(|run| run.is_chosen).unwrap_or(0);
        let anew = runs[..newest].iter().rposition(|run| !run.is_chosen && run.starts_anew);
        runs.split_off(anew.map_or(0, |at| at + 1))
    }

    fn run(&self, place: usize, chosen: &BTreeSet<usize>) -> Run {
        let Transition { before, after, .. } = self.ledger[place];
        let starts_anew = before.is_none() || after.is_none();
        Run { is_chosen: chosen.contains(&place), before, after, starts_anew, places: vec![place] }
    }
}

/// Puts neighbours of one party together.
fn join(runs: Vec<Run>) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for run in runs {
        match joined.last_mut().filter(|last| last.is_chosen == run.is_chosen) {
            Some(last) => {
                last.after = run.after;
                last.starts_anew |= run.after.is_none();
                last.places.extend(run.places);
            }
            None => joined.push(run),
        }
    }
    joined
}

/// What is left of a text when the chosen runs are taken out of it, the newest first.
fn walk(runs: &[Run], present: Text) -> Result<Text, Clash> {
    let mut chosen = runs.iter().rev().filter(|run| run.is_chosen);
    chosen.try_fold(present, |result, run| merge(run.after, result, run.before))
}

fn merge(base: Text, mine: Text, theirs: Text) -> Result<Text, Clash> {
    match (settle(base, mine, theirs), base, mine, theirs) {
        (Some(text), ..) => Ok(text),
        (None, _, _, None) => Err(Clash::Made),
        (None, Some(base), Some(mine), Some(theirs)) => {
            let mut text = mine;
            for part in 0..PARTS {
                text[part] = settle(base[part], mine[part], theirs[part]).ok_or(Clash::Overlap)?;
            }
            Ok(Some(text))
        }
        _ => Err(Clash::Overlap),
    }
}

fn settle<T: Copy + PartialEq>(base: T, mine: T, theirs: T) -> Option<T> {
    if mine == base { Some(theirs) } else { (mine == theirs || base == theirs).then_some(mine) }
}
