//! The eyes of takeback on real files: every rule of coverage and capture as a sentence.
#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that cannot go on has failed, and says what it skips"
)]

mod changes;
mod cost;
mod coverage;
mod moves;
mod observe;
mod random;
mod repositories;
mod scopes;
mod storm;
mod suspects;
mod troubles;
mod world;
