//! Versions of the conversation: which there are, how two differ, a new one, and one less to see.

use model::HeadId;
use takeback::{OwnTurns, RetireError};

use super::call::Call;
use super::fault::{Code, Fault};
use super::rest::{self, Asking, Rest};
use super::server::Session;
use crate::wire;

/// `versions`
pub(super) fn list(call: &Call<'_>) -> Result<String, Fault> {
    listed(&*call.session()?)
}

/// `versions/diff`
pub(super) fn diff(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let (first, second): (HeadId, HeadId) =
        (call.parameters.needed("first").parse()?, call.parameters.needed("second").parse()?);
    let found = session.workspace.diff_versions(session.id, first, second);
    let diff = found.map_err(|error| Fault::not_done(&error))?.ok_or_else(|| {
        let message = format!("`{first}` and `{second}` are no two versions of this session");
        Fault::new(Code::UnknownTarget, message)
    })?;
    Ok(wire::version_diff((first, second), &diff))
}

/// `versions/retire`
pub(super) fn retire(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let own = if call.parameters.is_set("with_turns") { OwnTurns::PutAway } else { OwnTurns::Keep };
    let version = call.parameters.needed("version").parse()?;
    session.workspace.retire_version(session.id, version, own).map_err(not_retired)?;
    call.server.pulse.beat();
    listed(&session)
}

/// `fork`
pub(super) fn fork(call: &Call<'_>) -> Result<String, Fault> {
    let session = call.session()?;
    let after = call.parameters.text("turn").map(str::parse).transpose()?;
    let into = call.parameters.text("into");
    // Only a fork within the session moves it to another version.
    let still = match into {
        Some(_) => None,
        None => match rest::come_to_rest(call, &session, &Asking { reason: "fork", even_if_busy: false })? {
            Rest::Still(still) => Some(still),
            Rest::Busy(busy) => return Err(Fault::new(Code::Refused, busy.message)),
        },
    };
    let forked = session.workspace.fork(session.id, after, into)?;
    drop(still);
    call.server.pulse.beat();
    Ok(wire::fork(&forked))
}

fn listed(session: &Session) -> Result<String, Fault> {
    let versions = session.workspace.versions(session.id).map_err(|error| Fault::not_done(&error))?;
    Ok(wire::versions(session.id, &versions))
}

fn not_retired(error: RetireError) -> Fault {
    match error {
        RetireError::Unknown(head) => {
            Fault::new(Code::UnknownTarget, format!("`{head}` is no version of this session; nothing was changed"))
        }
        RetireError::HoldsTurns { head, turns } => {
            let message = format!("`{head}` holds turns of its own ({turns}); nothing was changed, set `with_turns`");
            Fault::new(Code::Refused, message)
        }
        RetireError::Selected(_) => Fault::new(Code::Refused, error.to_string()),
        RetireError::Store(_) | RetireError::Write(_) => Fault::not_done(&error),
    }
}
