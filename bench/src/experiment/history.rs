//! What is asked every day, after a long history and after none.

use std::cell::Cell;
use std::time::Duration;

use super::{Bench, FILE_BYTES, grouped};
use crate::Fault;
use crate::history;
use crate::pairs::{Pair, measure, time};
use crate::product::Product;
use crate::row::{Row, Target};
use crate::tree::Tree;

/// No act takes longer, whatever lies behind.
const ACTING: Target = Target::MillisecondsMax(50.0);

/// How many turns a log is asked for.
const LOGGED: &str = "20";

/// One act of the program, after what makes it possible.
struct Act {
    what: &'static str,
    prepare: fn(&Past<'_>, usize) -> Result<(), Fault>,
    act: fn(&Past<'_>) -> Result<Duration, Fault>,
}

const ACTS: [Act; 6] = [
    Act { what: "log -n 20", prepare: nothing, act: |past| past.ask(&["log", "-n", LOGGED]) },
    Act { what: "status", prepare: nothing, act: |past| past.ask(&["status"]) },
    Act { what: "hook of a prompt", prepare: |past, _| past.product.end_turn(), act: |past| time(|| past.prompt()) },
    Act { what: "undo of one file", prepare: |past, run| past.change(run), act: |past| time(|| past.product.undo()) },
    Act {
        what: "undo of one step",
        prepare: |past, run| past.change(run + 2_000),
        act: |past| past.ask(&["undo", "--steps", "1", "--yes"]),
    },
    Act {
        what: "redo of it",
        prepare: |past, run| past.change_and_undo(run),
        act: |past| past.ask(&["redo", "--yes"]),
    },
];

/// A workspace with some past.
struct Past<'a> {
    tree: &'a Tree,
    product: Product<'a>,
    prompts: Cell<usize>,
}

/// The same acts with and without a past, in pairs.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let grow = |name: &str| Tree::grow(bench.scratch.empty(name)?, 1, FILE_BYTES);
    let trees = [grow("long-work")?, grow("short-work")?];
    let [long, short] = [("long-home", &trees[0]), ("short-home", &trees[1])].map(|(home, tree)| {
        let product = Product::new(bench.program, tree.root(), bench.scratch.empty(home)?);
        let past = Past { tree, product, prompts: Cell::new(0) };
        past.product.first_capture()?;
        past.product.begin_session()?;
        Ok::<_, Fault>(past)
    });
    let (long, short) = (long?, short?);
    let length = bench.sizes.history;
    history::write(&long.product.state(), length)?;
    let transitions = length.turns * length.transitions_per_turn;
    let row = |act: &Act, pair: Pair| Row {
        work: format!("{}, after {} turns, {} transitions", act.what, grouped(length.turns), grouped(transitions)),
        ours: pair.ours,
        alternative: "the same without a past",
        theirs: pair.theirs,
        target: ACTING,
    };
    ACTS.iter().map(|act| Ok(row(act, act.measure(bench.sizes.short_runs, &long, &short)?))).collect()
}

impl Act {
    fn measure(&self, runs: usize, long: &Past<'_>, short: &Past<'_>) -> Result<Pair, Fault> {
        let prepare = |run| [long, short].into_iter().try_for_each(|past| (self.prepare)(past, run));
        measure(runs, prepare, || (self.act)(long), || (self.act)(short))
    }
}

fn nothing(_: &Past<'_>, _: usize) -> Result<(), Fault> {
    Ok(())
}

impl Past<'_> {
    fn ask(&self, arguments: &[&str]) -> Result<Duration, Fault> {
        time(|| self.product.ask(arguments))
    }

    fn prompt(&self) -> Result<(), Fault> {
        self.prompts.set(self.prompts.get() + 1);
        self.product.begin_turn(&format!("prompt-{}", self.prompts.get()))
    }

    /// A turn that changes a file.
    fn change(&self, run: usize) -> Result<(), Fault> {
        let id = format!("change-{run}");
        self.product.begin_turn(&id)?;
        self.product.before_tool(&id)?;
        self.tree.append_line(run)?;
        self.product.after_tool(&id)?;
        self.product.end_turn()
    }

    /// A turn that changed a file and was taken back.
    fn change_and_undo(&self, run: usize) -> Result<(), Fault> {
        self.change(run + 1_000)?;
        self.product.undo()
    }
}
