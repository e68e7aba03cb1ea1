//! The program as users and agents meet it: every test drives the real binary in a throw-away world.

mod contract;
mod damage;
mod helps;
mod hooks;
mod inspection;
mod orders;
mod promises;
mod selective;
mod serve;
mod sessions;
mod statuses;
mod upkeep;
mod watcher;

use testkit::World;

/// A world in which the program under test is driven.
fn world() -> World {
    World::new(env!("CARGO_BIN_EXE_takeback"))
}
