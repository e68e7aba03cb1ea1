//! `watch`: the helper process that hears of changes. Started by a hook, detached from everything; nobody types it but to
//! see it at work.

use std::time::Duration;

use super::{Context, Exit, Failure};
use crate::arguments::WatchArguments;

pub(crate) fn run(context: &Context<'_>, arguments: &WatchArguments) -> Result<Exit, Failure> {
    if arguments.end {
        return Ok(if takeback::end_watcher(&context.environment) { Exit::Done } else { Exit::Nothing });
    }
    let ended = takeback::run_watcher(&context.environment, arguments.idle_ms.map(Duration::from_millis))?;
    if arguments.foreground {
        context.terminal.say(&format!("takeback: the watcher has ended ({ended})"));
    }
    Ok(Exit::Done)
}
