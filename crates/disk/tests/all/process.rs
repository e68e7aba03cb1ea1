//! Naming processes, and starting one that lives on by itself.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;

use disk::{Process, spawn_detached};

use crate::until;

#[test]
fn a_process_is_alive_until_its_end_and_its_number_alone_is_not_it() {
    let own = Process::own();
    assert!(own.is_alive());
    assert_eq!(Process::of(own.pid), Some(own));
    assert!(!Process { started_ticks: own.started_ticks + 1, ..own }.is_alive());
    let mut child = Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
    let process = Process::of(child.id()).unwrap();
    assert!(process.is_alive());
    child.kill().unwrap();
    // Ended, though not collected yet.
    until("the child has ended", || !process.is_alive());
    child.wait().unwrap();
    assert!(!process.is_alive());
}

#[test]
fn a_detached_program_has_its_own_session_and_nothing_of_ours() {
    let place = tempfile::tempdir().unwrap();
    let told = place.path().join("told");
    let held = std::fs::File::open(place.path()).unwrap();
    keep_on_exec(&held);
    let script = format!(
        "exec >{0}.part; ls -l /proc/$$/fd; cut -d' ' -f1,4,6 /proc/$$/stat; readlink /proc/$$/cwd; mv {0}.part {0}",
        told.display()
    );
    spawn_detached(Path::new("/bin/sh"), &[OsStr::new("-c"), OsStr::new(&script)]).unwrap();
    until("the program has told", || told.exists());
    let text = std::fs::read_to_string(&told).unwrap();
    let place = place.path().to_str().unwrap();
    assert!(!text.lines().any(|line| line.ends_with(place)), "inherited a descriptor: {text}");
    assert_eq!(text.matches(" -> ").count(), 3, "{text}");
    assert_eq!(text.matches("/dev/null").count(), 2, "{text}");
    let ids = text.lines().rev().nth(1).unwrap();
    let own_session = std::fs::read_to_string("/proc/self/stat").unwrap();
    let own_session = own_session.rsplit(')').next().unwrap().split(' ').nth(4).unwrap();
    assert_ne!(ids.split(' ').nth(2), Some(own_session), "{text}");
    assert_ne!(ids.split(' ').nth(1), Some(std::process::id().to_string().as_str()), "{text}");
    assert!(text.ends_with("\n/\n"), "{text}");
}

#[test]
fn a_program_that_cannot_be_started_is_named() {
    let error = spawn_detached(Path::new("/no/such/program"), &[]).unwrap_err();
    assert!(error.is_not_found());
    assert_eq!(error.to_string(), "Could not start `/no/such/program`");
}

/// Makes a descriptor one that a started program would inherit.
fn keep_on_exec(file: &std::fs::File) {
    rustix::io::fcntl_setfd(file, rustix::io::FdFlags::empty()).unwrap();
}
