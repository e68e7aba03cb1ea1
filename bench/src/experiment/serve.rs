//! The memory of a server that holds many sessions.

use serde_json::json;

use super::{Bench, FILE_BYTES, grouped};
use crate::Fault;
use crate::amount::Amount;
use crate::product::Product;
use crate::row::{Row, Target};
use crate::server::Server;
use crate::tree::Tree;

/// All sessions in one workspace, then each in a workspace of its own.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    Ok(vec![in_one_workspace(bench)?, in_as_many_workspaces(bench)?])
}

/// One session, then all of them, each with a turn.
fn in_one_workspace(bench: &Bench<'_>) -> Result<Row, Fault> {
    let tree = bench.tree(bench.sizes.ordinary_files, FILE_BYTES)?;
    let product = bench.fresh_product(&tree)?;
    product.first_capture()?;
    let mut server = Server::start(product.serve())?;
    open_session(&mut server, &tree, 0)?;
    let with_one = server.memory_bytes()?;
    for number in 1..bench.sizes.sessions {
        open_session(&mut server, &tree, number)?;
    }
    row(format!("{} sessions, {} files", bench.sizes.sessions, grouped(tree.files)), &server, with_one)
}

/// The same files, shared out among as many workspaces as there are sessions.
fn in_as_many_workspaces(bench: &Bench<'_>) -> Result<Row, Fault> {
    let (above, home) = (bench.scratch.empty("works")?, bench.scratch.empty("home")?);
    let files = bench.sizes.ordinary_files / bench.sizes.sessions;
    let grow = |number: usize| {
        let tree = Tree::grow(above.join(number.to_string()), files, FILE_BYTES)?;
        Product::new(bench.program, tree.root(), home.clone()).first_capture()?;
        Ok(tree)
    };
    let trees = (0..bench.sizes.sessions).map(grow).collect::<Result<Vec<_>, Fault>>()?;
    let mut server = Server::start(Product::new(bench.program, &above, home.clone()).serve())?;
    let mut with_one = 0;
    for (number, tree) in trees.iter().enumerate() {
        open_session(&mut server, tree, number)?;
        if number == 0 {
            with_one = server.memory_bytes()?;
        }
    }
    row(format!("{} workspaces of {} files", trees.len(), grouped(files)), &server, with_one)
}

fn row(what: String, server: &Server, with_one: u64) -> Result<Row, Fault> {
    Ok(Row {
        work: format!("memory of serve, {what}"),
        ours: Amount::Bytes(server.memory_bytes()?),
        alternative: "the same with one session",
        theirs: Amount::Bytes(with_one),
        target: Target::MebibytesMax(80.0),
    })
}

fn open_session(server: &mut Server, tree: &Tree, number: usize) -> Result<(), Fault> {
    let opened =
        server.ask("session/open", &json!({ "agent": "bench", "id": number.to_string(), "root": tree.root() }))?;
    let session = &opened["session"];
    server.ask("turn/begin", &json!({ "session": session, "prompt": "measure" }))?;
    server.ask("turn/end", &json!({ "session": session, "status": "completed" }))?;
    Ok(())
}
