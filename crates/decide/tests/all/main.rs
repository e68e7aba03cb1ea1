//! Everything that is tried through the public face of the room.
#![allow(missing_docs)]

mod merge_against_git;
mod random_worlds;
mod sentences;
mod simple_tree;
mod steps;
mod tiny_universe;
mod world;
