//! takeback inside the agents that people use: the real clients, pinned, in throw-away homes, against a model server
//! that does what a test planned. Nothing here looks into takeback: checked are the files, and the history a client
//! sends to the model.
//!
//! `cargo xtask clients` installs the clients. A test whose client is not there fails where `CI` is `true`; elsewhere it
//! says so and does nothing.

mod asides;
mod busy;
mod chat;
mod frame;
mod mishaps;
mod native;
mod record;
mod screens;
mod side_by_side;
mod story;
