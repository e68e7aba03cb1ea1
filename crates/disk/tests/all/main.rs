//! What can only be seen from outside: real processes that wait, die, detach, or take our place in the terminal.
//!
//! A test that needs another process runs this binary again, limited to itself, with a role in the environment.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod foreground;
mod lock;
mod process;
mod rights;
mod state;

use std::path::Path;
use std::process::Command;

const ROLE: &str = "TAKEBACK_TEST_ROLE";
const PLACE: &str = "TAKEBACK_TEST_PLACE";

/// The role this process was started to play, and the folder it plays in; none in the test itself.
fn role() -> Option<(String, std::path::PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(PLACE)?.into()))
}

/// A command that runs the test `name` once more in a role.
fn player(name: &str, role: &str, place: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", name, "--nocapture", "--test-threads=1"]).env(ROLE, role).env(PLACE, place);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::inherit());
    command
}

/// Waits until `is_so`, and fails the test if that takes too long.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = std::time::Instant::now();
    while !is_so() {
        assert!(begun.elapsed().as_secs() < 20, "waited too long until {what}");
        std::thread::yield_now();
    }
}
