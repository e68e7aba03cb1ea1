//! What the tests stand on: a world with one real client in it, what was installed, processes with a bound, terminals.

mod claude;
mod client;
mod codex;
mod installed;
mod opencode;
mod process;
mod scene;
mod server;
mod terminal;

pub(crate) use claude::Claude;
pub(crate) use client::{Client, Doer, put, words};
pub(crate) use codex::Codex;
pub(crate) use installed::{Pin, tool};
pub(crate) use opencode::OpenCode;
pub(crate) use scene::{Scene, files_below};
pub(crate) use server::Server;
pub(crate) use terminal::Terminal;
