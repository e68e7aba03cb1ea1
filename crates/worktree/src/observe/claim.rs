//! Where an edit lands: the paths a tool may change when it opens a path that leads through links.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::WorkspacePath;

use super::LookError;
use crate::{Root, links};

/// What an edit of one path may change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claim {
    /// Paths of the workspace, in the order in which the way passes them: each link on the way, which a tool may replace,
    /// and the end of the way, also when nothing is there yet. The end is missing if it lies outside, or if the way is a
    /// loop of links.
    pub paths: Vec<WorkspacePath>,
    /// The end of the way, if it lies outside the workspace.
    pub outside: Option<PathBuf>,
}

/// Tells where an edit of `path` lands; a relative path starts at the root.
///
/// Links are read, never followed by the operating system, and each of them may lead in or out of the workspace. Opens
/// nothing but folders and changes nothing. Cost: two calls for each component.
pub fn resolve(root: &Root, path: &Path) -> Result<Claim, LookError> {
    let way = links::follow(&root.path().join(path))?;
    let mut claim = Claim::default();
    for link in &way.links {
        claim.pass(path_inside(root, link));
    }
    if let Some(end) = way.end {
        match path_inside(root, &end) {
            Some(inside) => claim.pass(Some(inside)),
            None => claim.outside = Some(end),
        }
    }
    Ok(claim)
}

impl Claim {
    fn pass(&mut self, path: Option<WorkspacePath>) {
        self.paths.extend(path.filter(|path| !self.paths.contains(path)));
    }
}

/// The path below the root; none if it lies outside.
fn path_inside(root: &Root, path: &Path) -> Option<WorkspacePath> {
    let below = path.strip_prefix(root.path()).ok()?;
    WorkspacePath::new(below.as_os_str().as_bytes()).ok()
}
