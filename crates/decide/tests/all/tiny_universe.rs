//! Every history of a tiny universe: one or two paths, five things that can be at them, a few changes, each of them
//! chosen or kept. The plans are compared with a simple model and held against what must always be true.

use std::collections::BTreeSet;

use model::{Entry, FileResult, Plan, Reason, Seq, Tree, WorkspacePath};

use crate::simple_tree::path;
use crate::world::{Who, World, left};

/// The things that can be at a path.
const THINGS: usize = 5;

const AGENT: Who = Who::Turn(1);

/// One change: which path, which thing comes there, and whether it is chosen.
#[derive(Debug, Clone, Copy)]
struct Step {
    at: usize,
    thing: usize,
    is_chosen: bool,
}

/// Some paths, of which the second may lie in the first, and how often something changes.
struct Universe {
    names: &'static [&'static str],
    changes: usize,
}

const SINGLE: Universe = Universe { names: &["p"], changes: 4 };
const PAIR: Universe = Universe { names: &["p", "q"], changes: 2 };
const NESTED: Universe = Universe { names: &["d", "d/x"], changes: 3 };

/// A history: the things at the start, what happened, and where that led.
struct History {
    start: Vec<usize>,
    steps: Vec<Step>,
    world: World,
}

impl Universe {
    /// Every sequence of changes that is possible from every possible start.
    fn each_history(&self, mut check: impl FnMut(&History)) -> usize {
        let mut count = 0;
        for number in 0..THINGS.pow(self.names.len() as u32) {
            let start: Vec<_> = (0..self.names.len() as u32).map(|at| number / THINGS.pow(at) % THINGS).collect();
            let mut world = World::default();
            let things = things(&mut world);
            let is_possible = start.iter().enumerate().all(|(at, &thing)| {
                let can = self.can_put(&world, at, &things[thing]);
                world.tree.set(&path(self.names[at]), things[thing].clone());
                can
            });
            if is_possible {
                let mut history = History { start, steps: Vec::new(), world };
                self.go_on(&mut history, &things, &mut |history| {
                    check(history);
                    count += 1;
                });
            }
        }
        count
    }

    fn go_on(&self, history: &mut History, things: &[Entry; THINGS], check: &mut impl FnMut(&History)) {
        if history.steps.len() == self.changes {
            return check(history);
        }
        for number in 0..self.names.len() * THINGS * 2 {
            let step = Step { at: number / THINGS / 2, thing: number / 2 % THINGS, is_chosen: number % 2 == 0 };
            let (name, thing) = (self.names[step.at], &things[step.thing]);
            let is_there = history.world.tree.entry(&path(name)) == *thing;
            if is_there || !self.can_put(&history.world, step.at, thing) {
                continue;
            }
            let before = history.world.clone();
            let who = if step.is_chosen { AGENT } else { Who::User };
            history.world.change(who, |hands| hands.put_instead(name, thing.clone()));
            history.steps.push(step);
            self.go_on(history, things, check);
            history.steps.pop();
            history.world = before;
        }
    }

    fn can_put(&self, world: &World, at: usize, thing: &Entry) -> bool {
        let has_folder = path(self.names[at])
            .parent()
            .is_none_or(|folder| folder.is_root() || matches!(world.tree.entry(&folder), Entry::Dir { .. }));
        thing.is_absent() || has_folder
    }
}

impl History {
    fn chosen(&self) -> BTreeSet<Seq> {
        self.world.of_turns(&[1])
    }

    fn tell(&self, plan: &Plan) -> String {
        format!("{:?} {:?}: {plan:#?}", self.start, self.steps)
    }
}

fn things(world: &mut World) -> [Entry; THINGS] {
    let dir = Entry::Dir { mode: model::Mode::FOLDER };
    [Entry::Absent, world.text("a\n"), world.text("b\n"), dir, Entry::Link { target: b"a".to_vec() }]
}

/// What the model says about one path.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Unchanged,
    Superseded,
    Becomes(usize),
    KeptAsMade,
    Conflict,
}

/// A stretch of one kind, as two numbers: the thing before and the thing after; and whether a thing was made anew in it.
#[derive(Clone, Copy)]
struct Stretch {
    is_chosen: bool,
    from: usize,
    to: usize,
    is_anew: bool,
}

/// The rule of taking back, for things that cannot be merged.
fn model_answer(start: usize, steps: &[(usize, bool)]) -> Answer {
    let mut stretches = Vec::new();
    let mut now = start;
    for &(thing, is_chosen) in steps {
        stretches.push(Stretch { is_chosen, from: now, to: thing, is_anew: kind(now) != kind(thing) });
        now = thing;
    }
    let first = stretches.iter().position(|stretch| stretch.is_chosen).unwrap_or(stretches.len());
    let stretches = shorten(stretches.split_off(first));
    walk(&stretches, now)
}

fn kind(thing: usize) -> usize {
    [0, 1, 1, 2, 3][thing]
}

fn shorten(stretches: Vec<Stretch>) -> Vec<Stretch> {
    let mut short: Vec<Stretch> = Vec::new();
    for stretch in &stretches {
        match short.last_mut() {
            Some(last) if last.is_chosen == stretch.is_chosen => {
                last.is_anew |= stretch.is_anew;
                last.to = stretch.to;
            }
            _ => short.push(*stretch),
        }
    }
    let rest: Vec<_> = short.iter().copied().filter(|stretch| stretch.from != stretch.to).collect();
    if rest.len() == short.len() { rest } else { shorten(rest) }
}

fn walk(stretches: &[Stretch], now: usize) -> Answer {
    let mut result = now;
    let mut has_reversed = false;
    for (at, stretch) in stretches.iter().enumerate().rev() {
        if !stretch.is_chosen {
            if has_reversed && stretch.is_anew {
                let is_older_chosen = stretches[..at].iter().any(|older| older.is_chosen);
                return if result != now {
                    Answer::Becomes(result)
                } else if is_older_chosen {
                    Answer::Superseded
                } else {
                    Answer::Unchanged
                };
            }
            continue;
        }
        has_reversed = true;
        if result == stretch.to {
            result = stretch.from;
        } else if result != stretch.from {
            return if stretch.from == 0 { Answer::KeptAsMade } else { Answer::Conflict };
        }
    }
    if result == now { Answer::Unchanged } else { Answer::Becomes(result) }
}

/// What a plan says about one path.
fn answer_of(plan: &Plan, name: &str, things: &[Entry; THINGS]) -> Answer {
    if let Some(change) = plan.changes.iter().find(|change| change.path == path(name)) {
        return Answer::Becomes(things.iter().position(|thing| *thing == change.after).expect("no merges here"));
    }
    match left(plan, name) {
        None => Answer::Unchanged,
        Some((FileResult::Skipped, Reason::Superseded)) => Answer::Superseded,
        Some((FileResult::Kept, Reason::MadeBySessionEditedLater)) => Answer::KeptAsMade,
        Some((FileResult::Conflict, Reason::EditedOutside | Reason::TypeChange)) => Answer::Conflict,
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn every_short_history_is_taken_back_as_the_model_says() {
    for (universe, expected) in [(SINGLE, 5 * 8_usize.pow(4)), (PAIR, 25 * 16_usize.pow(2))] {
        let count = universe.each_history(|history| {
            let plan = history.world.plan(&history.chosen());
            let things = things(&mut history.world.clone());
            for (at, name) in universe.names.iter().enumerate() {
                let own = history.steps.iter().filter(|step| step.at == at);
                let own: Vec<_> = own.map(|step| (step.thing, step.is_chosen)).collect();
                let expected = model_answer(history.start[at], &own);
                assert_eq!(answer_of(&plan, name, &things), expected, "{}", history.tell(&plan));
            }
        });
        assert_eq!(count, expected);
    }
}

#[test]
fn every_short_history_keeps_what_must_always_be_true() {
    for universe in [SINGLE, PAIR, NESTED] {
        universe.each_history(|history| {
            let (world, chosen) = (&history.world, history.chosen());
            let plan = world.plan(&chosen);
            let tell = || history.tell(&plan);
            assert_eq!(plan, world.plan(&chosen), "{}", tell());
            assert_only_touched_paths(world, &chosen, &plan, &tell);
            assert_nothing_of_others_is_lost(world, &chosen, &plan, &tell);
            if history.steps.iter().all(|step| step.is_chosen) {
                assert!(plan.left.is_empty(), "{}", tell());
            }
            if !plan.has_conflicts() {
                assert_round_trip(world, &chosen, &tell);
            }
        });
    }
}

#[test]
fn taking_back_disjoint_sets_commutes() {
    let universe = Universe { changes: 3, ..PAIR };
    let mut compared = 0;
    universe.each_history(|history| {
        let (world, chosen) = (&history.world, history.chosen());
        let of = |name: &str| -> BTreeSet<Seq> {
            let own = world.ledger.iter().filter(|transition| transition.path == path(name));
            own.map(|transition| transition.seq).filter(|seq| chosen.contains(seq)).collect()
        };
        let (p, q) = (of("p"), of("q"));
        if p.is_empty() || q.is_empty() || chosen.len() == universe.changes || world.plan(&chosen).has_conflicts() {
            return;
        }
        let after = |order: &[&BTreeSet<Seq>]| {
            let mut world = world.clone();
            order.iter().for_each(|chosen| drop(world.take_back(chosen)));
            world.tree.entries()
        };
        let both = after(&[&chosen]);
        assert_eq!((after(&[&p, &q]), after(&[&q, &p])), (both.clone(), both), "{:?}", history.steps);
        compared += 1;
    });
    assert!(compared > 1000, "{compared}");
}

fn assert_only_touched_paths(world: &World, chosen: &BTreeSet<Seq>, plan: &Plan, tell: &dyn Fn() -> String) {
    let is_chosen_at = |path: &WorkspacePath| {
        world.ledger.iter().any(|transition| chosen.contains(&transition.seq) && transition.path == *path)
    };
    for change in &plan.changes {
        let is_parent = plan.changes.iter().any(|other| other.path.parent().as_ref() == Some(&change.path));
        assert!(is_chosen_at(&change.path) || (is_parent && change.reverses.is_empty()), "{}", tell());
        assert!(left(plan, &change.path.to_string()).is_none(), "{}", tell());
    }
}

fn assert_nothing_of_others_is_lost(world: &World, chosen: &BTreeSet<Seq>, plan: &Plan, tell: &dyn Fn() -> String) {
    for change in plan.changes.iter().filter(|change| !change.before.is_absent()) {
        let made = world.ledger.iter().any(|transition| {
            let is_here = transition.path == change.path && transition.after == change.before;
            is_here && chosen.contains(&transition.seq)
        });
        assert!(made, "{:?} is somebody else's: {}", change.path, tell());
    }
}

fn assert_round_trip(world: &World, chosen: &BTreeSet<Seq>, tell: &dyn Fn() -> String) {
    let mut world = world.clone();
    let before = world.tree.entries();
    let operation = world.take_back(chosen);
    let undone = world.tree.entries();
    let redo = world.take_back(&operation);
    assert_eq!(world.tree.entries(), before, "redo: {}", tell());
    world.take_back(&redo);
    assert_eq!(world.tree.entries(), undone, "undo again: {}", tell());
}
