//! Questions about folders that are asked before something is written into them.

use model::{EntryKind, Mode, WorkspacePath};

use super::{LookError, look};
use crate::Root;

/// Everything directly in a folder, sorted; nothing for what is no real folder.
pub fn list(root: &Root, folder: &WorkspacePath) -> Result<Vec<WorkspacePath>, LookError> {
    let Some(dir) = root.folder(folder)? else { return Ok(Vec::new()) };
    let mut paths: Vec<_> = dir.list()?.iter().filter_map(|listed| folder.child(&listed.name).ok()).collect();
    paths.sort();
    Ok(paths)
}

/// The folders above `path` that do not exist, the topmost first. Something else that stands where a folder should be
/// ends the search.
pub fn missing_parents(root: &Root, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, LookError> {
    let mut missing = Vec::new();
    for folder in path.ancestors() {
        if look(root, &folder)?.is_some() {
            break;
        }
        missing.push(folder);
    }
    missing.reverse();
    Ok(missing)
}

/// The mode of a folder in which this process may not make or remove names; none if it may, or if there is no folder.
pub fn needs_lift(root: &Root, folder: &WorkspacePath) -> Result<Option<Mode>, LookError> {
    let is_writable = match root.folder(folder) {
        Ok(Some(dir)) => dir.is_writable()?,
        Ok(None) => return Ok(None),
        Err(error) if error.is_permission() => false,
        Err(error) => return Err(error.into()),
    };
    Ok(if is_writable { None } else { look(root, folder)?.map(|seen| seen.mode) })
}

/// Whether names in a folder are the same when they differ only in case, as far as one of its own names shows it; a
/// folder without a letter in any name is taken to tell them apart.
pub fn is_case_insensitive(root: &Root, folder: &WorkspacePath) -> Result<bool, LookError> {
    let Some(dir) = root.folder(folder)? else { return Ok(false) };
    let listing = dir.list()?;
    let with_letter = listing.iter().find(|listed| listed.name.iter().any(u8::is_ascii_alphabetic));
    let Some(listed) = with_letter else { return Ok(false) };
    let flipped: Vec<u8> = listed.name.iter().map(|&byte| flip_case(byte)).collect();
    let is_own_name = listing.iter().any(|other| *other.name == *flipped);
    Ok(!is_own_name && dir.stat(&flipped)?.is_some_and(|stat| stat.kind != EntryKind::Absent))
}

fn flip_case(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }
}
