//! Tests of the hand: every act forward and back, interrupted anywhere, and against somebody who writes meanwhile.

mod crash;
mod mounts;
mod others;
mod refusals;
mod story;
mod world;
