//! Taking a turn back that has changed some of many files, beside both ways in which shadow git brings files back.

use std::time::Duration;

use super::{Bench, FILE_BYTES, grouped};
use crate::Fault;
use crate::amount::{Amount, Times};
use crate::pairs::time;
use crate::product::Product;
use crate::row::{Row, Target};
use crate::shadow::Shadow;
use crate::tree::Tree;

/// The same files are changed anew for each of the three ways back; all of them lead to the tree as it was grown.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let tree = bench.tree(bench.sizes.undo_files, FILE_BYTES)?;
    let (product, shadow) = bench.settled(&tree)?;
    let grown = shadow.capture()?;
    let changed = Changed::among(&tree, bench.sizes.undo_changed);
    let (mut ours, mut whole, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..bench.sizes.short_runs.div_ceil(4) {
        let version = 3 * run;
        ours.push(changed.take_back(&product, version + 1)?);
        whole.push(changed.bring_back(&shadow, version + 2, |shadow| time(|| shadow.restore_all(&grown)))?);
        listed.push(changed.bring_back(&shadow, version + 3, |shadow| {
            shadow.read_tree(&grown)?;
            time(|| shadow.restore_listed(&changed.paths))
        })?);
    }
    let ours = Amount::Times(Times::new(ours));
    let row = |alternative, theirs, target| Row {
        work: format!("undo of {} changed of {} files", grouped(changed.paths.len()), grouped(tree.files)),
        ours: ours.clone(),
        alternative,
        theirs: Amount::Times(Times::new(theirs)),
        target,
    };
    Ok(vec![
        row("git read-tree, checkout-index -f -a", whole, Target::TimesFaster(3.0)),
        row("git checkout-index --stdin", listed, Target::TimesMax(4.0)),
    ])
}

/// The files that are changed and brought back.
struct Changed<'a> {
    tree: &'a Tree,
    numbers: Vec<usize>,
    paths: Vec<String>,
}

impl<'a> Changed<'a> {
    /// So many files, all over the tree.
    fn among(tree: &'a Tree, count: usize) -> Self {
        let numbers: Vec<usize> = (0..tree.files).step_by(tree.files / count).collect();
        let paths = numbers.iter().map(|number| tree.path(*number)).collect();
        Self { tree, numbers, paths }
    }

    /// A turn changes them, and is taken back.
    fn take_back(&self, product: &Product<'_>, version: usize) -> Result<Duration, Fault> {
        let id = format!("undo-{version}");
        product.begin_turn(&id)?;
        product.before_tool(&id)?;
        self.change(version)?;
        product.after_tool(&id)?;
        product.end_turn()?;
        let taken = time(|| product.undo())?;
        self.check().map(|()| taken)
    }

    /// They change, shadow git has seen it, and brings them back.
    fn bring_back(
        &self,
        shadow: &Shadow,
        version: usize,
        restore: impl FnOnce(&Shadow) -> Result<Duration, Fault>,
    ) -> Result<Duration, Fault> {
        self.change(version)?;
        shadow.capture()?;
        let taken = restore(shadow)?;
        self.check().map(|()| taken)
    }

    fn change(&self, version: usize) -> Result<(), Fault> {
        self.numbers.iter().try_for_each(|number| self.tree.rewrite(*number, version))
    }

    fn check(&self) -> Result<(), Fault> {
        for number in &self.numbers {
            if !self.tree.is_as_grown(*number)? {
                return Err(format!("{} was not brought back", self.tree.path(*number)).into());
            }
        }
        Ok(())
    }
}
