//! Ids that would lead elsewhere: no lever takes them, none of them becomes a path, and no command is more than one word
//! longer for them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use agents::{DriverError, Seat, SignOfLife, Target};

use crate::fixture::{ALL, Fixture, Home, PROJECT};
use crate::mutation::STRANGE_IDS;

/// Longer than any id, and what a program would take for an option.
fn strange_ids() -> impl Iterator<Item = String> {
    STRANGE_IDS.into_iter().map(str::to_owned).chain(["i".repeat(70_000), "-x".to_owned(), "--help".to_owned()])
}

#[test]
fn no_lever_takes_a_conversation_of_a_strange_id() {
    for fixture in ALL {
        let home = home_with_decoys(fixture);
        let before = home.look();
        for id in strange_ids() {
            let (driver, seat) = (fixture.driver(), home.seat(&id));
            let is_refused = |refusal: DriverError| {
                matches!(refusal, DriverError::UnknownShape { .. } | DriverError::NoConversation { .. })
            };
            assert!(driver.read(&seat).is_err_and(is_refused), "{fixture:?} reads {id:?}");
            for target in targets() {
                assert!(driver.prepare(&seat, &target).is_err_and(is_refused), "{fixture:?} {target:?} of {id:?}");
            }
            assert_eq!(driver.sign_of_life(&seat), SignOfLife::Unknown);
        }
        assert!(home.look() == before, "{fixture:?} has written something");
    }
}

#[test]
fn a_prompt_of_a_strange_id_is_in_no_conversation() {
    for fixture in ALL {
        let home = home_with_decoys(fixture);
        let before = home.look();
        let seat = home.seat(&fixture.conversations()[0]);
        for prompt in strange_ids() {
            let missing = Err(DriverError::NoPrompt { prompt: prompt.clone() });
            let some = Some(prompt.clone());
            for target in
                [Target::Before { prompt }, Target::After { prompt: some.clone() }, Target::Fork { prompt: some }]
            {
                assert_eq!(fixture.driver().prepare(&seat, &target), missing, "{fixture:?}");
            }
        }
        assert!(home.look() == before, "{fixture:?} has written something");
    }
}

#[test]
fn a_record_that_is_told_in_a_roundabout_way_is_not_read() {
    for fixture in ALL.into_iter().filter(|fixture| fixture.agent != "opencode") {
        let files = fixture.files();
        let native = &fixture.conversations()[0];
        let (path, bytes) =
            files.iter().find(|(path, _)| path.to_string_lossy().contains(native)).expect("it is there");
        let home = Home::with(fixture, &[].into());
        let elsewhere = home.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("below")).expect("folders can be made");
        let place = elsewhere.join(path.file_name().expect("a file has a name"));
        fs::write(&place, bytes).expect("a file can be written");
        let told = |path: PathBuf| Seat { transcript: Some(path), ..home.seat(native) };
        assert!(fixture.driver().read(&told(place.clone())).is_ok(), "{fixture:?}");
        let name = place.file_name().expect("a file has a name");
        for roundabout in [elsewhere.join("below/..").join(name), Path::new("elsewhere").join(name), elsewhere] {
            assert!(fixture.driver().read(&told(roundabout.clone())).is_err(), "{fixture:?} {}", roundabout.display());
        }
    }
}

#[test]
fn the_command_that_resumes_is_a_program_an_option_and_one_word() {
    for fixture in ALL {
        for id in strange_ids().filter(|id| !id.contains('\0') && id.len() < 1_000) {
            let command = fixture.driver().resume_command(&id);
            let told = "{ printf '%s,%s' $# \"$2\"; }";
            let programs: String = ["claude", "codex", "opencode"].map(|name| format!("{name}() {told}\n")).concat();
            let script = format!("{programs}{command}\n");
            let ran = Command::new("/bin/sh").arg("-c").arg(script).output().expect("a shell is there");
            assert_eq!(String::from_utf8_lossy(&ran.stdout), format!("2,{id}"), "{command}");
        }
    }
}

fn targets() -> [Target; 5] {
    let prompt = "p".to_owned();
    [
        Target::Before { prompt: prompt.clone() },
        Target::After { prompt: Some(prompt.clone()) },
        Target::After { prompt: None },
        Target::Fork { prompt: Some(prompt) },
        Target::Fork { prompt: None },
    ]
}

/// A home with records wherever a strange id would lead, if it were put into a path as it is.
fn home_with_decoys(fixture: Fixture) -> Home {
    let files = fixture.files();
    let home = Home::with(fixture, &files);
    let (path, bytes) = files.iter().next().expect("there is one");
    let folder = home.path().join(path).parent().expect("a file lies in a folder").to_owned();
    fs::create_dir_all(folder.join("a")).expect("a folder can be made");
    let names = ["../../x.jsonl", ".jsonl", "..jsonl", "...jsonl", "a/b.jsonl", "-x.jsonl", "rollout-..jsonl"];
    let rollouts = ["rollout-2026-12-01T00-00-00-.jsonl", "rollout-2026-12-01T00-00-00--x.jsonl"];
    for name in names.into_iter().chain(rollouts) {
        fs::write(folder.join(name), bytes).expect("a file can be written");
    }
    assert!(Path::new(PROJECT).is_absolute());
    home
}
