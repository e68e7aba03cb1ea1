//! Where a workspace lies and whether its folder is a special one. Looks only; nothing is opened but folders.

use std::path::{Path, PathBuf};

use disk::Dir;

/// A folder that is no ordinary workspace: content nobody touched is never stored there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SpecialRoot {
    /// The user's home folder, or the folder that holds all home folders.
    Home,
    /// The top of the file system.
    FileSystemRoot,
    /// A folder for temporary files.
    TempRoot,
}

/// The nearest folder at or above `folder` that holds a `.git`, which is how git finds its top level.
///
/// Folders that cannot be opened are passed over. Never runs git. Cost: two calls for each folder above.
pub fn find_git_top_level(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|ancestor| holds_git(ancestor)).map(Path::to_owned)
}

/// Which special folder `path` is, if any. Compares spellings only: give absolute paths that are free of links.
pub fn is_special_root(path: &Path, home: &Path, temp: &Path) -> Option<SpecialRoot> {
    let is_near_the_top = path.components().count() <= 2;
    if path.parent().is_none() {
        Some(SpecialRoot::FileSystemRoot)
    } else if path == home || (is_near_the_top && home.starts_with(path)) {
        Some(SpecialRoot::Home)
    } else if path == temp || TEMP_ROOTS.iter().any(|root| path == Path::new(root)) {
        Some(SpecialRoot::TempRoot)
    } else {
        None
    }
}

/// Folders for temporary files, whatever the environment says.
const TEMP_ROOTS: [&str; 6] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/run"];

fn holds_git(folder: &Path) -> bool {
    Dir::open(folder).and_then(|dir| dir.stat(b".git")).is_ok_and(|stat| stat.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_git_top_level_is_the_nearest_folder_with_a_git_of_its_own() {
        let temp = tempfile::tempdir().unwrap();
        let outer = temp.path().join("outer");
        let inner = outer.join("inner");
        std::fs::create_dir_all(inner.join("deep")).unwrap();
        std::fs::create_dir(outer.join(".git")).unwrap();
        assert_eq!(find_git_top_level(&inner.join("deep")), Some(outer.clone()));
        std::fs::write(inner.join(".git"), "gitdir: elsewhere").unwrap();
        assert_eq!(find_git_top_level(&inner.join("deep")), Some(inner));
        assert_eq!(find_git_top_level(&outer), Some(outer));
    }

    #[test]
    fn home_the_top_and_temp_folders_themselves_are_special_and_what_lies_in_them_is_not() {
        let kind = |path: &str| is_special_root(Path::new(path), Path::new("/home/ann"), Path::new("/scratch/t"));
        assert_eq!(kind("/"), Some(SpecialRoot::FileSystemRoot));
        assert_eq!(kind("/home/ann"), Some(SpecialRoot::Home));
        assert_eq!(kind("/home"), Some(SpecialRoot::Home));
        assert_eq!(kind("/scratch/t"), Some(SpecialRoot::TempRoot));
        assert_eq!(kind("/tmp"), Some(SpecialRoot::TempRoot));
        assert_eq!(kind("/home/ann/project"), None);
        assert_eq!(kind("/tmp/project"), None);
    }
}
