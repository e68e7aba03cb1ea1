//! Everything that is tried through the public face of the room.

mod merge_against_git;
mod places;
mod random_worlds;
mod selective;
mod sentences;
mod simple_tree;
mod steps;
mod tiny_universe;
mod world;
