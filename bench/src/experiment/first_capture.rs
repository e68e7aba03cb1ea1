//! The first capture of a large tree, each time from nothing, and what it has stored in the end.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::{Bench, CAPTURE, grouped};
use crate::Fault;
use crate::amount::Amount;
use crate::pairs::{measure, time};
use crate::row::{Row, Target};

/// Both sides find the files in the memory of the machine, as after a checkout.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let size_bytes = bench.sizes.first_capture_file_bytes;
    let tree = bench.tree(bench.sizes.large_files, size_bytes)?;
    let ours = || {
        let product = bench.fresh_product(&tree)?;
        time(|| product.first_capture())
    };
    let theirs = || {
        let shadow = bench.fresh_shadow(&tree)?;
        time(|| shadow.capture())
    };
    let pair = measure(bench.sizes.long_runs, |_| Ok(()), ours, theirs)?;
    let size = format!("{} files of {size_bytes} bytes", grouped(tree.files));
    let capture = Row {
        work: format!("first capture, {size}"),
        ours: pair.ours,
        alternative: CAPTURE,
        theirs: pair.theirs,
        target: Target::TimesFaster(8.0),
    };
    let store = Row {
        work: format!("store after it, {size}"),
        ours: Amount::Bytes(allocated_bytes(&bench.scratch.path().join("home"))?),
        alternative: CAPTURE,
        theirs: Amount::Bytes(allocated_bytes(&bench.scratch.path().join("shadow.git"))?),
        target: Target::TimesMax(0.6),
    };
    Ok(vec![capture, store])
}

/// What a folder and everything below it take on disk, in allocated blocks.
fn allocated_bytes(folder: &Path) -> Result<u64, Fault> {
    const BLOCK_BYTES: u64 = 512;
    let mut bytes = fs::symlink_metadata(folder)?.blocks() * BLOCK_BYTES;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { allocated_bytes(&entry.path())? } else { about.blocks() * BLOCK_BYTES };
    }
    Ok(bytes)
}
