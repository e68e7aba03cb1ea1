//! House rules that show in the text of one Rust file.

use super::finding::Finding;
use super::walls::DOOR;
use crate::repository::Role;
use crate::rust::{Source, closing, words};

const RULES: &[fn(&Source) -> Vec<Finding>] = &[
    is_introduced,
    forbids_unsafe,
    unwraps_nothing,
    expects_for_a_reason,
    asserts_its_matches,
    never_allows,
    runs_all_tests,
];

const EXPECT: &str = ".expect(";

/// Applies every rule to every file.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    sources.iter().flat_map(|source| RULES.iter().flat_map(move |rule| rule(source))).collect()
}

fn is_introduced(source: &Source) -> Vec<Finding> {
    let first = source.text.lines().next().unwrap_or_default();
    if first.strip_prefix("//!").is_some_and(|words| words.split_whitespace().count() > 2) {
        return Vec::new();
    }
    vec![Finding::of_line(&source.path, 1, "a file begins with `//!`: what it is, and what it is not")]
}

fn forbids_unsafe(source: &Source) -> Vec<Finding> {
    let is_root = source.path.ends_with("/src/lib.rs") || source.path.ends_with("/src/main.rs");
    if !is_root || source.path.starts_with(DOOR) || source.code.contains("#![forbid(unsafe_code)]") {
        return Vec::new();
    }
    vec![Finding::of_line(&source.path, 1, "say `#![forbid(unsafe_code)]`; only `disk` may be unsafe")]
}

fn unwraps_nothing(source: &Source) -> Vec<Finding> {
    let places = words(&source.code, ".unwrap()").filter(|place| !source.is_test(*place));
    places
        .map(|place| Finding::at(source, place, "no `unwrap()`: return the error, or `expect(\"because …\")`"))
        .collect()
}

/// What ships may expect only what it can give a reason for.
fn expects_for_a_reason(source: &Source) -> Vec<Finding> {
    let places = words(&source.code, EXPECT).filter(|place| source.ships(*place));
    let groundless = places.filter(|place| !source.text[place + EXPECT.len()..].trim_start().starts_with("\"because "));
    groundless.map(|place| Finding::at(source, place, "say why it holds: `expect(\"because …\")`")).collect()
}

/// `matches!(…);` as a statement asks and forgets the answer: a test that cannot fail.
fn asserts_its_matches(source: &Source) -> Vec<Finding> {
    let places = words(&source.code, "matches!(").filter(|place| is_statement(&source.code, *place));
    places.map(|place| Finding::at(source, place, "`matches!` as a statement checks nothing: assert it")).collect()
}

fn is_statement(code: &str, place: usize) -> bool {
    let before = code[..place].trim_end().chars().next_back();
    let after = after_call(code, place).unwrap_or_default().trim_start();
    matches!(before, None | Some('{' | '}' | ';')) && after.starts_with(';')
}

/// What comes after the call at `place`.
fn after_call(code: &str, place: usize) -> Option<&str> {
    let open = place + code[place..].find('(')?;
    Some(&code[closing(code, open)? + 1..])
}

/// Where systems differ, a lint may speak on one and not on the other; only there `allow` has its place, with a reason.
fn never_allows(source: &Source) -> Vec<Finding> {
    let places = ["#[allow(", "#![allow("].into_iter().flat_map(|attribute| words(&source.code, attribute));
    let idle = places.filter(|place| !(source.path.starts_with(DOOR) && gives_reason(&source.code[*place..])));
    idle.map(|place| Finding::at(source, place, "write `#[expect(…, reason = \"…\")]` instead of `allow`")).collect()
}

fn gives_reason(attribute: &str) -> bool {
    attribute.split(']').next().is_some_and(|inside| inside.contains("reason ="))
}

/// Tests run always, and the integration tests of a crate are one program.
fn runs_all_tests(source: &Source) -> Vec<Finding> {
    let mut findings: Vec<Finding> = words(&source.code, "#[ignore")
        .map(|place| Finding::at(source, place, "a test that is ignored guards nothing: run it or remove it"))
        .collect();
    let below_tests = source.path.split_once("/tests/").map(|(_, rest)| rest);
    if source.role == Role::Test
        && below_tests.is_some_and(|rest| !rest.contains('/'))
        && !source.path.contains("/src/")
    {
        findings.push(Finding::of_file(&source.path, "integration tests are modules of `tests/all/main.rs`"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, role: Role, text: &str) -> Source {
        Source::new(path.to_owned(), text.to_owned(), role)
    }

    #[track_caller]
    fn check_rule(rule: fn(&Source) -> Vec<Finding>, role: Role, text: &str, lines: &[usize]) {
        let found: Vec<_> = rule(&source("crates/store/src/lib.rs", role, text)).iter().map(|f| f.line).collect();
        assert_eq!(found, lines, "{text}");
    }

    #[test]
    fn a_file_without_introduction_fails() {
        check_rule(is_introduced, Role::Product, "//! What it is, and what not.\n", &[]);
        check_rule(is_introduced, Role::Product, "//!\n//! Late words here.", &[1]);
        check_rule(is_introduced, Role::Test, "use x;\n", &[1]);
    }

    #[test]
    fn unsafe_is_forbidden_at_every_root_but_one() {
        check_rule(forbids_unsafe, Role::Product, "//! x\n#![forbid(unsafe_code)]\n", &[]);
        check_rule(forbids_unsafe, Role::Product, "// #![forbid(unsafe_code)]\n", &[1]);
        assert_eq!(forbids_unsafe(&source("crates/disk/src/lib.rs", Role::Product, "")), []);
        assert_eq!(forbids_unsafe(&source("crates/store/src/packs.rs", Role::Product, "")), []);
    }

    #[test]
    fn unwrap_is_for_tests() {
        let text = "fn f() { x.unwrap(); x.unwrap_or(1); }\n#[cfg(test)]\nmod tests { fn g() { x.unwrap(); } }";
        check_rule(unwraps_nothing, Role::Product, text, &[1]);
        check_rule(unwraps_nothing, Role::Test, text, &[]);
    }

    #[test]
    fn an_expectation_without_a_reason_fails() {
        check_rule(expects_for_a_reason, Role::Product, "fn f() { x.expect(\n \"because it was set\"); }", &[]);
        check_rule(expects_for_a_reason, Role::Product, "fn f() { x.expect(\"a value\"); }", &[1]);
        check_rule(expects_for_a_reason, Role::Test, "fn f() { x.expect(\"a value\"); }", &[]);
    }

    #[test]
    fn a_matches_that_nobody_asks_fails() {
        check_rule(asserts_its_matches, Role::Test, "fn f() {\n  matches!(x, Some(_));\n}", &[2]);
        check_rule(asserts_its_matches, Role::Test, "fn f() { a();\n  matches!(\n x, Y)\n ; }", &[2]);
        check_rule(asserts_its_matches, Role::Test, "fn f() -> bool { matches!(x, Y) }", &[]);
        check_rule(asserts_its_matches, Role::Test, "fn f() { assert!(matches!(x, Y)); assert_matches!(x, Y); }", &[]);
        check_rule(asserts_its_matches, Role::Test, "fn f() { let y = matches!(x, Y); }", &[]);
    }

    #[test]
    fn allow_fails_and_expect_passes() {
        check_rule(never_allows, Role::Product, "#[expect(dead_code, reason = \"x\")]", &[]);
        check_rule(never_allows, Role::Product, "\n#[allow(dead_code)]\n#![allow(x)]", &[2, 3]);
        check_rule(never_allows, Role::Product, "#[allow(dead_code, reason = \"x\")]", &[1]);
        let at_the_door = |text| never_allows(&source("crates/disk/src/stat.rs", Role::Product, text)).len();
        assert_eq!(at_the_door("#[allow(x)] // reason = none"), 1);
        assert_eq!(at_the_door("#[allow(x, reason = \"systems differ\")]"), 0);
    }

    #[test]
    fn ignored_and_scattered_tests_fail() {
        check_rule(runs_all_tests, Role::Test, "#[test]\n#[ignore]\nfn f() {}", &[2]);
        assert_eq!(runs_all_tests(&source("crates/store/tests/packs.rs", Role::Test, "")).len(), 1);
        assert_eq!(runs_all_tests(&source("crates/store/tests/all/main.rs", Role::Test, "")), []);
        assert_eq!(runs_all_tests(&source("crates/store/src/tests/packs.rs", Role::Test, "")), []);
    }
}
