//! Stopped at every durable step, forward and on the way back, by a kill and by a failing disk.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::story::{keep_what_is_written, set_up, steps};
use super::world::World;
use crate::perform::Progress;

const ROLE: &str = "TAKEBACK_TEST_ROLE";
const PLACE: &str = "TAKEBACK_TEST_PLACE";
const NO_SPACE: i32 = 28;

/// How a child process ended.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Finished,
    Killed,
}

fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(PLACE)?.into()))
}

/// What the child does: one whole way forward or back.
fn play(role: &str, place: PathBuf) {
    let mut world = World::at(place);
    keep_what_is_written(&mut world);
    match role {
        "forward" => world.perform(&steps()).unwrap(),
        "clean" => assert!(world.clean(&steps()).is_empty()),
        _ => assert!(world.compensate(&steps()).is_empty()),
    }
}

fn run(test: &str, role: &str, place: &Path, settings: &[(&str, String)]) -> Fate {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("perform::tests::crash::{test}"), "--test-threads=1"]);
    command.env(ROLE, role).env(PLACE, place).stdout(Stdio::null());
    let status = command.envs(settings.iter().map(|(key, value)| (key, value))).status().unwrap();
    match status.signal() {
        Some(9) => Fate::Killed,
        _ => {
            assert!(status.success(), "{role} {settings:?}");
            Fate::Finished
        }
    }
}

#[test]
fn killed_at_any_step_the_way_back_finds_home() {
    const NAME: &str = "killed_at_any_step_the_way_back_finds_home";
    if let Some((role, place)) = role() {
        return play(&role, place);
    }
    for calls in ["native", "portable"] {
        let mut kills = 0;
        for number in 1.. {
            let mut world = World::light();
            set_up(&mut world);
            let before = world.see();
            let settings = [("TAKEBACK_CRASH_AT", number.to_string()), ("TAKEBACK_CALLS", calls.to_owned())];
            if run(NAME, "forward", &world.path, &settings) == Fate::Finished {
                break;
            }
            kills += 1;
            let stuck = world.compensate(&steps());
            assert!(stuck.is_empty(), "{calls} {number}: {stuck:?}");
            assert_eq!(world.see(), before, "{calls} {number}");
        }
        assert!(kills >= 50, "{calls}: only {kills} kills");
    }
}

#[test]
fn killed_again_on_the_way_back_the_next_one_finds_home() {
    const NAME: &str = "killed_again_on_the_way_back_the_next_one_finds_home";
    if let Some((role, place)) = role() {
        return play(&role, place);
    }
    for (calls, forward_stops) in [("native", [45, 1000]), ("portable", [70, 1000])] {
        let mut kills = 0;
        for forward in forward_stops {
            for number in 1.. {
                let mut world = World::light();
                set_up(&mut world);
                let before = world.see();
                let settings =
                    |number: u32| [("TAKEBACK_CRASH_AFTER", number.to_string()), ("TAKEBACK_CALLS", calls.to_owned())];
                run(NAME, "forward", &world.path, &settings(forward));
                let fate = run(NAME, "back", &world.path, &settings(number));
                let stuck = world.compensate(&steps());
                assert!(stuck.is_empty(), "{calls} {forward} {number}: {stuck:?}");
                assert_eq!(world.see(), before, "{calls} {forward} {number}");
                if fate == Fate::Finished {
                    break;
                }
                kills += 1;
            }
        }
        assert!(kills >= 60, "{calls}: only {kills} kills");
    }
}

#[test]
fn killed_while_cleaning_the_next_one_leaves_the_same() {
    const NAME: &str = "killed_while_cleaning_the_next_one_leaves_the_same";
    if let Some((role, place)) = role() {
        return play(&role, place);
    }
    let mut kills = 0;
    for number in 1.. {
        let mut world = World::light();
        set_up(&mut world);
        world.perform(&steps()).unwrap();
        let settings = [("TAKEBACK_CRASH_AFTER", number.to_string())];
        let fate = run(NAME, "clean", &world.path, &settings);
        assert!(world.clean(&steps()).is_empty(), "{number}");
        assert_eq!((world.verify(&steps()), world.siblings()), (vec![], vec![]), "{number}");
        if fate == Fate::Finished {
            break;
        }
        kills += 1;
    }
    assert!(kills >= 10, "only {kills} kills");
}

#[test]
fn on_a_full_disk_nothing_is_half_done_and_the_way_back_finds_home() {
    let mut failures = 0;
    for number in 1.. {
        let mut world = World::light();
        set_up(&mut world);
        let before = world.see();
        let (result, is_reached) = disk::durable::failing_at(number, NO_SPACE, || world.perform(&steps()));
        if !is_reached {
            result.unwrap();
            break;
        }
        failures += 1;
        let failure = result.unwrap_err();
        assert_eq!((failure.reason(), failure.kept_beside()), (None, None), "{number}: {failure}");
        let done = &steps()[..failure.index()];
        assert_eq!(world.verify(done), [], "{number}");
        if let Some(step) = steps().get(failure.index()) {
            assert_ne!(world.progress(std::slice::from_ref(step)), Progress::All, "{number}");
            let temporary = step.temporary().map(|path| path.to_string());
            let is_left = |name: String| world.siblings().contains(&name);
            assert!(!temporary.is_some_and(is_left), "{number}: {step:?}");
        }
        let stuck = world.compensate(&steps());
        assert!(stuck.is_empty(), "{number}: {stuck:?}");
        assert_eq!(world.see(), before, "{number}");
    }
    assert!(failures >= 50, "only {failures} failures");
}

#[test]
fn a_way_back_that_fails_is_taken_again() {
    let mut failures = 0;
    for number in 1.. {
        let mut world = World::light();
        set_up(&mut world);
        let before = world.see();
        world.perform(&steps()).unwrap();
        let (stuck, is_reached) = disk::durable::failing_at(number, NO_SPACE, || world.compensate(&steps()));
        if !is_reached {
            assert!(stuck.is_empty(), "{stuck:?}");
            break;
        }
        failures += 1;
        assert!(!stuck.is_empty(), "{number}");
        let stuck = world.compensate(&steps());
        assert!(stuck.is_empty(), "{number}: {stuck:?}");
        assert_eq!(world.see(), before, "{number}");
    }
    assert!(failures >= 40, "only {failures} failures");
}
