//! Random worlds: agents and outsiders at work, orders of every kind in between, and what must always hold.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use model::Outcome;
use takeback::{RevertTarget, Selection};

use crate::orders::Done;
use crate::play::{Play, Played};
use crate::random::{Random, seed};
use crate::tree::{Snapshot, differences};
use crate::world::{World, apply, order};

const WORLDS: u64 = 12;
const ROUNDS: usize = 24;

#[test]
fn whatever_happens_nothing_of_anybodys_is_lost() {
    in_every_world(|play| {
        for _ in 0..ROUNDS {
            match play.random.below(12) {
                0..4 => play.play_turn(),
                4 => play.play_overlapping_turns(),
                5..7 => play.edit_outside(),
                7 => play.take_checkpoint(),
                _ => give_random_order(play),
            }
            undo_undisturbed(play);
        }
    });
}

#[test]
fn turns_that_touch_nothing_of_each_other_can_be_reverted_in_any_order() {
    let mut pairs = 0;
    in_every_world(|play| {
        for _ in 0..6 {
            play.play_turn();
        }
        for one in 0..play.turns.len() {
            for other in 0..one {
                if are_disjoint(play, one, other) {
                    revert_both_ways(play, one, other);
                    pairs += 1;
                }
            }
        }
    });
    assert!(pairs > 10, "{pairs} pairs are too few");
}

/// Plays in one world after the other, each from a seed of its own, which a failure tells with the whole story.
fn in_every_world(mut act: impl FnMut(&mut Play<'_>)) {
    for seed in (0..WORLDS).map(|number| seed(1) + number) {
        let world = World::new();
        let workspace = world.open();
        let mut play = Play::new(&world, &workspace, Random::new(seed));
        if let Err(failure) = catch_unwind(AssertUnwindSafe(|| act(&mut play))) {
            eprintln!("TAKEBACK_TEST_SEED={seed}\n{}", play.story.join("\n"));
            resume_unwind(failure);
        }
    }
}

fn give_random_order(play: &mut Play<'_>) {
    let order = play.random_order();
    let Some(done) = play.carry_out(order) else { return };
    play.check_footprint(&done);
    play.check_outside_marks(&done);
    go_back_or_not(play, &done);
}

fn go_back_or_not(play: &mut Play<'_>, done: &Done) {
    match play.random.below(3) {
        0 => play.check_rescue_point(done),
        1 => play.check_redo(done),
        _ => {}
    }
}

/// Now and then: the newest turn, if nobody else did anything since it began, is undone and leaves no trace.
fn undo_undisturbed(play: &mut Play<'_>) {
    let Some(Played { session, undisturbed: Some(start), .. }) = play.turns.last().cloned() else { return };
    if play.random.happens(1, 4)
        && let Some(done) = play.carry_out(order(session, Selection::UndoTurns { count: 1 }))
    {
        assert_eq!(differences(&start, &done.after), [""; 0], "before the turn / after its undo");
        play.check_redo(&done);
    }
}

fn are_disjoint(play: &Play<'_>, one: usize, other: usize) -> bool {
    let [one, other] = [one, other].map(|at| play.followed(&play.turns[at].touched));
    let is_apart = |path: &Vec<u8>, others: &BTreeSet<Vec<u8>>| {
        !others.iter().any(|other| is_at_or_below(path, other) || is_at_or_below(other, path))
    };
    one.iter().all(|path| is_apart(path, &other))
}

fn is_at_or_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
}

/// Reverts two turns one way round, goes back, and reverts them the other way round.
fn revert_both_ways(play: &mut Play<'_>, one: usize, other: usize) {
    let start = play.world.snapshot();
    let ids = [play.turns[one].id, play.turns[other].id];
    let Some(there) = revert_all(play, ids, &start) else { return };
    let Some(other_way) = revert_all(play, [ids[1], ids[0]], &start) else {
        panic!("{ids:?} can be reverted one way round only");
    };
    assert_eq!(differences(&there, &other_way), [""; 0], "one way / the other way");
}

/// The tree after both reverts; afterwards everything is as at the start. None if there is a conflict.
fn revert_all(play: &mut Play<'_>, ids: [model::TurnId; 2], start: &Snapshot) -> Option<Snapshot> {
    let session = play.turns.last()?.session;
    let mut operations = Vec::new();
    let mut outcomes = Vec::new();
    for id in ids {
        let targets = vec![RevertTarget::Turn(id)];
        let report = apply(play.workspace, &order(session, Selection::Revert { targets }));
        play.story.push(format!("revert of {id}: {report:#?}"));
        assert!(
            !matches!(report.outcome, Outcome::Failed | Outcome::Partial | Outcome::Refused),
            "{:?}",
            report.trouble
        );
        operations.extend(report.operation);
        outcomes.push(report.outcome);
    }
    let there = play.world.snapshot();
    for operation in operations.into_iter().rev() {
        let targets = vec![RevertTarget::Operation(operation)];
        apply(play.workspace, &order(session, Selection::Revert { targets }));
    }
    assert_eq!(differences(start, &play.world.snapshot()), [""; 0], "start / all taken back");
    (!outcomes.contains(&Outcome::Conflict)).then_some(there)
}
