//! Where the clients are installed, and what it means that one is not.

use std::path::{Path, PathBuf};

use serde_json::Value;

/// Which clients there are, in which versions; `cargo xtask clients` reads the same list.
const LIST: &str = include_str!("../../../clients.json");

/// A client in one version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pin {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its version.
    pub(crate) version: &'static str,
}

/// The program of a client; none, and that is said, if it is not installed.
///
/// Where `CI` is `true` everything has to be there: a client that is not fails the test, unless it is only there to be
/// recorded anew.
pub(crate) fn program(pin: Pin) -> Option<PathBuf> {
    let program = folder().join(format!("{}-{}", pin.name, pin.version)).join(place(pin));
    if program.exists() {
        return Some(program);
    }
    let what = format!("{} {} is not installed, see `cargo xtask clients`", pin.name, pin.version);
    if row(pin)["only_recorded"] == true { left_out(&what) } else { missing(&what) }
}

/// A program of the system that a test needs; none, and that is said, if it is not there.
pub(crate) fn tool(name: &str) -> Option<PathBuf> {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&search_path).map(|folder| folder.join(name)).find(|path| path.is_file());
    found.or_else(|| missing(&format!("{name} is not installed")))
}

/// The takeback program that was built along with this test.
pub(crate) fn takeback() -> PathBuf {
    let program = build_folder().join("takeback");
    assert!(program.exists(), "{} is not there: `cargo build -p takeback-app` makes it", program.display());
    program
}

fn missing(what: &str) -> Option<PathBuf> {
    let must_be_there = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(!must_be_there, "{what}");
    left_out(what)
}

#[expect(clippy::print_stderr, reason = "a test that shows nothing must say so")]
fn left_out(what: &str) -> Option<PathBuf> {
    eprintln!("NOT TESTED: {what}");
    None
}

fn folder() -> PathBuf {
    let in_target = || build_folder().parent().expect("cargo builds in a folder of the target folder").join("clients");
    std::env::var_os("TAKEBACK_CLIENTS").map_or_else(in_target, PathBuf::from)
}

/// `target/debug`, where the folder of this test's program lies.
fn build_folder() -> PathBuf {
    let own = std::env::current_exe().expect("a test knows its program");
    own.ancestors().nth(2).expect("cargo puts tests two folders deep").to_owned()
}

/// Where in its folder the program of a client lies.
fn place(pin: Pin) -> PathBuf {
    let row = row(pin);
    let place = row["program"].as_str().expect("it has a program");
    let (npm, rust) = if cfg!(target_arch = "aarch64") { ("arm64", "aarch64") } else { ("x64", "x86_64") };
    Path::new(&place.replace("{npm}", npm).replace("{rust}", rust)).to_owned()
}

fn row(pin: Pin) -> Value {
    let rows: Vec<Value> = serde_json::from_str(LIST).expect("the list of clients is JSON");
    let row = rows.into_iter().find(|row| row["name"] == pin.name && row["version"] == pin.version);
    row.expect("every client of a test is on the list")
}
