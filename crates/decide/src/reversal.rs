//! Taking a set of transitions back: from the ledger and the present tree to a plan.
//!
//! The way: the ledger becomes *threads*, one per thing, that follow moves; every thread is judged alone, run by run
//! from the newest to the oldest; what all threads wish for is then laid out as one tree, where some wishes cannot be
//! granted; what remains is written down as a [`Plan`]. Nothing here writes, and nothing here chooses the set.

mod blend;
mod coverage;
mod dependents;
mod layout;
mod moves;
mod report;
mod runs;
mod thread;
mod verdict;

use std::collections::{BTreeMap, BTreeSet};

pub use dependents::{Dependent, dependents};
use model::{ConflictPolicy, Contents, Mode, Plan, Reason, Seq, Transition, Tree, WorkspacePath};

/// What is to be taken back, and how.
pub struct Reversal<'a> {
    /// The ledger from the oldest chosen transition on, sorted: everything that happened to any path concerned, where
    /// both ends of a move are concerned if one is.
    pub ledger: &'a [Transition],
    /// The transitions to take back. All of them stand.
    pub chosen: &'a BTreeSet<Seq>,
    /// Transitions that are kept and must be named as kept, each for its reason, where their effect still shows.
    pub named: &'a BTreeMap<Seq, Reason>,
    /// What happens where a change cannot be taken back cleanly.
    pub policy: ConflictPolicy,
    /// Whether control files may be changed beyond what the chosen transitions alone did.
    pub control: ControlFiles,
    /// Whether a path steers an agent or a CI.
    pub is_control: &'a dyn Fn(&WorkspacePath) -> bool,
    /// The last known mode of a folder that is gone.
    pub folder_mode: &'a dyn Fn(&WorkspacePath) -> Option<Mode>,
}

/// How files are treated that steer an agent or a CI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ControlFiles {
    /// Taken back only if nobody else had a hand in them; else kept and named.
    Ask,
    /// Treated like any other file.
    Include,
}

/// Plans to take the chosen transitions back, against what is in `tree` now.
///
/// Everything that others did stays: a change of theirs is merged with, or it is in the way and the path is listed in
/// `left`. A plan with conflicts is not meant to be carried out. The same input gives the same plan. Never fails; a
/// ledger that contradicts itself or the tree is read as if somebody else had made the missing changes. Cost: about
/// `n log n` in the transitions, and one merge per text that two parties changed.
pub fn reverse(request: &Reversal<'_>, tree: &dyn Tree, contents: &dyn Contents) -> Plan {
    let ledger = coverage::widen_uncovered_folders(request.ledger);
    let threads = thread::spin(&ledger, request, tree);
    let mut texts = blend::Texts::new(contents);
    let mut layout = layout::Layout::new(tree, request.policy);
    let mut notices = report::Notices::default();
    for thread in &threads {
        verdict::judge(thread, request, &mut texts).deliver(thread, &mut layout, &mut notices);
    }
    layout.settle(&mut notices);
    report::plan(layout, notices, texts, request, tree)
}
