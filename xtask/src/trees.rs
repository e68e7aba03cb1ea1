//! `cargo xtask trees`: the main job on real source trees. Builds, formatters, git and package installs run below
//! `takeback run` in packages of the public registries; each is taken back, compared byte for byte with the tree before
//! it, brought again and compared with the tree after it. Needs the network once: what was fetched stays in
//! `target/trees`.

mod catalogue;
mod tools;
mod trial;

use std::path::Path;

use crate::demo::world::{self, World};
use crate::{Fault, Verdict};
use catalogue::{COMMON, TREES, Tree};
use tools::Tools;
use trial::Row;

/// A tree with fewer files is no real one.
const FILES_MIN: usize = 1_000;

/// Tries every command in every tree and prints the table of what came of it.
pub(crate) fn run(root: &Path) -> Result<Verdict, Fault> {
    let program = world::build(root)?;
    let tools = Tools::fetch(root)?;
    let mut rows = Vec::new();
    for tree in TREES {
        let world = World::empty(program.clone())?;
        tools.unpack(tree, &world.project)?;
        rows.extend(try_tree(tree, &tools, &world)?);
    }
    print!("{}", Row::table(&rows));
    Ok(if rows.iter().all(Row::is_good) { Verdict::Clean } else { Verdict::Found })
}

/// All commands in one tree, one after the other; every one begins with the tree as it was fetched.
fn try_tree(tree: &Tree, tools: &Tools, world: &World) -> Result<Vec<Row>, Fault> {
    let mut rows = Vec::new();
    for job in tree.jobs.iter().chain(COMMON) {
        let row = trial::play(tree, job, tools, world)?;
        if row.files < FILES_MIN {
            return Err(format!("{} has only {} files", tree.name, row.files).into());
        }
        println!("{}", row.line());
        rows.push(row);
    }
    Ok(rows)
}
