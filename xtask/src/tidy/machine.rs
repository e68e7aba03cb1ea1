//! Only `disk` reaches the machine: nobody else names files, processes, clocks or the environment.

use super::finding::Finding;
use super::walls::{BANS, Ban, DOOR, PATH_CALLS};
use crate::rust::{Source, imports, words};

/// Looks at the code that ships.
pub(super) fn check(sources: &[Source]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in sources {
        for ban in BANS.iter().filter(|ban| !ban.allowed.iter().any(|place| source.path.starts_with(place))) {
            findings.extend(imported(source, ban));
            findings.extend(named(source, ban));
        }
        findings.extend(called(source));
    }
    findings
}

fn imported(source: &Source, ban: &Ban) -> Vec<Finding> {
    let below = format!("{}::", ban.path);
    let banned =
        imports(&source.code).into_iter().filter(|import| import.path == ban.path || import.path.starts_with(&below));
    let places = banned.map(|import| source.place_of(import.line));
    places.filter(|place| source.ships(*place)).map(|place| describe(source, place, ban)).collect()
}

/// A path is found by its last two names too, because the first ones may have been imported.
fn named(source: &Source, ban: &Ban) -> Vec<Finding> {
    let names: Vec<&str> = ban.path.split("::").collect();
    let ending = names[names.len() - 2..].join("::");
    let places = words(&source.code, &ending).filter(|place| source.ships(*place));
    places.map(|place| describe(source, place, ban)).collect()
}

fn called(source: &Source) -> Vec<Finding> {
    if source.path.starts_with(DOOR) {
        return Vec::new();
    }
    let calls = PATH_CALLS.iter().flat_map(|call| words(&source.code, call).map(move |place| (place, call)));
    let shipped = calls.filter(|(place, _)| source.ships(*place));
    shipped
        .map(|(place, call)| Finding::at(source, place, format!("`{call}` asks the file system; go through `disk`")))
        .collect()
}

fn describe(source: &Source, place: usize, ban: &Ban) -> Finding {
    Finding::at(source, place, format!("`{}` is not for this room: {}", ban.path, ban.instead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repository::Role;

    fn lines(path: &str, role: Role, text: &str) -> Vec<usize> {
        let source = Source::new(path.to_owned(), text.to_owned(), role);
        let mut lines: Vec<_> = check(&[source]).into_iter().map(|finding| finding.line).collect();
        lines.dedup();
        lines
    }

    #[track_caller]
    fn check_store(text: &str, expected: &[usize]) {
        assert_eq!(lines("crates/store/src/packs.rs", Role::Product, text), expected);
    }

    #[test]
    fn imports_of_the_machine_are_found() {
        check_store("use std::fs;", &[1]);
        check_store("\nuse std::{fs::File, io};", &[2]);
        check_store("use std::time::{Duration, SystemTime};", &[1]);
    }

    #[test]
    fn so_are_paths_in_the_code() {
        check_store("fn f() {\n std::fs::read(x);\n}", &[2]);
        check_store("use std::process;\nfn f() { process::Command::new(x); }", &[2]);
        check_store("fn f(p: &Path) -> bool { p.exists() }", &[1]);
    }

    #[test]
    fn what_only_looks_like_it_is_fine() {
        check_store("use std::io::Read; use std::time::Duration;\n// std::fs\nconst X: &str = \"std::fs\";", &[]);
        check_store("use crate::std_fs; const V: &str = env!(\"CARGO_PKG_VERSION\");", &[]);
    }

    #[test]
    fn tests_tools_and_disk_are_free() {
        check_store("#[cfg(test)]\nmod tests { use std::fs; fn f() { std::env::var(x); } }", &[]);
        assert!(lines("xtask/src/main.rs", Role::Tool, "use std::fs;").is_empty());
        assert!(lines("crates/disk/src/dir.rs", Role::Product, "use std::fs;").is_empty());
        assert_eq!(lines("crates/app/src/main.rs", Role::Product, "use std::env;\nuse std::fs;"), [2]);
        assert_eq!(lines("crates/app/src/ui.rs", Role::Product, "use std::env;"), [1]);
    }
}
