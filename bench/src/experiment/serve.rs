//! The memory of a server that holds many sessions.

use serde_json::json;

use super::{Bench, FILE_BYTES, grouped};
use crate::Fault;
use crate::amount::Amount;
use crate::row::{Row, Target};
use crate::server::Server;
use crate::tree::Tree;

/// One session, then all of them, each with a turn.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let tree = bench.tree(bench.sizes.ordinary_files, FILE_BYTES)?;
    let product = bench.fresh_product(&tree)?;
    product.first_capture()?;
    let mut server = Server::start(product.serve())?;
    open_session(&mut server, &tree, 0)?;
    let with_one = server.memory_bytes()?;
    for number in 1..bench.sizes.sessions {
        open_session(&mut server, &tree, number)?;
    }
    Ok(vec![Row {
        work: format!("memory of serve, {} sessions, {} files", bench.sizes.sessions, grouped(tree.files)),
        ours: Amount::Bytes(server.memory_bytes()?),
        alternative: "the same with one session",
        theirs: Amount::Bytes(with_one),
        target: Target::MebibytesMax(80.0),
    }])
}

fn open_session(server: &mut Server, tree: &Tree, number: usize) -> Result<(), Fault> {
    let opened =
        server.ask("session/open", &json!({ "agent": "bench", "id": number.to_string(), "root": tree.root() }))?;
    let session = &opened["session"];
    server.ask("turn/begin", &json!({ "session": session, "prompt": "measure" }))?;
    server.ask("turn/end", &json!({ "session": session, "status": "completed" }))?;
    Ok(())
}
