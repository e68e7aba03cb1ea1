//! Looking at named paths instead of everything: from the root down to each, folder by folder.

use std::sync::Arc;

use disk::DiskError;
use model::{EntryKind, Reason, WorkspacePath};

use super::found::Found;
use super::scanner::{Scanner, Sight};
use super::{Folder, Ground, Place};

/// Where the way to a path has ended.
pub(super) enum Arrival<'a> {
    /// At the path itself, which is a folder; nothing is noted of it yet.
    AtFolder(Folder<'a>),
    /// At the path itself, or at something above it that ends the way; all is noted.
    Done,
}

/// Looks at exactly these paths and the folders above them.
pub(super) fn visit_all<'a>(ground: &Ground<'a>, paths: &[WorkspacePath]) -> Result<Found<'a>, DiskError> {
    let mut scanner = Scanner::new(ground);
    let root = ground.root_place()?;
    let paths: std::collections::BTreeSet<&WorkspacePath> = paths.iter().collect();
    for path in paths {
        scanner.found.counts.entries += 1;
        if let Arrival::AtFolder(folder) = approach(&mut scanner, Arc::clone(&root), path) {
            // Whatever is wrong with the folder itself is noted by this.
            drop(scanner.pass_through(&folder));
        }
    }
    scanner.found.arrange();
    Ok(scanner.found)
}

/// Goes from the root to `path`. Whatever ends the way is noted, and a path that cannot be looked at is named.
pub(super) fn approach<'a>(scanner: &mut Scanner<'_, 'a>, root: Arc<Place>, path: &WorkspacePath) -> Arrival<'a> {
    let depth = path.depth();
    let mut place = root;
    for (at, name) in path.components().enumerate() {
        let before = scanner.ground.index.folder(&place.path).and_then(|known| known.get(name));
        let is_last = at + 1 == depth;
        let passed = match scanner.see(&place, name, before) {
            Sight::Folder(folder) if is_last => return Arrival::AtFolder(folder),
            Sight::Folder(folder) => scanner.pass_through(&folder),
            Sight::Left(EntryKind::Dir, _) if is_last => return Arrival::Done,
            Sight::Left(_, reason) => Err(reason),
            Sight::Hidden(_) => Err(Reason::Unreadable),
            Sight::Thing(EntryKind::Link) if !is_last => Err(Reason::UnsafePath),
            Sight::Thing(_) | Sight::Nothing => return Arrival::Done,
        };
        match passed {
            Ok(next) => place = next,
            Err(reason) => {
                scanner.found.trouble(path.clone(), reason);
                return Arrival::Done;
            }
        }
    }
    Arrival::Done
}
