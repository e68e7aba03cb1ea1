//! `serve` as hosts meet it: over standard streams and over a socket, alone and side by side.

mod agreement;
mod lines;
mod page;
mod peer;
mod rest;
mod socket;
mod story;
