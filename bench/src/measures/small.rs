//! Hooks in a tree of usual size.

use std::path::Path;

use super::{CAPTURE, grouped, milliseconds};
use crate::Fault;
use crate::options::Options;
use crate::place::Place;
use crate::row::{Row, Target, Unit};
use crate::shadow_git::ShadowGit;
use crate::takeback::Takeback;
use crate::tree::Tree;

const FILES: usize = 10_000;
const SIZE_BYTES: usize = 1_500;
const RUNS: usize = 40;

/// A hook that finds nothing changed, and one that finds one change.
pub(super) fn measure(program: &Path, options: &Options) -> Result<Vec<Row>, Fault> {
    let place = Place::new()?;
    let tree = Tree::grow(place.work_tree(), options.files(FILES), SIZE_BYTES)?;
    let (takeback, git) = (Takeback::new(program, &place), ShadowGit::new(&place)?);
    takeback.first_capture()?;
    takeback.begin()?;
    git.capture()?;
    Ok(vec![nothing_changed(&tree, &takeback, &git, options)?, one_change(&tree, &takeback, &git, options)?])
}

fn nothing_changed(
    tree: &Tree,
    takeback: &Takeback<'_>,
    git: &ShadowGit,
    options: &Options,
) -> Result<Row, Fault> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..options.runs(RUNS) {
        let id = format!("nothing-{run}");
        ours.push(milliseconds(takeback.before_tool(&id)?));
        theirs.push(milliseconds(git.capture()?.1));
        ours.push(milliseconds(takeback.after_tool(&id)?));
        theirs.push(milliseconds(git.capture()?.1));
    }
    Ok(Row {
        what: format!("hook process, nothing changed, {} files", grouped(tree.files)),
        beside: CAPTURE,
        unit: Unit::Milliseconds,
        takeback: ours,
        shadow_git: theirs,
        target: Target::AtMost(25.0),
    })
}

/// One file changes between the hooks around a shell command; the one after it is measured.
pub(super) fn one_change(
    tree: &Tree,
    takeback: &Takeback<'_>,
    git: &ShadowGit,
    options: &Options,
) -> Result<Row, Fault> {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..options.runs(RUNS / 2) {
        let id = format!("one-{run}");
        takeback.before_tool(&id)?;
        tree.append((run * 7_919) % tree.files, "// one more line")?;
        ours.push(milliseconds(takeback.after_tool(&id)?));
        theirs.push(milliseconds(git.capture()?.1));
    }
    Ok(Row {
        what: format!("hook process, one file changed, {} files", grouped(tree.files)),
        beside: CAPTURE,
        unit: Unit::Milliseconds,
        takeback: ours,
        shadow_git: theirs,
        target: Target::TimesLess(1.5),
    })
}
