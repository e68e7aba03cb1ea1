//! The rules of attribution as sentences. No disk, no clock: windows and sights are made by hand.

use model::{Entry, Mode, SessionId, SpecialKind, TurnId};

use super::*;

fn path(text: &str) -> WorkspacePath {
    WorkspacePath::new(text).expect("a good path")
}

fn step(number: u32) -> StepId {
    StepId { turn: TurnId(1), number }
}

fn window(number: u32) -> OpenWindow {
    OpenWindow {
        step: step(number),
        session: SessionId(1),
        agents: Vec::new(),
        agent_started_ns: 0,
        opened_ns: i64::from(number) * 1_000,
        claims: Vec::new(),
        presence: Presence::Foreground,
        spawns_subagents: false,
        asked_permission: false,
        closing: Closing::Stays,
    }
}

/// Anything that is not absent serves as content here.
fn there() -> Entry {
    Entry::Special { kind: SpecialKind::Pipe }
}

fn cause_of(windows: &[OpenWindow], name: &str) -> (Cause, Evidence) {
    let (path, entry) = (path(name), there());
    attribute(windows, &Sight { path: &path, before: &entry, after: &entry, changed_ns: Some(10_000_000_000) })
}

fn contested_steps(numbers: &[u32], or_outside: bool) -> (Cause, Evidence) {
    let steps = numbers.iter().map(|number| step(*number)).collect();
    (Cause::Contested { steps, or_outside }, Evidence::Contested)
}

#[test]
fn without_a_window_it_was_the_outside() {
    assert_eq!(cause_of(&[], "f").0, Cause::Outside);
}

#[test]
fn the_only_open_window_has_made_it() {
    assert_eq!(cause_of(&[window(1)], "f"), (Cause::Step(step(1)), Evidence::Window));
}

#[test]
fn a_claimed_path_belongs_to_the_tool_that_named_it() {
    let claiming = OpenWindow { claims: vec![path("d/f")], ..window(1) };
    let windows = [claiming, window(2)];
    assert_eq!(cause_of(&windows, "d/f"), (Cause::Step(step(1)), Evidence::Exact));
    assert_eq!(cause_of(&windows, "g"), contested_steps(&[1, 2], false));
    let (folder, dir) = (path("d"), Entry::Dir { mode: Mode::FOLDER });
    let made = Sight { path: &folder, before: &Entry::Absent, after: &dir, changed_ns: None };
    assert_eq!(attribute(&windows, &made).0, Cause::Step(step(1)));
}

#[test]
fn two_open_windows_are_both_candidates() {
    assert_eq!(cause_of(&[window(2), window(1)], "f"), contested_steps(&[1, 2], false));
}

#[test]
fn what_is_seen_inside_a_subagents_window_is_the_subagents() {
    let call = OpenWindow { spawns_subagents: true, ..window(1) };
    let inner = OpenWindow { agents: vec!["S".into()], agent_started_ns: 1_500, ..window(2) };
    assert_eq!(cause_of(&[call.clone(), inner.clone()], "f").0, Cause::Step(step(2)));
    let beside = OpenWindow { spawns_subagents: false, ..call };
    assert_eq!(cause_of(&[beside, inner], "f"), contested_steps(&[1, 2], false));
}

#[test]
fn nested_subagents_hide_both_outer_calls() {
    let outer = OpenWindow { spawns_subagents: true, ..window(1) };
    let middle = OpenWindow { spawns_subagents: true, agents: vec!["S".into()], agent_started_ns: 1_500, ..window(2) };
    let inner = OpenWindow { agents: vec!["T".into(), "S".into()], agent_started_ns: 2_500, ..window(3) };
    assert_eq!(cause_of(&[outer, middle, inner], "f").0, Cause::Step(step(3)));
}

#[test]
fn with_only_background_windows_it_may_have_been_anybody() {
    let background = OpenWindow { presence: Presence::Background, ..window(1) };
    assert_eq!(cause_of(std::slice::from_ref(&background), "f"), contested_steps(&[1], true));
    assert_eq!(cause_of(&[background, window(2)], "f").0, Cause::Step(step(2)));
}

#[test]
fn a_window_closed_from_outside_is_weak_evidence() {
    let late = OpenWindow { closing: Closing::Late, ..window(1) };
    assert_eq!(cause_of(&[late], "f"), (Cause::Step(step(1)), Evidence::Late));
}

#[test]
fn while_permission_was_asked_the_time_of_the_change_decides() {
    let asked = |began_ns| OpenWindow { asked_permission: true, closing: Closing::ByItself { began_ns }, ..window(1) };
    assert_eq!(cause_of(&[asked(Some(9_000_000_000))], "f").0, Cause::Step(step(1)));
    assert_eq!(cause_of(&[asked(Some(11_000_000_000))], "f").0, Cause::Outside);
    assert_eq!(cause_of(&[asked(Some(10_000_000_000))], "f"), contested_steps(&[1], true));
    assert_eq!(cause_of(&[asked(None)], "f"), contested_steps(&[1], true));
    let (gone, entry) = (path("f"), there());
    let deleted = Sight { path: &gone, before: &entry, after: &Entry::Absent, changed_ns: None };
    assert_eq!(attribute(&[asked(Some(9_000_000_000))], &deleted), contested_steps(&[1], true));
}
