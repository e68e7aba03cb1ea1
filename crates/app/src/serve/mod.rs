//! `serve`: takeback for hosts that keep a conversation themselves, as JSON-RPC 2.0 over standard input and output or
//! over a unix socket; see `docs/serve.md`. It translates and hands on; what an order means is the engine's.
//!
//! Each client has a thread that reads its requests and answers them in their order, one that writes, and one more for
//! each request that may have to wait for a turn to end.

mod call;
mod client;
mod events;
mod fault;
mod line;
mod message;
mod order;
mod outbox;
mod parameters;
mod previews;
mod pulse;
mod reading;
mod rest;
mod schema;
mod server;
mod sessions;
mod socket;
mod table;
mod talk;
mod versions;
mod watch;

use std::io;
use std::path::Path;
use std::sync::Arc;

use takeback::Takeback;

use crate::arguments::ServeArguments;
use crate::commands::{Exit, Failure};
use crate::environment;
use crate::terminal::Terminal;
use outbox::Outbox;
use server::Server;

/// The version of the protocol that is spoken.
const PROTOCOL: u64 = 1;

/// Serves until standard input ends, or with a socket until the process is asked to end. Operations under way are
/// finished, requests that wait are cancelled.
pub(crate) fn run(takeback: &Takeback, terminal: &Terminal, arguments: &ServeArguments) -> Result<Exit, Failure> {
    if arguments.schema {
        terminal.print(&schema::text());
        return Ok(Exit::Done);
    }
    let server = Arc::new(Server::new(takeback.clone()));
    match &arguments.socket {
        Some(path) => socket::serve(&server, terminal, &environment::current_folder().join(Path::new(path)))?,
        None => serve_standard_streams(&server),
    }
    Ok(Exit::Done)
}

fn serve_standard_streams(server: &Arc<Server>) {
    let (outbox, writing) = Outbox::start(io::stdout());
    client::attend(server, io::stdin().lock(), outbox);
    _ = writing.join();
}
