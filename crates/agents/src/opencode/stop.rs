//! Asking for a stop: a file of the session's name in a folder that the plugin watches from inside OpenCode.

use super::{database, ids};
use crate::driver::{DriverError, Seat};

/// The folder beside OpenCode's database; the plugin knows it by the same name.
const ASKS: &str = "takeback-asks";

/// Asks for the turn of a session to be stopped. The plugin takes the file away when it does.
pub(super) fn ask(seat: &Seat) -> Result<(), DriverError> {
    ids::checked(&seat.native)?;
    let folder = database::path(seat).with_file_name(ASKS);
    if disk::state::list(&folder).is_err() {
        return Err(DriverError::Unsupported { what: "be stopped: the plugin of this version has not run in it yet" });
    }
    match disk::state::write_new(&folder.join(&seat.native), b"stop\n") {
        Err(error) if !error.is_exists() => {
            Err(DriverError::Failed { verb: "Asking OpenCode to stop", reason: error.to_string() })
        }
        _ => Ok(()),
    }
}
