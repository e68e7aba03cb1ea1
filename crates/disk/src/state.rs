//! Our own files, in the state folder or wherever an agent keeps its own: plain absolute paths, links followed.
//! Never used on the workspace.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::{DiskError, durable, random_u64};

/// The mode of our folders: nobody but their owner enters.
const PRIVATE_DIR: u32 = 0o700;
/// The mode of our files: nobody but their owner reads.
const PRIVATE_FILE: u32 = 0o600;

/// How much of the disk a file takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSize {
    /// Its length.
    pub length_bytes: u64,
    /// What is allocated for it.
    pub allocated_bytes: u64,
}

/// One of our files, open for reading anywhere and for appending.
#[derive(Debug)]
pub struct StateFile {
    file: File,
    path: PathBuf,
}

impl StateFile {
    /// Opens a file for reading and appending, and makes it, private, if it is not there.
    pub fn open_or_create(path: &Path) -> Result<Self, DiskError> {
        let open = || OpenOptions::new().read(true).append(true).create(true).mode(PRIVATE_FILE).open(path);
        let file = durable::step(open).map_err(|error| DiskError::at("open", path, error))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Opens a file for reading only.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        let file = File::open(path).map_err(|error| DiskError::at("open", path, error))?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Its length.
    pub fn length_bytes(&self) -> Result<u64, DiskError> {
        self.file.metadata().map(|told| told.len()).map_err(|error| self.error("look at", error))
    }

    /// Fills `buffer` with the bytes at `offset`. Fails if the file ends before.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), DiskError> {
        self.file.read_exact_at(buffer, offset).map_err(|error| self.error("read", error))
    }

    /// Reads up to as many bytes as `buffer` holds at `offset`; says how many.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize, DiskError> {
        loop {
            match self.file.read_at(buffer, offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read.map_err(|error| self.error("read", error)),
            }
        }
    }

    /// Writes all of `bytes` at the end. On an error part of them may be there, as a torn tail.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        durable::step(|| self.file.write_all(bytes)).map_err(|error| self.error("append to", error))
    }

    /// Cuts the file off at `length_bytes`.
    pub fn truncate(&mut self, length_bytes: u64) -> Result<(), DiskError> {
        durable::step(|| self.file.set_len(length_bytes)).map_err(|error| self.error("truncate", error))
    }

    /// Waits until its bytes are on the disk.
    pub fn sync(&self) -> Result<(), DiskError> {
        durable::step(|| self.file.sync_data()).map_err(|error| self.error("sync", error))
    }

    fn error(&self, verb: &'static str, source: io::Error) -> DiskError {
        DiskError::at(verb, &self.path, source)
    }
}

/// Makes a folder and what is missing above it, private. A folder that is there keeps its mode.
pub fn create_dir(path: &Path) -> Result<(), DiskError> {
    let make = || DirBuilder::new().recursive(true).mode(PRIVATE_DIR).create(path);
    durable::step(make).map_err(|error| DiskError::at("make folder", path, error))
}

/// Makes an empty private file; one that is there is made private and keeps its bytes.
pub fn create_file(path: &Path) -> Result<(), DiskError> {
    let make = || {
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(PRIVATE_FILE).open(path)?;
        file.set_permissions(fs::Permissions::from_mode(PRIVATE_FILE))
    };
    durable::step(make).map_err(|error| DiskError::at("create", path, error))
}

/// All bytes of a file; none if it is not there.
pub fn read(path: &Path) -> Result<Option<Vec<u8>>, DiskError> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::at("read", path, error)),
    }
}

/// The bytes of a file from `offset` to its end, at most `bytes_max` of them; none if it is not there.
pub fn read_from(path: &Path, offset: u64, bytes_max: u64) -> Result<Option<Vec<u8>>, DiskError> {
    use std::io::{Seek as _, SeekFrom};
    let read = || {
        let mut file = File::open(path)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if io::Error::kind(&error) == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::at("read", path, error)),
    }
}

/// Puts `bytes` in the place of whatever a file held, at once: whoever reads it sees the old or the new bytes, also after
/// a crash. On an error the file is as it was.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let staged = staged_beside(path);
    let result = write_synced(&staged, bytes).and_then(|()| durable::step(|| fs::rename(&staged, path)));
    if let Err(error) = result {
        _ = fs::remove_file(&staged);
        return Err(DiskError::at("write", path, error));
    }
    sync_dir(parent(path))
}

/// Puts `bytes` in the place of what a file of somebody else's settings holds, at once, and makes the file and its folders
/// if they are missing. A link stays a link: the file it leads to is the one that changes. Mode and owner of a file that
/// is there stay; a new one is private.
pub fn write_over(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    create_dir(parent(&real))?;
    let staged = staged_beside(&real);
    let keep_attributes = |staged: &Path| match fs::metadata(&real) {
        Ok(told) => {
            let owner = std::os::unix::fs::chown(staged, Some(told.uid()), Some(told.gid()));
            // Somebody else's file in a folder of ours: then it becomes ours, as with every editor.
            owner.or_else(|error| if is_refused(&error) { Ok(()) } else { Err(error) })?;
            fs::set_permissions(staged, told.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    let result = write_synced(&staged, bytes)
        .and_then(|()| keep_attributes(&staged))
        .and_then(|()| durable::step(|| fs::rename(&staged, &real)));
    if let Err(error) = result {
        _ = fs::remove_file(&staged);
        return Err(DiskError::at("write", path, error));
    }
    sync_dir(parent(&real))
}

fn is_refused(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Makes a new private file with these bytes; fails with [`DiskError::is_exists`] if one is there.
pub fn write_new(path: &Path, bytes: &[u8]) -> Result<(), DiskError> {
    write_synced(path, bytes).map_err(|error| DiskError::at("create", path, error))?;
    sync_dir(parent(path))
}

/// Renames a file or folder of ours, over what is there.
pub fn rename(from: &Path, to: &Path) -> Result<(), DiskError> {
    durable::step(|| fs::rename(from, to)).map_err(|error| DiskError::at("rename", from, error))
}

/// Removes a file of ours; says whether it was there.
pub fn remove(path: &Path) -> Result<bool, DiskError> {
    was_there(durable::step(|| fs::remove_file(path)), path)
}

/// Removes a folder of ours with everything in it; says whether it was there.
pub fn remove_dir_all(path: &Path) -> Result<bool, DiskError> {
    was_there(durable::step(|| fs::remove_dir_all(path)), path)
}

/// The paths directly in a folder, sorted; none if the folder is not there.
pub fn list(path: &Path) -> Result<Vec<PathBuf>, DiskError> {
    let entries = match fs::read_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(|error| DiskError::at("list", path, error))?,
    };
    let paths: Result<Vec<_>, _> = entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut paths = paths.map_err(|error| DiskError::at("list", path, error))?;
    paths.sort();
    Ok(paths)
}

/// How much of the disk a file or folder takes, without what is in it; none if it is not there.
pub fn size(path: &Path) -> Result<Option<FileSize>, DiskError> {
    /// What the unix interface counts in, whatever the file system does.
    const BLOCK_BYTES: u64 = 512;
    match fs::symlink_metadata(path) {
        Ok(told) => {
            Ok(Some(FileSize { length_bytes: told.len(), allocated_bytes: told.blocks().saturating_mul(BLOCK_BYTES) }))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::at("look at", path, error)),
    }
}

/// When a file was last changed, in nanoseconds since the Unix epoch; none if it is not there.
pub fn modified_ns(path: &Path) -> Result<Option<i64>, DiskError> {
    match fs::metadata(path) {
        Ok(told) => Ok(Some(crate::clock::nanoseconds(told.mtime(), told.mtime_nsec()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::at("look at", path, error)),
    }
}

/// How many bytes this process may still write on the file system of `path`.
pub fn free_space_bytes(path: &Path) -> Result<u64, DiskError> {
    let told = rustix::io::retry_on_intr(|| rustix::fs::statvfs(path))
        .map_err(|errno| DiskError::at("look for free space at", path, errno))?;
    Ok(told.f_bavail.saturating_mul(told.f_frsize))
}

/// Waits until the names in a folder are on the disk.
pub fn sync_dir(path: &Path) -> Result<(), DiskError> {
    durable::step(|| File::open(path)?.sync_all()).map_err(|error| DiskError::at("sync", path, error))
}

/// The path with every link on the way resolved. Fails if nothing is there.
pub fn canonical(path: &Path) -> Result<PathBuf, DiskError> {
    fs::canonicalize(path).map_err(|error| DiskError::at("resolve", path, error))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = durable::step(|| OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(path))?;
    file.write_all(bytes)?;
    durable::step(|| file.sync_all())
}

fn was_there(result: io::Result<()>, path: &Path) -> Result<bool, DiskError> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(DiskError::at("remove", path, error)),
    }
}

fn staged_beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{:016x}.new", random_u64()));
    PathBuf::from(name)
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
