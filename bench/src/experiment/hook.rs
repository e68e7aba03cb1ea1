//! A hook that finds nothing changed: the whole process, from start to exit.

use std::cell::Cell;

use super::{Bench, CAPTURE, FILE_BYTES, grouped};
use crate::Fault;
use crate::pairs::{measure, time};
use crate::row::{Row, Target};

/// The hook after a tool; the one before it is not measured.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let tree = bench.tree(bench.sizes.ordinary_files, FILE_BYTES)?;
    let (product, shadow) = bench.settled(&tree)?;
    let number = Cell::new(0);
    let prepare = |run| {
        number.set(run);
        product.before_tool(&format!("nothing-{run}"))
    };
    let ours = || time(|| product.after_tool(&format!("nothing-{}", number.get())));
    let pair = measure(bench.sizes.short_runs, prepare, ours, || time(|| shadow.capture()))?;
    Ok(vec![Row {
        work: format!("hook process, nothing changed, {} files", grouped(tree.files)),
        ours: pair.ours,
        alternative: CAPTURE,
        theirs: pair.theirs,
        target: Target::MillisecondsMax(25.0),
    }])
}
