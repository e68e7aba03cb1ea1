//! Claims: the paths that a structured tool will change, from the paths it names. Relative paths are meant from the
//! event's own folder; links are read, never followed.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::{Gap, Reason, WorkspacePath};
use worktree::{Claim, Root};

/// What a tool claims.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Claims {
    /// Paths inside the workspace.
    pub(crate) inside: Vec<WorkspacePath>,
    /// What lies outside, as gaps.
    pub(crate) outside: Vec<Gap>,
}

/// Resolves the paths a tool names. A path that cannot be resolved claims nothing: what changes there is still seen.
pub(crate) fn resolve(root: &Root, cwd: Option<&str>, named: &[String]) -> Claims {
    let from = cwd.map_or_else(|| root.path().to_owned(), PathBuf::from);
    let mut claims = Claims::default();
    for name in named {
        let Claim { paths, outside } = worktree::resolve(root, &from.join(name)).unwrap_or_default();
        claims.inside.extend(paths);
        claims.outside.extend(outside.as_deref().and_then(outside_gap));
    }
    claims
}

/// A gap speaks of paths below the root; outside of it the path is kept from `/` on, see [`absolute_path`].
fn outside_gap(path: &Path) -> Option<Gap> {
    let bytes = path.as_os_str().as_bytes();
    let path = WorkspacePath::new(bytes.strip_prefix(b"/")?).ok()?;
    Some(Gap { path, reason: Reason::OutsideWorkspace })
}

/// The bytes a gap's path is shown as: absolute if it lies outside of the workspace.
pub(crate) fn absolute_path(gap: &Gap) -> Vec<u8> {
    match gap.reason {
        Reason::OutsideWorkspace => [b"/", gap.path.as_bytes()].concat(),
        _ => gap.path.as_bytes().to_vec(),
    }
}
