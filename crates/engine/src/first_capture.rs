//! The first capture of a workspace: everything is read once. It runs in a detached helper so that no prompt waits for
//! it; the first tool that may write waits, and does what is left itself.

use std::ffi::OsStr;
use std::time::Duration;

use disk::LockError;
use model::{WorkspacePath, limits};
use worktree::{CaptureScope, SpecialRoot};

use crate::error::RecordError;
use crate::moment::Moment;
use crate::workspace::{CoverageMode, Workspace};

/// How long a tool waits for the helper before it looks for itself.
const WAIT_FOR_HELPER: Duration = Duration::from_secs(45);

/// The hidden command of the helper program that makes the first capture.
pub const HELPER_COMMAND: &str = "first-capture";

/// Decides how much of the workspace is watched and starts the helper if there is something to capture.
pub(crate) fn begin(workspace: &Workspace) -> Result<Vec<String>, RecordError> {
    if workspace.has_first_capture()? {
        return Ok(Vec::new());
    }
    if is_special(workspace) {
        return finish(workspace);
    }
    let Some(program) = &workspace.environment.helper_program else { return finish(workspace) };
    let arguments = [OsStr::new(HELPER_COMMAND), OsStr::new("-C"), workspace.root_path().as_os_str()];
    match disk::spawn_detached(program, &arguments) {
        Ok(()) => Ok(Vec::new()),
        Err(_) => finish(workspace),
    }
}

/// Makes the first capture, or waits for whoever is making it. Afterwards everything that can be covered is.
pub(crate) fn finish(workspace: &Workspace) -> Result<Vec<String>, RecordError> {
    if workspace.has_first_capture()? {
        return Ok(Vec::new());
    }
    let guard = match workspace.lock_for_first_capture(WAIT_FOR_HELPER) {
        Ok(guard) => guard,
        Err(LockError::Busy { .. }) => {
            return Ok(vec![
                "The first capture is still under way: what it has not reached is not recorded yet".into(),
            ]);
        }
        Err(LockError::Disk(error)) => return Err(error.into()),
    };
    let said = if workspace.has_first_capture()? {
        Vec::new()
    } else if is_special(workspace) {
        watch_touched_paths(workspace)?
    } else {
        capture(workspace)?
    };
    drop(guard);
    Ok(said)
}

fn is_special(workspace: &Workspace) -> bool {
    let environment = &workspace.environment;
    let home = environment.home_folder.clone().unwrap_or_default();
    let special: Option<SpecialRoot> =
        worktree::is_special_root(workspace.root_path(), &home, &environment.temp_folder);
    special.is_some()
}

/// Nothing is captured: only what a tool names will be.
fn watch_touched_paths(workspace: &Workspace) -> Result<Vec<String>, RecordError> {
    workspace.set_coverage_mode(CoverageMode::TouchedPaths)?;
    workspace.mark_first_capture()?;
    Ok(Vec::new())
}

/// Captures one top-level folder after the other, each committed by itself, so that a kill loses little. A tree with too
/// many entries ends in touched-paths mode.
fn capture(workspace: &Workspace) -> Result<Vec<String>, RecordError> {
    let names = worktree::list(&workspace.root, &WorkspacePath::root())?;
    let scopes = std::iter::once(CaptureScope::Paths(names.clone())).chain(names.into_iter().map(CaptureScope::Below));
    let mut gaps = Vec::new();
    let mut entries = 0;
    for scope in scopes {
        let entered = workspace
            .record_scope("first capture", &scope, |recording| recording.enter(&Moment::of("first-capture", None)))?;
        gaps.extend(entered.gaps);
        entries += entered.entries;
        if entries > limits::WORKSPACE_ENTRIES_MAX {
            workspace.set_coverage_mode(CoverageMode::TouchedPaths)?;
            break;
        }
    }
    workspace.mark_first_capture()?;
    Ok(crate::record::sentences(&gaps))
}
