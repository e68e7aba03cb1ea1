//! A world to test in: a throw-away workspace with a home and a state folder of its own, the `takeback` program to be
//! driven in it, and a scripted agent that says what real agents say. For tests only; nothing is known here of how the
//! program works inside.
#![forbid(unsafe_code)]

mod agent;
pub mod mock;
mod program;
mod tree;
mod world;

pub use agent::{Agent, Turn};
pub use program::Ran;
pub use tree::{Thing, Tree};
pub use world::World;
