//! One file changes between the barriers around a tool; the barrier after it is measured: as a hook process, and inside
//! a process that keeps the workspace open.

use std::cell::Cell;

use super::inside::Inside;
use super::{Bench, CAPTURE, FILE_BYTES, grouped};
use crate::Fault;
use crate::pairs::{Pair, measure, time};
use crate::row::{Row, Target};
use crate::tree::Tree;

/// In a tree of ordinary size and in a large one.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    for files in [bench.sizes.ordinary_files, bench.sizes.large_files] {
        let tree = bench.tree(files, FILE_BYTES)?;
        let row = |what: &str, pair: Pair| Row {
            work: format!("{what}, one file changed, {} files", grouped(files)),
            ours: pair.ours,
            alternative: CAPTURE,
            theirs: pair.theirs,
            target: Target::TimesFaster(1.5),
        };
        rows.push(row("hook process", as_process(bench, &tree)?));
        rows.push(row("inside a process", inside(bench, &tree)?));
    }
    Ok(rows)
}

fn as_process(bench: &Bench<'_>, tree: &Tree) -> Result<Pair, Fault> {
    let (product, shadow) = bench.settled(tree)?;
    let number = Cell::new(0);
    let prepare = |run| {
        number.set(run);
        product.before_tool(&format!("one-{run}"))?;
        tree.append_line(run)
    };
    let ours = || time(|| product.after_tool(&format!("one-{}", number.get())));
    measure(bench.sizes.short_runs, prepare, ours, || time(|| shadow.capture()))
}

fn inside(bench: &Bench<'_>, tree: &Tree) -> Result<Pair, Fault> {
    let inside = Inside::open(tree.root(), &bench.scratch.empty("home")?)?;
    let session = inside.workspace.begin_session("bench", "inside")?;
    let turn = session.begin_turn("measure")?;
    let shadow = bench.fresh_shadow(tree)?;
    shadow.capture()?;
    let open_step = Cell::new(None);
    let prepare = |run| {
        open_step.set(Some(turn.begin_step("shell", "make")?));
        tree.append_line(run + bench.sizes.short_runs)
    };
    let ours = || {
        let step = open_step.take().ok_or("no step is open")?;
        time(|| Ok(step.end(false)?))
    };
    measure(bench.sizes.short_runs, prepare, ours, || time(|| shadow.capture()))
}
