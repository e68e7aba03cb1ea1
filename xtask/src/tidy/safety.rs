//! `SAFETY.md` names tests that exist. A test that is still to be written is marked as such, and the mark goes when
//! the test is there; so the page can neither promise too much nor too little.

use std::collections::BTreeSet;

use super::finding::Finding;
use crate::repository::Repository;
use crate::rust::{Source, functions};

/// The page.
const PATH: &str = "SAFETY.md";

/// Stands before the name of a test that is still to be written.
const PLANNED: &str = "planned: ";

/// Looks up every test that the tables name in their last column.
pub(super) fn check(repository: &Repository) -> Vec<Finding> {
    let Some(page) = repository.text(PATH) else { return Vec::new() };
    let existing: BTreeSet<String> = repository.sources.iter().flat_map(tests_of).collect();
    let rows = page.lines().enumerate().filter_map(|(number, line)| Some((number + 1, last_cell(line)?)));
    rows.flat_map(|(line, cell)| check_cell(line, cell, &existing)).collect()
}

/// The names of all functions that are only there for tests.
fn tests_of(source: &Source) -> Vec<String> {
    let all = functions(&source.code).into_iter();
    all.filter(|function| source.is_test(source.place_of(function.line))).map(|function| function.name).collect()
}

fn check_cell(line: usize, cell: &str, existing: &BTreeSet<String>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (planned, name) in names(cell) {
        match (planned, existing.contains(name)) {
            (false, false) => findings.push(format!("no test is called `{name}`")),
            (true, true) => findings.push(format!("`{name}` exists now: drop `{}`", PLANNED.trim())),
            _ => {}
        }
    }
    findings.into_iter().map(|message| Finding::of_line(PATH, line, message)).collect()
}

/// The names in backticks, and whether each is marked as planned.
fn names(cell: &str) -> impl Iterator<Item = (bool, &str)> {
    let parts: Vec<&str> = cell.split('`').collect();
    let pairs: Vec<(bool, &str)> = parts.chunks_exact(2).map(|pair| (pair[0].ends_with(PLANNED), pair[1])).collect();
    pairs.into_iter()
}

fn last_cell(line: &str) -> Option<&str> {
    let (_, cell) = line.trim_end().strip_prefix('|')?.strip_suffix('|')?.rsplit_once('|')?;
    Some(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_page(row: &str, messages: &[&str]) {
        let tests = "#[test]\nfn a_torn_tail_is_skipped() {}";
        let product = "fn skip_a_torn_tail() {}";
        let files = [("SAFETY.md", row), ("crates/a/src/tests.rs", tests), ("crates/a/src/lib.rs", product)];
        let owned = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let found: Vec<_> = check(&Repository::from_files(owned)).into_iter().map(|finding| finding.message).collect();
        assert_eq!(found, messages);
    }

    #[test]
    fn a_test_that_does_not_exist_is_named() {
        check_page("| loss | rule | `a_torn_tail_is_skipped` |", &[]);
        check_page("| loss | `rule` | `a_torn_tail_is_cut` |", &["no test is called `a_torn_tail_is_cut`"]);
    }

    #[test]
    fn a_function_that_ships_is_no_test() {
        check_page("| loss | rule | `skip_a_torn_tail` |", &["no test is called `skip_a_torn_tail`"]);
    }

    #[test]
    fn a_planned_test_loses_its_mark_when_it_is_there() {
        check_page("| loss | rule | planned: `a_torn_tail_is_cut` |", &[]);
        let message = "`a_torn_tail_is_skipped` exists now: drop `planned:`";
        check_page("| loss | rule | `a_torn_tail_is_skipped`, planned: `a_torn_tail_is_skipped` |", &[message]);
    }
}
