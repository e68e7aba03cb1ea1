//! The library as a whole, on real folders: against git, over random worlds, and killed at every durable step.

mod crash;
mod edits;
mod git;
mod git_history;
mod git_oracle;
mod orders;
mod play;
mod random;
mod tree;
mod world;
mod worlds;
