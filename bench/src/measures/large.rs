//! A large tree: the first capture, what it stores, and a hook afterwards.

use std::path::Path;

use super::{CAPTURE, grouped, milliseconds, small};
use crate::Fault;
use crate::options::{Options, Scale};
use crate::place::{Place, allocated_bytes};
use crate::row::{Row, Target, Unit};
use crate::shadow_git::ShadowGit;
use crate::takeback::Takeback;
use crate::tree::Tree;

const FILES: usize = 100_000;
const RUNS: usize = 3;

/// The first capture again and again, each from nothing; then hooks upon the last.
pub(super) fn measure(program: &Path, options: &Options) -> Result<Vec<Row>, Fault> {
    let place = Place::new()?;
    let size_bytes = if options.scale == Scale::Full { 6_000 } else { 1_500 };
    let tree = Tree::grow(place.work_tree(), options.files(FILES), size_bytes)?;
    let takeback = Takeback::new(program, &place);
    let mut git = ShadowGit::new(&place)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for run in 0..RUNS {
        if run > 0 {
            takeback.forget()?;
            std::fs::remove_dir_all(place.shadow())?;
            git = ShadowGit::new(&place)?;
        }
        ours.push(milliseconds(takeback.first_capture()?));
        theirs.push(milliseconds(git.capture()?.1));
    }
    let size = format!("{} files, {} MB", grouped(tree.files), tree.files * size_bytes / 1_000_000);
    let capture = Row {
        what: format!("first capture, {size}"),
        beside: CAPTURE,
        unit: Unit::Milliseconds,
        takeback: ours,
        shadow_git: theirs,
        target: Target::TimesLess(8.0),
    };
    let store = Row {
        what: format!("store after it, {size}"),
        beside: CAPTURE,
        unit: Unit::Bytes,
        takeback: vec![allocated_bytes(&place.state())? as f64],
        shadow_git: vec![allocated_bytes(&place.shadow())? as f64],
        target: Target::TimesAtMost(0.6),
    };
    takeback.begin()?;
    Ok(vec![capture, store, small::one_change(&tree, &takeback, &git, options)?])
}
