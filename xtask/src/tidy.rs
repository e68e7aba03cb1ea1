//! `cargo xtask tidy`: what keeps the house in order and no compiler holds. Each rule is a function from what it looks
//! at to findings; the table below is all there is. Rules read and never change anything.

mod documents;
mod edges;
mod finding;
mod licences;
mod links;
mod machine;
mod ratchet;
mod safety;
mod sizes;
mod text;
mod walls;
mod words;

use std::path::Path;

use finding::{Finding, Weight};

use crate::graph::Graph;
use crate::repository::Repository;
use crate::{Fault, Verdict};

/// Everything a rule may look at.
struct Premises {
    repository: Repository,
    graph: Graph,
    /// The ratchet as it was committed last; none where that is not known.
    committed_ratchet: Option<String>,
}

const RULES: &[fn(&Premises) -> Vec<Finding>] = &[
    |premises| edges::check(&premises.graph),
    |premises| licences::check(&premises.graph),
    |premises| machine::check(&premises.repository.sources),
    |premises| text::check(&premises.repository.sources),
    |premises| words::check(&premises.repository),
    |premises| sizes::check(&premises.repository, premises.committed_ratchet.as_deref()),
    |premises| documents::check(&premises.repository),
    |premises| links::check(&premises.repository),
    |premises| safety::check(&premises.repository),
];

/// Applies every rule to the repository and prints what it finds. Warnings do not fail.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    let premises = Premises {
        repository: Repository::load(root)?,
        graph: Graph::load(root)?,
        committed_ratchet: ratchet::committed(root),
    };
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&premises)).collect();
    findings.sort();
    findings.dedup();
    for finding in &findings {
        println!("{finding}");
    }
    let failures = findings.iter().filter(|finding| finding.weight == Weight::Failure).count();
    println!(
        "tidy: {} Rust files, {} other texts, {} packages from elsewhere (at most {}): {failures} failures, {} warnings",
        premises.repository.sources.len(),
        premises.repository.texts.len(),
        licences::foreign(&premises.graph).count(),
        walls::FOREIGN_PACKAGES_MAX,
        findings.len() - failures,
    );
    Ok(if failures == 0 { Verdict::Clean } else { Verdict::Found })
}
