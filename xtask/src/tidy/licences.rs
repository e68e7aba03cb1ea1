//! What comes from elsewhere may be used under a licence we accept, and there is not too much of it.

use super::finding::Finding;
use super::walls::{FOREIGN_PACKAGES_MAX, LICENCES};
use crate::graph::{Graph, Package};

/// Looks at every package of the build that is not ours.
pub(super) fn check(graph: &Graph) -> Vec<Finding> {
    let mut findings: Vec<Finding> = foreign(graph).filter_map(check_package).collect();
    let count = foreign(graph).count();
    if count > FOREIGN_PACKAGES_MAX {
        let message = format!("{count} packages from elsewhere go into a build; the cap is {FOREIGN_PACKAGES_MAX}");
        findings.push(Finding::of_file("Cargo.lock", message));
    }
    findings
}

/// The packages that are not ours.
pub(super) fn foreign(graph: &Graph) -> impl Iterator<Item = &Package> {
    graph.packages.iter().filter(|package| !package.is_ours)
}

fn check_package(package: &Package) -> Option<Finding> {
    let licence = package.licence.as_deref().unwrap_or("none named");
    let message = format!("{} {}: licence not accepted: {licence}", package.name, package.version);
    (!is_accepted(licence)).then(|| Finding::of_file("Cargo.lock", message))
}

/// Whether an SPDX expression leaves us a choice of accepted licences. `OR` binds weaker than `AND`; an exception
/// (`WITH`) only ever permits more, so its licence decides. The old spelling `A/B` means `A OR B`.
fn is_accepted(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    accepts_any(&mut words) && words.next().is_none()
}

type Words<'a> = std::iter::Peekable<std::str::SplitWhitespace<'a>>;

fn accepts_any(words: &mut Words<'_>) -> bool {
    let mut accepted = accepts_all(words);
    while words.next_if_eq(&"OR").is_some() {
        accepted |= accepts_all(words);
    }
    accepted
}

fn accepts_all(words: &mut Words<'_>) -> bool {
    let mut accepted = accepts_one(words);
    while words.next_if_eq(&"AND").is_some() {
        accepted &= accepts_one(words);
    }
    accepted
}

fn accepts_one(words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let accepted = accepts_any(words);
        return words.next() == Some(")") && accepted;
    }
    let accepted = words.next().is_some_and(|name| LICENCES.contains(&name));
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    accepted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_needs_one_accepted_side() {
        assert!(is_accepted("MIT OR GPL-3.0-only"));
        assert!(is_accepted("Unlicense/MIT"));
        assert!(!is_accepted("GPL-2.0-only OR AGPL-3.0-only"));
    }

    #[test]
    fn an_obligation_needs_both() {
        assert!(is_accepted("(MIT OR LGPL-3.0-only) AND Unicode-3.0"));
        assert!(!is_accepted("MIT AND GPL-3.0-only"));
        assert!(!is_accepted("MIT AND (GPL-3.0-only OR LGPL-3.0-only)"));
    }

    #[test]
    fn an_exception_takes_nothing_away() {
        assert!(is_accepted("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only"));
        assert!(!is_accepted("GPL-3.0-only WITH Classpath-exception-2.0"));
    }

    #[test]
    fn what_cannot_be_read_is_not_accepted() {
        for expression in ["", "(MIT", "MIT Apache-2.0", "none named"] {
            assert!(!is_accepted(expression), "{expression}");
        }
    }

    #[test]
    fn too_many_packages_are_too_many() {
        let package = Package { licence: Some("MIT".to_owned()), ..Package::default() };
        let graph = Graph { packages: vec![package; FOREIGN_PACKAGES_MAX + 1] };
        assert_eq!(check(&graph).len(), 1);
    }
}
