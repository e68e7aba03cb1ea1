//! `serve` as hosts meet it: over standard streams and over a socket, alone and side by side.

mod agreement;
mod comings;
mod lines;
mod page;
mod peer;
mod rest;
mod socket;
mod story;
mod versions;

use std::path::PathBuf;

use testkit::World;

/// Where servers of a world listen.
fn socket(world: &World) -> PathBuf {
    world.state().with_file_name("run").join("socket")
}
