//! Running a command in our place.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Mutex;

use disk::{Ended, Foreground, run_foreground};

use crate::{player, role};

/// How a process treats the keys of the terminal is one thing for all its threads, and goes on to what it starts.
static KEYS: Mutex<()> = Mutex::new(());

fn run(dir: &Path, script: &str) -> Ended {
    let arguments = ["-c", script].map(OsString::from);
    let environment = [("GREETING".into(), "hello".into())];
    let command = Foreground { program: OsStr::new("sh"), arguments: &arguments, dir, environment: &environment };
    run_foreground(&command).unwrap()
}

#[test]
fn the_end_of_a_command_is_handed_on() {
    let _turn = KEYS.lock().unwrap();
    let place = tempfile::tempdir().unwrap();
    assert_eq!(run(place.path(), "exit 7"), Ended { code: Some(7), signal: None });
    assert_eq!(run(place.path(), "kill -KILL $$"), Ended { code: None, signal: Some(9) });
    assert_eq!(run(place.path(), "printf %s $GREETING >told").code, Some(0));
    assert_eq!(std::fs::read_to_string(place.path().join("told")).unwrap(), "hello");
}

#[test]
fn the_interrupt_key_is_for_the_command_and_not_for_us() {
    if let Some((_, place)) = role() {
        // The key interrupts everybody in the foreground.
        let ended = run(&place, "kill -INT $PPID; kill -QUIT $PPID; kill -TSTP $PPID; kill -INT $$; exit 1");
        assert_eq!(ended, Ended { code: None, signal: Some(2) });
        std::fs::write(place.join("survived"), "").unwrap();
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::INT).unwrap();
        std::fs::write(place.join("deaf"), "").unwrap();
        return;
    }
    let _turn = KEYS.lock().unwrap();
    let place = tempfile::tempdir().unwrap();
    let name = "foreground::the_interrupt_key_is_for_the_command_and_not_for_us";
    let status = player(name, "runner", place.path()).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(2), "deaf to the key afterwards");
    assert!(place.path().join("survived").exists());
    assert!(!place.path().join("deaf").exists());
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let _turn = KEYS.lock().unwrap();
    let command =
        Foreground { program: OsStr::new("no-such-command"), arguments: &[], dir: Path::new("/"), environment: &[] };
    assert_eq!(run_foreground(&command).unwrap_err().to_string(), "Could not run `no-such-command`");
}
