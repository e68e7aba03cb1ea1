//! `cargo xtask check`: every check and every test there is, in stages. A stage that fails does not keep the later
//! ones from running; the last line counts all tests.

mod cases;
mod count;
mod program;

use std::path::Path;
use std::time::Instant;

use cases::Watcher;
use count::Count;
use program::Program;

use crate::{Fault, Verdict, clients, tidy};

/// One part of the whole, in the order in which they run: what fails fastest comes first.
struct Stage {
    name: &'static str,
    run: fn(&Path) -> Result<Report, Fault>,
}

/// What a stage found.
struct Report {
    verdict: Verdict,
    count: Count,
}

const STAGES: &[Stage] = &[
    Stage { name: "format", run: format },
    Stage { name: "tidy", run: |root| Ok(Report { verdict: tidy::run(root)?, count: Count::default() }) },
    Stage { name: "clippy", run: clippy },
    Stage { name: "tests", run: tests },
    Stage { name: "tests of the program with the watcher", run: watched_tests },
    Stage { name: "doc tests", run: doc_tests },
    Stage { name: "real agents", run: real_agents },
    Stage { name: "release build", run: release_build },
    Stage { name: "cases", run: |root| cases::run(root, Watcher::Off) },
    Stage { name: "cases with the watcher", run: |root| cases::run(root, Watcher::On) },
];

/// Runs all stages. The last line printed is `N passed, N failed`, where a stage that fails without having counted a
/// failed test counts as one.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    let mut total = Count::default();
    for (number, stage) in STAGES.iter().enumerate() {
        println!("=== {}/{} {}", number + 1, STAGES.len(), stage.name);
        let began = Instant::now();
        let report = (stage.run)(root).unwrap_or_else(|fault| {
            println!("{fault}");
            Report { verdict: Verdict::Found, count: Count::default() }
        });
        println!("=== {} {} after {:.1} s\n", stage.name, word(report.verdict), began.elapsed().as_secs_f64());
        total += counted(&report);
    }
    println!("{} passed, {} failed", total.passed, total.failed);
    Ok(if total.failed == 0 { Verdict::Clean } else { Verdict::Found })
}

fn counted(report: &Report) -> Count {
    match (report.verdict, report.count.failed) {
        (Verdict::Found, 0) => Count { failed: 1, ..report.count },
        _ => report.count,
    }
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Clean => "ok",
        Verdict::Found => "FAILED",
    }
}

fn format(root: &Path) -> Result<Report, Fault> {
    uncounted(Program::cargo("fmt --all -- --check"), root)
}

fn clippy(root: &Path) -> Result<Report, Fault> {
    uncounted(Program::cargo("clippy --workspace --all-targets -- -D warnings"), root)
}

/// With nextest where it is installed: it isolates tests in processes and ends those that hang.
fn tests(root: &Path) -> Result<Report, Fault> {
    if Program::cargo("nextest --version").is_there(root) {
        run_tests("nextest run --workspace --exclude takeback-clients --no-fail-fast", root, count::of_nextest)
    } else {
        let arguments = "test --workspace --exclude takeback-clients --lib --bins --tests --no-fail-fast";
        run_tests(arguments, root, count::of_cargo_test)
    }
}

/// What drives the program from outside is run once more with the watcher, which changes nothing that can be seen.
fn watched_tests(root: &Path) -> Result<Report, Fault> {
    let watched = |arguments: &str| Program::cargo(arguments).with("TAKEBACK_WATCHER", "on");
    if Program::cargo("nextest --version").is_there(root) {
        program_report(watched("nextest run -p takeback-app --no-fail-fast"), root, count::of_nextest)
    } else {
        program_report(watched("test -p takeback-app --tests --no-fail-fast"), root, count::of_cargo_test)
    }
}

/// The agents themselves, in a stage of their own: they are installed first, and need the program built.
fn real_agents(root: &Path) -> Result<Report, Fault> {
    if clients::run(root)? == Verdict::Found {
        println!("what could not be installed is not tested, or fails where `CI` is `true`");
    }
    if Program::cargo("build -p takeback-app").run(root)?.verdict == Verdict::Found {
        return Ok(Report { verdict: Verdict::Found, count: Count::default() });
    }
    if Program::cargo("nextest --version").is_there(root) {
        run_tests("nextest run -p takeback-clients --no-fail-fast", root, count::of_nextest)
    } else {
        run_tests("test -p takeback-clients --tests --no-fail-fast", root, count::of_cargo_test)
    }
}

/// Runs the story in which each agent's own undo is set beside takeback's; what it prints is a table.
pub(crate) fn compare(root: &Path) -> Result<Verdict, Fault> {
    if clients::run(root)? == Verdict::Found
        || Program::cargo("build -p takeback-app").run(root)?.verdict == Verdict::Found
    {
        return Ok(Verdict::Found);
    }
    let test = "test -p takeback-clients --test all -- --nocapture side_by_side";
    Ok(Program::cargo(test).run(root)?.verdict)
}

fn run_tests(arguments: &str, root: &Path, count: fn(&str) -> Count) -> Result<Report, Fault> {
    program_report(Program::cargo(arguments), root, count)
}

fn doc_tests(root: &Path) -> Result<Report, Fault> {
    program_report(Program::cargo("test --workspace --doc --no-fail-fast"), root, count::of_cargo_test)
}

fn release_build(root: &Path) -> Result<Report, Fault> {
    uncounted(Program::cargo("build --release -p takeback-app"), root)
}

fn uncounted(program: Program, root: &Path) -> Result<Report, Fault> {
    program_report(program, root, |_| Count::default())
}

fn program_report(program: Program, root: &Path, count: fn(&str) -> Count) -> Result<Report, Fault> {
    let ended = program.run(root)?;
    Ok(Report { verdict: ended.verdict, count: count(&ended.said) })
}

#[cfg(test)]
mod counting {
    use super::*;

    #[test]
    fn a_stage_that_fails_without_a_failed_test_counts_as_one() {
        let report = |verdict, failed| Report { verdict, count: Count { passed: 3, failed } };
        assert_eq!(counted(&report(Verdict::Found, 0)), Count { passed: 3, failed: 1 });
        assert_eq!(counted(&report(Verdict::Found, 2)), Count { passed: 3, failed: 2 });
        assert_eq!(counted(&report(Verdict::Clean, 0)), Count { passed: 3, failed: 0 });
    }
}
