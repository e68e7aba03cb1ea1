//! Files and functions stay small. What is too large already is listed in the ratchet, which may only shrink.

use super::finding::Finding;
use super::ratchet::{self, Ratchet};
use crate::repository::Repository;
use crate::rust::{Source, functions};

/// From where on something is said, and from where on it fails.
struct Limits {
    what: &'static str,
    lines_wanted: usize,
    lines_max: usize,
}

const FILES: Limits = Limits { what: "file", lines_wanted: 400, lines_max: 600 };
const FUNCTIONS: Limits = Limits { what: "function", lines_wanted: 60, lines_max: 80 };

/// Something with a size.
struct Measured {
    /// Its name in the ratchet.
    key: String,
    path: String,
    line: usize,
    lines: usize,
}

/// Measures every Rust file and function.
pub(super) fn check(repository: &Repository, committed: Option<&str>) -> Vec<Finding> {
    let listed = match ratchet::parse(repository.text(ratchet::PATH).unwrap_or_default()) {
        Ok(listed) => listed,
        Err(error) => return vec![Finding::of_file(ratchet::PATH, error)],
    };
    let files: Vec<Measured> = repository.sources.iter().map(file).collect();
    let functions: Vec<Measured> = repository.sources.iter().flat_map(functions_of).collect();
    let mut findings = ratchet::growth(&listed, committed);
    findings.extend(judge(&FILES, &files, &listed.files));
    findings.extend(judge(&FUNCTIONS, &functions, &listed.functions));
    findings
}

fn file(source: &Source) -> Measured {
    Measured { key: source.path.clone(), path: source.path.clone(), line: 0, lines: source.text.lines().count() }
}

fn functions_of(source: &Source) -> Vec<Measured> {
    let measure = |function: crate::rust::Function| Measured {
        key: format!("{}::{}", source.path, function.name),
        path: source.path.clone(),
        line: function.line,
        lines: function.lines,
    };
    functions(&source.code).into_iter().map(measure).collect()
}

fn judge(limits: &Limits, all: &[Measured], listed: &Ratchet) -> Vec<Finding> {
    let mut findings: Vec<Finding> = all.iter().filter_map(|one| judge_one(limits, one, listed)).collect();
    for (key, lines) in listed {
        let largest = all.iter().filter(|one| one.key == *key).map(|one| one.lines).max().unwrap_or(0);
        if largest <= limits.lines_max {
            findings.push(Finding::of_file(ratchet::PATH, format!("`{key}` is small enough now: remove it")));
        } else if largest < *lines {
            findings.push(Finding::of_file(ratchet::PATH, format!("`{key}` has {largest} lines now: write that")));
        }
    }
    findings
}

fn judge_one(limits: &Limits, one: &Measured, listed: &Ratchet) -> Option<Finding> {
    let lines_max = listed.get(&one.key).copied().unwrap_or(limits.lines_max);
    let said = format!("a {} of {} lines; wanted are {}", limits.what, one.lines, limits.lines_wanted);
    let finding = Finding::of_line(&one.path, one.line, format!("{said}, allowed {lines_max}"));
    match one.lines {
        lines if lines > lines_max => Some(finding),
        lines if lines > limits.lines_wanted => Some(finding.into_warning()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::Weight;

    const SMALL: Limits = Limits { what: "file", lines_wanted: 4, lines_max: 6 };

    #[track_caller]
    fn check_file(lines: usize, listed: Option<usize>, expected: &[(Weight, &str)]) {
        let all = [Measured { key: "a.rs".to_owned(), path: "a.rs".to_owned(), line: 0, lines }];
        let listed = listed.map(|lines| ("a.rs".to_owned(), lines)).into_iter().collect();
        let found = judge(&SMALL, &all, &listed);
        let summary: Vec<_> = found.iter().map(|finding| (finding.weight, finding.path.as_str())).collect();
        assert_eq!(summary, expected);
    }

    #[test]
    fn too_large_warns_and_far_too_large_fails() {
        check_file(4, None, &[]);
        check_file(5, None, &[(Weight::Warning, "a.rs")]);
        check_file(7, None, &[(Weight::Failure, "a.rs")]);
    }

    #[test]
    fn what_is_listed_may_stay_but_not_grow() {
        check_file(9, Some(9), &[(Weight::Warning, "a.rs")]);
        check_file(10, Some(9), &[(Weight::Failure, "a.rs")]);
    }

    #[test]
    fn the_list_follows_what_shrinks() {
        check_file(8, Some(9), &[(Weight::Warning, "a.rs"), (Weight::Failure, ratchet::PATH)]);
        check_file(3, Some(9), &[(Weight::Failure, ratchet::PATH)]);
    }

    #[test]
    fn sources_are_measured() {
        let long = format!("//! x\nfn long() {{\n{}}}\n", "x();\n".repeat(80));
        let repository = Repository::from_files([("crates/store/src/lib.rs".to_owned(), long)]);
        let found = check(&repository, None);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].line, found[0].weight), (2, Weight::Failure));
    }
}
