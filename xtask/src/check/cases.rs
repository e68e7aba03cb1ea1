//! The cases: stories told to the finished program from outside. They live beside this checkout where they live at
//! all. Which of them are known not to work yet is listed, each with its reason; the list must be exactly right.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Report;
use super::count::Count;
use super::program::Program;
use crate::repository::target_folder;
use crate::{Fault, Verdict};

/// Runs the cases, from the root.
const RUNNER: &str = "../shared/cases/run.py";

/// What is known not to work yet, from the root: `ID reason` per line, `#` begins a comment line.
const PENDING: &str = "xtask/pending-cases.txt";

/// Runs the cases where they are, and compares the failures with the list. A failure that is not listed fails, and so
/// does a listed case that passes or does not exist. Failures that are listed are counted neither way.
pub(super) fn run(root: &Path, watcher: Watcher) -> Result<Report, Fault> {
    if !root.join(RUNNER).exists() {
        println!("{RUNNER} is not beside this checkout: nothing to run");
        return Ok(Report { verdict: Verdict::Clean, count: Count::default() });
    }
    let pending = parse_pending(&std::fs::read_to_string(root.join(PENDING))?)?;
    let judgement = judge(&parse_results(&run_cases(root, watcher)?), &pending);
    println!("{} cases are listed in {PENDING}", pending.len());
    judgement.complaints.iter().for_each(|complaint| println!("{complaint}"));
    let verdict = if judgement.complaints.is_empty() { Verdict::Clean } else { Verdict::Found };
    Ok(Report { verdict, count: judgement.count })
}

/// Whether the program is run with its watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watcher {
    On,
    Off,
}

/// Runs all cases against the release build and returns what the runner wrote of them.
fn run_cases(root: &Path, watcher: Watcher) -> Result<Value, Fault> {
    let target = target_folder(root);
    let (program, results) = (target.join("release/takeback"), target.join("cases.json"));
    let binary = match watcher {
        Watcher::Off => program,
        Watcher::On => watched(&program)?,
    };
    if results.exists() {
        std::fs::remove_file(&results)?; // else a runner that dies would leave us the results of another day
    }
    let arguments = [RUNNER, "--bin", &binary.to_string_lossy(), "--json", &results.to_string_lossy()];
    Program::new("python3", arguments).run(root)?;
    let text = std::fs::read_to_string(&results).map_err(|error| format!("the cases left no results: {error}"))?;
    Ok(serde_json::from_str(&text)?)
}

/// The program behind a script, since the cases give it an environment of their own.
fn watched(program: &Path) -> Result<PathBuf, Fault> {
    let script = program.with_file_name("takeback-with-watcher");
    std::fs::write(&script, format!("#!/bin/sh\nTAKEBACK_WATCHER=on exec '{}' \"$@\"\n", program.display()))?;
    std::fs::set_permissions(&script, Permissions::from_mode(0o755))?;
    Ok(script)
}

/// How one case ended.
struct CaseResult {
    id: String,
    status: Status,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Status {
    Passed,
    Failed,
    Skipped,
}

/// What the results mean in the light of the list.
#[derive(Default)]
struct Judgement {
    count: Count,
    complaints: Vec<String>,
}

impl Judgement {
    fn complain(&mut self, complaint: String) {
        self.count.failed += 1;
        self.complaints.push(complaint);
    }
}

fn judge(results: &[CaseResult], pending: &BTreeMap<String, String>) -> Judgement {
    let mut judgement = Judgement::default();
    for result in results {
        let id = &result.id;
        match (result.status, pending.get(id)) {
            (Status::Passed, None) => judgement.count.passed += 1,
            (Status::Failed, None) => judgement.complain(format!("{id} failed and is not listed in {PENDING}")),
            (Status::Passed, Some(_)) => judgement.complain(format!("{id} passed: remove it from {PENDING}")),
            (Status::Failed, Some(_)) | (Status::Skipped, _) => {}
        }
    }
    for id in pending.keys().filter(|id| !results.iter().any(|result| result.id == **id)) {
        judgement.complain(format!("{id} is no case: remove it from {PENDING}"));
    }
    judgement
}

fn parse_results(results: &Value) -> Vec<CaseResult> {
    let rows = results.as_array().map_or(&[][..], Vec::as_slice);
    rows.iter().map(parse_result).collect()
}

/// Whatever is neither passed nor skipped has failed.
fn parse_result(row: &Value) -> CaseResult {
    let status = match row["status"].as_str() {
        Some("ok") => Status::Passed,
        Some("skip") => Status::Skipped,
        _ => Status::Failed,
    };
    CaseResult { id: row["id"].as_str().unwrap_or_default().to_owned(), status }
}

fn parse_pending(text: &str) -> Result<BTreeMap<String, String>, Fault> {
    let mut pending = BTreeMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (id, reason) = line.split_once(' ').ok_or_else(|| format!("{PENDING}: `{line}` gives no reason"))?;
        if pending.insert(id.to_owned(), reason.trim().to_owned()).is_some() {
            return Err(format!("{PENDING}: {id} is listed twice").into());
        }
    }
    Ok(pending)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(status: &str, pending: &str, count: Count, complaint: Option<&str>) {
        let results = parse_results(&json!([{"id": "C05", "status": status}]));
        let judgement = judge(&results, &parse_pending(pending).expect("a good list"));
        assert_eq!(judgement.count, count);
        assert_eq!(judgement.complaints.first().map(|text| text.split(':').next().unwrap_or_default()), complaint);
    }

    const NONE: Count = Count { passed: 0, failed: 0 };
    const FAILED: Count = Count { passed: 0, failed: 1 };

    #[test]
    fn what_is_not_listed_must_pass() {
        check("ok", "", Count { passed: 1, failed: 0 }, None);
        check("fail", "# C05 in a comment\n", FAILED, Some("C05 failed and is not listed in xtask/pending-cases.txt"));
        check("skip", "", NONE, None);
    }

    #[test]
    fn what_is_listed_must_fail() {
        check("fail", "C05 no previews yet", NONE, None);
        check("ok", "C05 no previews yet", FAILED, Some("C05 passed"));
        check("skip", "C05 no previews yet", NONE, None);
    }

    #[test]
    fn what_is_listed_must_exist() {
        check("ok", "C06 gone", Count { passed: 1, failed: 1 }, Some("C06 is no case"));
    }

    #[test]
    fn a_list_without_reasons_or_with_doubles_is_refused() {
        assert!(parse_pending("C05").is_err());
        assert!(parse_pending("C05 a\nC05 b").is_err());
    }
}
