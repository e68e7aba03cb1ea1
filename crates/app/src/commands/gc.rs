//! `gc`: drops content that nothing needs any more.

use takeback::{PurgeError, UpkeepError, WhileBusy};

use super::{Context, Exit, Failure};
use crate::arguments::GcArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &GcArguments) -> Result<Exit, Failure> {
    let cleaned = match context.workspace()?.clean_up(while_busy(arguments.even_if_busy)) {
        Ok(cleaned) => cleaned,
        Err(error) => {
            let failure = failure(&error);
            if context.terminal.is_json() && failure.exit == Exit::Refused {
                context.terminal.print(&wire::gc_refused(failure.message.clone()));
            }
            return Err(failure);
        }
    };
    if context.terminal.is_json() {
        context.terminal.print(&wire::gc(&cleaned));
    } else {
        explain::gc(context.terminal, &cleaned);
    }
    Ok(Exit::Done)
}

/// What the option says.
pub(super) fn while_busy(even_if_busy: bool) -> WhileBusy {
    if even_if_busy { WhileBusy::GoOn } else { WhileBusy::Refuse }
}

/// What can be done another time is refused; what was removed but for its traces is done in part.
pub(super) fn failure(error: &UpkeepError) -> Failure {
    let exit = match error {
        UpkeepError::Busy { .. } | UpkeepError::InsideStep | UpkeepError::Locked { .. } => Exit::Refused,
        UpkeepError::Purge(PurgeError::PackInUse) => Exit::Refused,
        UpkeepError::Purge(PurgeError::StillRead) => Exit::Partial,
        UpkeepError::Purge(_) | UpkeepError::Compact(_) | UpkeepError::Store(_) => Exit::Failed,
        UpkeepError::Disk(_) | UpkeepError::Measure(_) => Exit::Failed,
    };
    Failure::new(exit, explain::chain(error))
}
