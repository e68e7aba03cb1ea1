//! Taking a turn back that has changed some of many files.

use std::path::Path;

use super::{grouped, milliseconds};
use crate::Fault;
use crate::options::Options;
use crate::place::Place;
use crate::row::{Row, Target, Unit};
use crate::shadow_git::ShadowGit;
use crate::takeback::Takeback;
use crate::tree::Tree;

const FILES: usize = 20_000;
const SIZE_BYTES: usize = 1_500;
const RUNS: usize = 7;
/// Every so many-th file is changed.
const STRIDE: usize = 20;

/// The same files are changed anew for each of the three ways back; all lead to the tree as it was grown.
pub(super) fn measure(program: &Path, options: &Options) -> Result<Vec<Row>, Fault> {
    let place = Place::new()?;
    let tree = Tree::grow(place.work_tree(), options.files(FILES), SIZE_BYTES)?;
    let (takeback, git) = (Takeback::new(program, &place), ShadowGit::new(&place)?);
    takeback.first_capture()?;
    takeback.begin()?;
    let (grown, _) = git.capture()?;
    let paths: Vec<String> = changed(&tree).map(|number| tree.path(number)).collect();
    let (mut ours, mut whole, mut listed) = (Vec::new(), Vec::new(), Vec::new());
    for run in 0..options.runs(RUNS) {
        let id = format!("undo-{run}");
        takeback.begin_turn(&id)?;
        takeback.before_tool(&id)?;
        change(&tree, 3 * run + 1)?;
        takeback.after_tool(&id)?;
        takeback.end_turn()?;
        ours.push(milliseconds(takeback.undo()?));
        check(&tree)?;

        change(&tree, 3 * run + 2)?;
        git.capture()?;
        whole.push(milliseconds(git.restore_all(&grown)?));
        check(&tree)?;

        change(&tree, 3 * run + 3)?;
        git.capture()?;
        listed.push(milliseconds(git.restore_some(&grown, &paths)?));
        check(&tree)?;
    }
    let row = |beside, theirs, target| Row {
        what: format!("undo of {} changed of {} files", grouped(paths.len()), grouped(tree.files)),
        beside,
        unit: Unit::Milliseconds,
        takeback: ours.clone(),
        shadow_git: theirs,
        target,
    };
    Ok(vec![
        row("read-tree, checkout-index -f -a", whole, Target::TimesLess(3.0)),
        row("checkout-index --stdin", listed, Target::TimesAtMost(4.0)),
    ])
}

fn changed(tree: &Tree) -> impl Iterator<Item = usize> {
    (0..tree.files).step_by(STRIDE)
}

fn change(tree: &Tree, version: usize) -> Result<(), Fault> {
    changed(tree).try_for_each(|number| tree.rewrite(number, version as u64))
}

fn check(tree: &Tree) -> Result<(), Fault> {
    for number in changed(tree) {
        if !tree.is_as_grown(number)? {
            return Err(format!("{} was not brought back", tree.path(number)).into());
        }
    }
    Ok(())
}
