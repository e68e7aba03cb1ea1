//! `verify`: everything that is stored, read again.

use super::{Context, Exit, Failure};
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>) -> Result<Exit, Failure> {
    let workspace = context.workspace()?;
    let bar = explain::progress_bar(context.terminal, "Reading");
    let report = workspace.verify(&mut |done, total| bar.set(done, total));
    bar.clear();
    let report = report?;
    if context.terminal.is_json() {
        context.terminal.print(&wire::verify(&report));
    } else {
        explain::verify(context.terminal, &report);
    }
    Ok(if report.damages.is_empty() { Exit::Done } else { Exit::Failed })
}
