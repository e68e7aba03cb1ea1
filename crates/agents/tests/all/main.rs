//! The translators against what real clients have sent and written, and against what nobody should send or write.
//!
//! `tests/fixtures` holds a recording of every client in two versions; `crates/clients` makes them anew.

mod codex_bases;
mod cost;
mod fixture;
mod hostile;
mod mutation;
mod recorded;
mod strange_ids;
