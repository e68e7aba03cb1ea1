//! [`Watched`]: one workspace that is watched. Brings together what is heard, the folders, and the account.
//!
//! Between two calls no folder of the workspace is held open. What goes wrong ends the watching of this workspace with a
//! [`Doubt`]; it is never passed over.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use disk::{Dir, DiskError, Drained, FolderWatch, Noticed, Stat};
use model::{EntryKind, WorkspacePath, limits};

use crate::account::{Account, Since};
use crate::folders::Folders;
use crate::message::{Answer, Blind, Doubt, Mark};

/// How much is heard in one go, and how often, before it is given up: whoever writes faster than we hear is not followed.
const PIECES_MAX: usize = 65_536;
const ROUNDS_MAX: usize = 8;

/// One workspace that is watched.
#[derive(Debug)]
pub(crate) struct Watched {
    root: PathBuf,
    identity: Identity,
    /// The number of this set of watches, unlike that of any other.
    number: u64,
    queue: FolderWatch,
    folders: Folders,
    account: Account,
    blind: Blind,
}

/// Which folder the root is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    born_ns: i64,
    mount: u64,
}

impl Watched {
    /// Begins to watch every folder of a workspace but the blind ones. What happened before is not known.
    ///
    /// Cost: five calls for each folder.
    pub(crate) fn begin(root: &Path, blind: Blind) -> Result<Self, Doubt> {
        let dir = Dir::open(root).map_err(|error| of_root(&error))?;
        if !dir.tells_changes() {
            return Err(Doubt::FileSystem);
        }
        let identity = Identity::of(&dir)?;
        let queue = FolderWatch::begin().map_err(|_| Doubt::Refused)?;
        let mut watched = Self {
            root: root.to_owned(),
            identity,
            number: disk::random_u64(),
            queue,
            folders: Folders::default(),
            account: Account::new(),
            blind,
        };
        watched.establish(&dir, WorkspacePath::root())?;
        if !watched.folders.is_watched(&WorkspacePath::root()) {
            return Err(Doubt::Refused);
        }
        Ok(watched)
    }

    /// Hears everything that has happened until now, and lets the watches follow it.
    pub(crate) fn hear(&mut self) -> Result<(), Doubt> {
        for _ in 0..ROUNDS_MAX {
            let mut heard = Vec::new();
            let drained =
                self.queue.drain(PIECES_MAX, &mut |noticed| heard.push(noticed)).map_err(|_| Doubt::Refused)?;
            if heard.is_empty() && drained == Drained::Empty {
                return Ok(());
            }
            let mut changed = BTreeSet::new();
            for noticed in heard {
                self.note(noticed, &mut changed)?;
            }
            self.follow(changed)?;
            if drained == Drained::Empty {
                // Whatever came in meanwhile came after the question; the next one will hear of it.
                return Ok(());
            }
        }
        Err(Doubt::TooMuch)
    }

    /// Passes a barrier: hears everything, and says what may have changed since the mark.
    pub(crate) fn pass(&mut self, mark: Option<Mark>) -> Result<Answer, Doubt> {
        self.is_in_place()?;
        self.hear()?;
        let since = mark.filter(|mark| mark.watches == self.number).map(|mark| mark.number);
        let (number, told) = self.account.pass(since);
        let mark = Mark { watches: self.number, number };
        Ok(match told {
            Since::Everything => Answer::Everything { mark: Some(mark), doubt: Doubt::NoMark },
            Since::Only(mut dirty) => {
                dirty.below.extend(self.folders.blind().cloned());
                Answer::Only { mark, dirty }
            }
        })
    }

    /// How many folders are watched, and how many are blind.
    pub(crate) fn counts(&self) -> (usize, usize) {
        (self.folders.watched(), self.folders.blind().count())
    }

    /// What becomes readable when something has happened.
    pub(crate) fn queue(&self) -> &FolderWatch {
        &self.queue
    }

    /// Whether these are the device and the inode of the root.
    pub(crate) fn is(&self, identity: (u64, u64)) -> bool {
        (self.identity.device, self.identity.inode) == identity
    }

    /// Whether the path of the root still leads to the folder that is watched.
    fn is_in_place(&self) -> Result<(), Doubt> {
        let dir = Dir::open(&self.root).map_err(|error| of_root(&error))?;
        if Identity::of(&dir)? == self.identity { Ok(()) } else { Err(Doubt::Elsewhere) }
    }

    /// Notes one thing that was heard. What lies at the paths that are put into `changed` has to be looked at.
    fn note(&mut self, noticed: Noticed, changed: &mut BTreeSet<WorkspacePath>) -> Result<(), Doubt> {
        match noticed {
            Noticed::Overflow => return Err(Doubt::TooMuch),
            Noticed::Content { watch } => {
                if let Some(folder) = self.folders.of(watch) {
                    self.account.note_folder(folder.clone());
                }
            }
            Noticed::Name { watch, name, is_folder } => {
                let Some(folder) = self.folders.of(watch).cloned() else { return Ok(()) };
                let path = folder.child(&name).map_err(|_| Doubt::Refused)?;
                self.account.note_folder(folder);
                if is_folder || self.folders.holds(&path) {
                    self.drop_below(&path);
                    changed.insert(path);
                }
            }
            Noticed::Itself { watch } => {
                let Some(folder) = self.folders.of(watch).cloned() else { return Ok(()) };
                let above = folder.parent().ok_or(Doubt::Elsewhere)?;
                self.account.note_folder(above);
                self.drop_below(&folder);
                changed.insert(folder);
            }
        }
        Ok(())
    }

    /// Nothing is known any more of this path and what is below it, and nothing there is watched.
    fn drop_below(&mut self, top: &WorkspacePath) {
        self.folders.remove_below(top).into_iter().for_each(|watch| self.queue.forget(watch));
        self.account.note_below(top.clone());
    }

    /// Watches what lies at these paths now. Whatever was heard of them, only what is there counts.
    fn follow(&mut self, changed: BTreeSet<WorkspacePath>) -> Result<(), Doubt> {
        if changed.is_empty() {
            return Ok(());
        }
        let root = Dir::open(&self.root).map_err(|error| of_root(&error))?;
        if Identity::of(&root)? != self.identity {
            return Err(Doubt::Elsewhere);
        }
        for path in changed {
            // Below a folder that was watched in this round already, or is blind, there is nothing to do.
            let is_seen_to =
                self.folders.holds(&path) || path.ancestors().any(|above| !self.folders.is_watched(&above));
            if !is_seen_to {
                self.establish(&root, path)?;
            }
        }
        Ok(())
    }

    /// Watches the folder at `top` and all below it. Each is listed after it is watched, so that what is made in it
    /// meanwhile is either listed or heard of. Where nothing is, nothing is done: its folder is in doubt already.
    fn establish(&mut self, root: &Dir, top: WorkspacePath) -> Result<(), Doubt> {
        let mut waiting = vec![top];
        while let Some(path) = waiting.pop() {
            if self.must_be_blind(&path) {
                self.folders.add_blind(path);
                continue;
            }
            let dir = match root.open_beneath(&path) {
                Ok(dir) => dir,
                Err(error) if error.is_not_found() || error.leads_astray() => continue,
                Err(error) if error.is_permission() => {
                    self.folders.add_blind(path);
                    continue;
                }
                Err(_) => return Err(Doubt::Refused),
            };
            if stat_of(&dir)?.mount != self.identity.mount {
                self.folders.add_blind(path);
                continue;
            }
            if self.folders.watched() >= limits::WATCHED_FOLDERS_MAX {
                return Err(Doubt::Limit);
            }
            match self.queue.watch(&dir) {
                Ok(watch) => self.folders.add_watched(path.clone(), watch).map_err(|_| Doubt::Elsewhere)?,
                Err(error) if error.is_no_space() => return Err(Doubt::Limit),
                Err(error) if error.is_permission() => {
                    self.folders.add_blind(path);
                    continue;
                }
                Err(_) => return Err(Doubt::Refused),
            }
            waiting.extend(folders_in(&dir, &path)?);
        }
        Ok(())
    }

    fn must_be_blind(&self, path: &WorkspacePath) -> bool {
        path.name().is_some_and(|name| self.blind.names.contains(name)) || self.blind.paths.contains(path)
    }
}

impl Identity {
    fn of(dir: &Dir) -> Result<Self, Doubt> {
        let Stat { mount, stamp, .. } = stat_of(dir)?;
        Ok(Self { device: stamp.device, inode: stamp.inode, born_ns: stamp.born_ns, mount })
    }
}

/// The root of a question as a path.
pub(crate) fn path_of(root: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(root))
}

fn stat_of(dir: &Dir) -> Result<Stat, Doubt> {
    dir.stat_self().map_err(|_| Doubt::Refused)
}

fn of_root(error: &DiskError) -> Doubt {
    if error.is_not_found() || error.leads_astray() { Doubt::Elsewhere } else { Doubt::Refused }
}

/// The folders directly in a folder.
fn folders_in(dir: &Dir, path: &WorkspacePath) -> Result<Vec<WorkspacePath>, Doubt> {
    let mut folders = Vec::new();
    for listed in dir.list().map_err(|_| Doubt::Refused)? {
        let kind = match listed.kind {
            Some(kind) => Some(kind),
            None => dir.stat(&listed.name).map_err(|_| Doubt::Refused)?.map(|stat| stat.kind),
        };
        if kind == Some(EntryKind::Dir) {
            folders.push(path.child(&listed.name).map_err(|_| Doubt::Refused)?);
        }
    }
    Ok(folders)
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
