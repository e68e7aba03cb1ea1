//! Where a path leads when its links are followed: by reading each link, never by letting the operating system follow
//! it. Knows nothing of workspaces and opens nothing but folders.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use disk::{Dir, DiskError};
use model::EntryKind;

/// How many links are followed before the way is taken for a loop, as Linux does.
const LINKS_MAX: usize = 40;

/// Where a path leads.
pub(crate) struct Followed {
    /// The last thing on the way, whether or not anything is there; none if the way is a loop of links.
    pub(crate) end: Option<PathBuf>,
    /// Every link on the way, as an absolute path that is free of links but for the last name.
    pub(crate) links: Vec<PathBuf>,
}

/// Follows an absolute path to its end.
///
/// Components that do not exist, and what lies in folders that may not be opened, are taken as they are spelled.
/// Cost: two calls for each component.
pub(crate) fn follow(path: &Path) -> Result<Followed, DiskError> {
    let mut way = Way::start()?;
    let mut waiting: VecDeque<OsString> = steps(path);
    let mut links = Vec::new();
    while let Some(name) = waiting.pop_front() {
        let Some(target) = way.step(&name)? else { continue };
        links.push(way.place().join(&name));
        if links.len() > LINKS_MAX {
            return Ok(Followed { end: None, links });
        }
        if target.has_root() {
            way = Way::start()?;
        }
        let behind = std::mem::take(&mut waiting);
        waiting = steps(&target);
        waiting.extend(behind);
    }
    Ok(Followed { end: Some(way.place()), links })
}

/// The folders from the top of the file system down to where we stand.
struct Way {
    top: Dir,
    folders: Vec<(OsString, Option<Dir>)>,
}

impl Way {
    fn start() -> Result<Self, DiskError> {
        Ok(Self { top: Dir::open(Path::new("/"))?, folders: Vec::new() })
    }

    fn place(&self) -> PathBuf {
        let mut place = PathBuf::from("/");
        place.extend(self.folders.iter().map(|(name, _)| name));
        place
    }

    /// The folder where we stand; none if it does not exist, is none, or may not be opened.
    fn dir(&self) -> Option<&Dir> {
        self.folders.last().map_or(Some(&self.top), |(_, dir)| dir.as_ref())
    }

    /// Goes on by one name; if a link has that name, stays and gives its target.
    fn step(&mut self, name: &OsStr) -> Result<Option<PathBuf>, DiskError> {
        if name == ".." {
            self.folders.pop();
            return Ok(None);
        }
        let next = match self.dir() {
            None => Dir::open(&self.place().join(name)).ok(),
            Some(dir) => match dir.stat(name.as_bytes()) {
                Ok(Some(stat)) if stat.kind == EntryKind::Link => {
                    return Ok(Some(PathBuf::from(OsString::from_vec(dir.read_link(name.as_bytes())?))));
                }
                Ok(Some(stat)) if stat.kind == EntryKind::Dir => open_or_blind(dir, name)?,
                Ok(_) => None,
                Err(error) if error.is_permission() => None,
                Err(error) => return Err(error),
            },
        };
        self.folders.push((name.to_owned(), next));
        Ok(None)
    }
}

fn open_or_blind(dir: &Dir, name: &OsStr) -> Result<Option<Dir>, DiskError> {
    match dir.open_child(name.as_bytes()) {
        Ok(child) => Ok(Some(child)),
        Err(error) if error.is_permission() || error.is_not_found() || error.leads_astray() => Ok(None),
        Err(error) => Err(error),
    }
}

fn steps(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}
