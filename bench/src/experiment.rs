//! The experiments: what is done, how often, and beside what. One file each.

mod first_capture;
mod history;
mod hook;
mod inside;
mod one_change;
mod serve;
mod talk;
mod undo;

use crate::Fault;
use crate::arguments::Sizes;
use crate::product::{Product, Program};
use crate::row::Row;
use crate::scratch::Scratch;
use crate::shadow::Shadow;
use crate::tree::Tree;

/// One experiment, which gives one or more rows.
#[derive(Debug)]
pub(crate) struct Experiment {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) summary: &'static str,
    /// Does it.
    pub(crate) run: fn(&Bench<'_>) -> Result<Vec<Row>, Fault>,
}

/// What every experiment works with.
#[derive(Debug)]
pub(crate) struct Bench<'a> {
    /// Where.
    pub(crate) scratch: &'a Scratch,
    /// The program.
    pub(crate) program: &'a Program,
    /// How large.
    pub(crate) sizes: &'a Sizes,
}

/// All of them, in the order of the table.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment { name: "hook", summary: "a hook that finds nothing changed", run: hook::run },
    Experiment {
        name: "one-change",
        summary: "what finds one change: hooks, and inside a process",
        run: one_change::run,
    },
    Experiment {
        name: "first-capture",
        summary: "everything for the first time, and its size",
        run: first_capture::run,
    },
    Experiment { name: "undo", summary: "taking a turn back that changed some of many files", run: undo::run },
    Experiment { name: "talk", summary: "long conversations: the context, and staging a cut", run: talk::run },
    Experiment { name: "history", summary: "what is asked every day, after a long history", run: history::run },
    Experiment { name: "serve", summary: "the memory of a server with many sessions", run: serve::run },
];

/// What shadow git does at every step.
const CAPTURE: &str = "git add, write-tree";

/// Bytes of each file where their size does not matter.
const FILE_BYTES: usize = 1_500;

impl Bench<'_> {
    /// A new tree.
    fn tree(&self, files: usize, size_bytes: usize) -> Result<Tree, Fault> {
        Tree::grow(self.scratch.empty("work")?, files, size_bytes)
    }

    /// The program with no knowledge of the tree yet.
    fn fresh_product<'t>(&'t self, tree: &'t Tree) -> Result<Product<'t>, Fault> {
        Ok(Product::new(self.program, tree.root(), self.scratch.empty("home")?))
    }

    /// A shadow repository that holds nothing yet.
    fn fresh_shadow(&self, tree: &Tree) -> Result<Shadow, Fault> {
        Shadow::new(self.scratch.empty("shadow.git")?, tree.root())
    }

    /// Both sides with everything captured, and a turn open in a session.
    fn settled<'t>(&'t self, tree: &'t Tree) -> Result<(Product<'t>, Shadow), Fault> {
        let (product, shadow) = (self.fresh_product(tree)?, self.fresh_shadow(tree)?);
        product.first_capture()?;
        product.begin_session()?;
        product.begin_turn("first")?;
        shadow.capture()?;
        Ok((product, shadow))
    }
}

/// A number with its thousands apart.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(' ');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    #[test]
    fn thousands_stand_apart() {
        assert_eq!([7, 1_000, 1_234_567].map(super::grouped), ["7", "1 000", "1 234 567"]);
    }
}
