//! The library as a whole, on real folders: against git, over random worlds, and killed at every durable step.
#![forbid(unsafe_code)]
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says from which seed"
)]

mod both_halves;
mod cost;
mod crash;
mod driven;
mod edits;
mod git;
mod git_history;
mod git_oracle;
mod length;
mod orders;
mod play;
mod promises;
mod prompts;
mod random;
mod sessions;
mod story;
mod stress;
mod told;
mod tree;
mod watcher;
mod world;
mod worlds;
