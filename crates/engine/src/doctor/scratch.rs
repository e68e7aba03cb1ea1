//! A scratch folder beside the user's own: made on the same file system, so that what works there works here, and never
//! inside the workspace.

use std::path::{Path, PathBuf};

use disk::{Dir, DiskError, state};

use super::device_of;
use crate::Environment;

/// A folder of ours that goes when this is dropped.
#[derive(Debug)]
pub(super) struct Scratch {
    pub(super) folder: PathBuf,
    /// Whether it lies on the file system of the workspace.
    pub(super) shares_file_system: bool,
}

impl Scratch {
    /// Makes one for the workspace at `root`: in the state folder, beside the workspace, or in the folder for temporary
    /// files, the first that lies outside of the workspace and, if there is one, on its file system.
    pub(super) fn make(environment: &Environment, root: &Path) -> Result<Option<Scratch>, DiskError> {
        state::create_dir(&environment.state_folder)?;
        let device = device_of(root)?;
        let places = [Some(environment.state_folder.as_path()), root.parent(), Some(environment.temp_folder.as_path())];
        let outside: Vec<&Path> = places.into_iter().flatten().filter(|place| !lies_inside(place, root)).collect();
        let is_near = |place: &&&Path| device_of(place).is_ok_and(|own| own == device);
        let (near, far): (Vec<&Path>, Vec<&Path>) = outside.iter().partition(|place| is_near(place));
        let made = |place: &Path| make_in(place).map(|folder| (folder, near.contains(&place)));
        let first = near.iter().chain(&far).find_map(|place| made(place).ok());
        Ok(first.map(|(folder, shares_file_system)| Scratch { folder, shares_file_system }))
    }
}

impl Drop for Scratch {
    /// What cannot be removed stays; it holds nothing of anybody's.
    fn drop(&mut self) {
        _ = state::remove_dir_all(&self.folder);
    }
}

fn lies_inside(place: &Path, root: &Path) -> bool {
    state::canonical(place).is_ok_and(|place| place.starts_with(root))
}

fn make_in(place: &Path) -> Result<PathBuf, DiskError> {
    let name = format!(".takeback-doctor-{:016x}", disk::random_u64());
    Dir::open(&state::canonical(place)?)?.make_dir(name.as_bytes(), model::Mode::new(0o700))?;
    Ok(state::canonical(place)?.join(name))
}
