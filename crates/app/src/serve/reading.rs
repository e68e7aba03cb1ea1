//! How a workspace stands and what has happened in it.

use super::call::Call;
use super::fault::Fault;
use crate::wire;

/// `log`
pub(super) fn log(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let turns = session.workspace.log(Some(session.id), call.parameters.count("limit"));
    Ok(wire::log(&turns.map_err(|error| Fault::not_done(&error))?))
}

/// `status`
pub(super) fn status(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    Ok(wire::status(&session.workspace.status(Some(session.id))?))
}

/// `checkpoint`
pub(super) fn checkpoint(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let name = call.parameters.text("name");
    let id = session.workspace.checkpoint(name)?;
    call.server.pulse.beat();
    Ok(wire::checkpoint(id, name))
}
