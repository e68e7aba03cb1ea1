//! The store as its users see it: real folders, real processes, real damage.
#![forbid(unsafe_code)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod child;
mod content;
mod crash;
mod damage;
mod golden;
mod ledger;
mod length;
mod opening;
mod processes;
mod rows;
mod scarcity;
mod upkeep;
mod world;
