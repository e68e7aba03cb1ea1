//! [`PrivateSocket`]: a unix socket that only its owner can reach. Knows nothing of what is said over it.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use thiserror::Error;

use crate::{DiskError, state};

/// The bits that let others than the owner in.
const OTHERS: u32 = 0o077;

/// Only the owner may connect.
const PRIVATE_SOCKET: u32 = 0o600;

/// A socket that listens; its name goes away with it.
#[derive(Debug)]
pub struct PrivateSocket {
    listener: UnixListener,
    path: PathBuf,
    identity: (u64, u64),
}

/// A socket could not be made. What lay at its path is as it was.
#[derive(Debug, Error)]
pub enum SocketError {
    /// A living server listens there.
    #[error("A server is listening at `{}` already", .0.display())]
    InUse(PathBuf),
    /// Something else is there.
    #[error("`{}` is something else than a socket and was left alone; choose another path", .0.display())]
    NotASocket(PathBuf),
    /// The folder lets others in.
    #[error("Others than you can enter `{}`; a socket needs a folder of your own with mode 0700", .0.display())]
    NotPrivate(PathBuf),
    /// A call was refused.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl PrivateSocket {
    /// Listens at an absolute path.
    ///
    /// Its folder is made if it is missing, and must let nobody else in. A socket whose server is gone is replaced; a
    /// living server, or anything that is no socket, is an error and stays as it is. Of several processes that try at the
    /// same time one succeeds.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        let folder = path.parent().unwrap_or(Path::new("/"));
        let lock = enter_alone(folder)?;
        clear(path)?;
        let refused = |error: io::Error| DiskError::at("listen at", path, error);
        let listener = UnixListener::bind(path).map_err(refused)?;
        fs::set_permissions(path, Permissions::from_mode(PRIVATE_SOCKET)).map_err(refused)?;
        let identity = identity(path).map_err(refused)?;
        drop(lock);
        Ok(Self { listener, path: path.to_owned(), identity })
    }

    /// Waits for the next client.
    pub fn accept(&self) -> Result<UnixStream, DiskError> {
        let accepted = self.listener.accept().map_err(|error| DiskError::at("accept a client at", &self.path, error));
        accepted.map(|(stream, _)| stream)
    }

    /// The next client that waits, if it is a process of the same user; none if nobody waits or it is not. Never waits.
    pub fn accept_own(&self) -> Result<Option<UnixStream>, DiskError> {
        let refused = |error: io::Error| DiskError::at("accept a client at", &self.path, error);
        self.listener.set_nonblocking(true).map_err(refused)?;
        match self.listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).map_err(refused)?;
                Ok(Some(stream).filter(is_of_own_user))
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::ConnectionAborted) => {
                Ok(None)
            }
            Err(error) => Err(refused(error)),
        }
    }

    /// Whether the name still means this socket.
    pub fn is_in_place(&self) -> bool {
        identity(&self.path).is_ok_and(|found| found == self.identity)
    }

    /// Removes the name, so that nobody new can connect; a name that means another socket by now stays.
    pub fn withdraw(&self) {
        if self.is_in_place() {
            _ = fs::remove_file(&self.path);
        }
    }
}

impl AsFd for PrivateSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }
}

/// Connects to a server of the same user; reading and writing give up after `limit`. None if nobody listens there, or a
/// process of another user does.
pub fn connect_to_own(path: &Path, limit: Duration) -> Option<UnixStream> {
    let stream = UnixStream::connect(path).ok().filter(is_of_own_user)?;
    stream.set_read_timeout(Some(limit)).ok()?;
    stream.set_write_timeout(Some(limit)).ok()?;
    Some(stream)
}

/// Whether the process at the other end belongs to the user of this one. When in doubt, no.
fn is_of_own_user(stream: &UnixStream) -> bool {
    peer_user(stream) == Some(rustix::process::geteuid().as_raw())
}

#[cfg(target_os = "linux")]
fn peer_user(stream: &UnixStream) -> Option<u32> {
    let mut peer = libc::ucred { pid: 0, uid: libc::uid_t::MAX, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).ok()?;
    // SAFETY: the pointers describe one live, writable structure of the kind this option fills, and its length.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut peer).cast(),
            &raw mut length,
        )
    };
    (result == 0).then_some(peer.uid)
}

#[cfg(not(target_os = "linux"))]
fn peer_user(stream: &UnixStream) -> Option<u32> {
    let (mut user, mut group) = (libc::uid_t::MAX, libc::gid_t::MAX);
    // SAFETY: both pointers lead to live, writable integers.
    let result = unsafe { libc::getpeereid(stream.as_raw_fd(), &raw mut user, &raw mut group) };
    (result == 0).then_some(user)
}

impl Drop for PrivateSocket {
    fn drop(&mut self) {
        self.withdraw();
    }
}

/// Makes the folder if need be, checks that it is private, and keeps other servers out until the handle is dropped.
fn enter_alone(folder: &Path) -> Result<File, SocketError> {
    let refused = |error: io::Error| DiskError::at("enter", folder, error);
    if fs::symlink_metadata(folder).is_err() {
        state::create_dir(folder)?;
    }
    let handle = File::open(folder).map_err(refused)?;
    let found = handle.metadata().map_err(refused)?;
    if found.uid() != rustix::process::geteuid().as_raw() || found.mode() & OTHERS != 0 {
        return Err(SocketError::NotPrivate(folder.to_owned()));
    }
    flock(&handle, FlockOperation::LockExclusive).map_err(|errno| refused(errno.into()))?;
    Ok(handle)
}

/// Removes a socket that nobody listens to any more.
fn clear(path: &Path) -> Result<(), SocketError> {
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(DiskError::at("look at", path, error).into()),
    };
    if !found.file_type().is_socket() {
        return Err(SocketError::NotASocket(path.to_owned()));
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            fs::remove_file(path).map_err(|error| DiskError::at("remove", path, error).into())
        }
        _ => Err(SocketError::InUse(path.to_owned())),
    }
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    fs::symlink_metadata(path).map(|found| (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(mode: u32) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(mode)).unwrap();
        folder
    }

    #[test]
    fn a_socket_is_for_its_owner_alone_and_goes_away_with_its_server() {
        let folder = folder(0o700);
        let path = folder.path().join("below/socket");
        let socket = PrivateSocket::bind(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().mode() & 0o777, 0o700);
        drop(socket);
        assert!(fs::symlink_metadata(&path).is_err());
    }

    #[test]
    fn a_dead_socket_is_replaced_and_a_living_one_is_not() {
        let folder = folder(0o700);
        let path = folder.path().join("socket");
        drop(UnixListener::bind(&path).unwrap());
        let living = PrivateSocket::bind(&path).unwrap();
        assert!(matches!(PrivateSocket::bind(&path), Err(SocketError::InUse(_))));
        assert!(UnixStream::connect(&path).is_ok());
        drop(living);
    }

    #[test]
    fn a_file_or_an_open_folder_is_left_alone() {
        let private = folder(0o700);
        let path = private.path().join("notes");
        fs::write(&path, "mine").unwrap();
        assert!(matches!(PrivateSocket::bind(&path), Err(SocketError::NotASocket(_))));
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        let open = folder(0o755);
        assert!(matches!(PrivateSocket::bind(&open.path().join("socket")), Err(SocketError::NotPrivate(_))));
    }

    #[test]
    fn the_name_of_another_socket_is_not_removed() {
        let folder = folder(0o700);
        let path = folder.path().join("socket");
        let first = PrivateSocket::bind(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let second = PrivateSocket::bind(&path).unwrap();
        drop(first);
        assert!(UnixStream::connect(&path).is_ok());
        drop(second);
    }

    #[test]
    fn a_client_of_the_same_user_is_let_in_and_nobody_is_waited_for() {
        let folder = folder(0o700);
        let path = folder.path().join("socket");
        let socket = PrivateSocket::bind(&path).unwrap();
        assert!(socket.accept_own().unwrap().is_none());
        let client = connect_to_own(&path, Duration::from_millis(50)).unwrap();
        assert!(socket.accept_own().unwrap().is_some());
        drop(client);
        assert!(socket.is_in_place());
        fs::remove_file(&path).unwrap();
        assert!(!socket.is_in_place());
        assert!(connect_to_own(&path, Duration::from_millis(50)).is_none());
    }
}
