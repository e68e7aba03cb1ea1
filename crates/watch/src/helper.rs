//! The helper process: waits for changes and for questions, answers them one after the other, and ends when nobody asks,
//! when its socket is gone, or when its program was replaced.

mod desk;

use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use disk::{
    Awaited, DiskError, FairLock, FolderWatch, LockGuard, MountWatch, Noticed, PrivateSocket, SocketError, Stat,
};
use thiserror::Error;

use crate::message::{Reply, Request};
use crate::wire;
use desk::Desk;

/// How long a client may take to send its question or to read the answer before the next one has its turn.
const CLIENT_PATIENCE: Duration = Duration::from_millis(50);

/// How long changes are left in the queue when they follow each other closely: one wake-up hears many.
const GATHERING: Duration = Duration::from_millis(20);

/// How much is heard of the helper's own folder at once.
const PIECES_MAX: usize = 1_024;

/// Where a helper lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    folder: PathBuf,
}

impl Place {
    /// The helper of a state folder.
    pub fn in_state(state_folder: &Path) -> Self {
        Self { folder: state_folder.join("watcher") }
    }

    /// The socket at which it answers.
    pub fn socket(&self) -> PathBuf {
        self.folder.join("socket")
    }

    /// The lock that only one helper holds.
    fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }
}

/// Why a helper has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Another one was there already.
    NotNeeded,
    /// Nobody has asked for long.
    Idle,
    /// It was told to.
    Asked,
    /// Its program was replaced, or it was asked in words of another version.
    Replaced,
    /// Its socket is not there any more.
    Cut,
}

/// A helper could not begin. Nothing is watched; everybody scans.
#[derive(Debug, Error)]
pub enum HelperError {
    /// Its folder, lock or socket could not be made.
    #[error(transparent)]
    Disk(#[from] DiskError),
    /// Its socket could not be made.
    #[error(transparent)]
    Socket(#[from] SocketError),
}

/// Runs a helper until it is not needed any more. Only one runs at a place; a second ends at once.
///
/// `program` is the file it was started from. Single-threaded; uses no processor while nothing happens. Holds no handle on
/// a workspace between two calls, and writes nothing but its socket and its lock.
pub fn run(place: &Place, program: Option<&Path>, idle: Duration) -> Result<Ended, HelperError> {
    disk::state::create_dir(&place.folder)?;
    let Some(lock) = FairLock::try_acquire(&place.lock())? else { return Ok(Ended::NotNeeded) };
    let own = FolderWatch::begin()?;
    own.watch(&disk::Dir::open(&place.folder)?)?;
    let helper = Helper {
        socket: PrivateSocket::bind(&place.socket())?,
        own,
        mounts: MountWatch::begin()?,
        desk: Desk::new(),
        program: program.map(|path| (path.to_owned(), look_at(path))),
        _lock: lock,
    };
    Ok(helper.work(idle))
}

struct Helper {
    socket: PrivateSocket,
    /// Hears when the socket is taken away, so that nobody has to look for it.
    own: FolderWatch,
    mounts: MountWatch,
    desk: Desk,
    program: Option<(PathBuf, Option<Stat>)>,
    _lock: LockGuard,
}

/// What woke the helper.
struct Woken {
    by_socket: bool,
    by_mounts: bool,
    by_own: bool,
    by_changes: bool,
}

impl Helper {
    fn work(mut self, idle: Duration) -> Ended {
        let mut asked_ns = disk::clock::monotonic_ns();
        let mut is_gathering = false;
        loop {
            let quiet = Duration::from_nanos(disk::clock::monotonic_ns().saturating_sub(asked_ns));
            let Some(rest) = idle.checked_sub(quiet) else { return Ended::Idle };
            let woken = if is_gathering { self.wait_for_clients(GATHERING) } else { self.wait(rest) };
            is_gathering = woken.by_changes;
            if !self.socket.is_in_place() || (woken.by_own && !self.hears_of_itself()) {
                return Ended::Cut;
            }
            if woken.by_mounts {
                self.notice_mounts();
            }
            if woken.by_changes {
                self.desk.hear();
            }
            if woken.by_socket {
                match self.serve_all() {
                    Served::All => asked_ns = disk::clock::monotonic_ns(),
                    Served::Last(ended) => return ended,
                }
            }
        }
    }

    fn wait(&self, limit: Duration) -> Woken {
        let mut awaited = self.awaited().to_vec();
        awaited.extend(self.desk.queues().map(Awaited::Readable));
        woken(&awaited, limit)
    }

    fn wait_for_clients(&self, limit: Duration) -> Woken {
        woken(&self.awaited(), limit)
    }

    fn awaited(&self) -> [Awaited<'_>; 3] {
        let (socket, mounts, own) = (self.socket.as_fd(), self.mounts.as_fd(), self.own.as_fd());
        [Awaited::Readable(socket), Awaited::Urgent(mounts), Awaited::Readable(own)]
    }

    /// Empties the queue about the helper's own folder; false if nothing can be heard of it any more.
    fn hears_of_itself(&self) -> bool {
        let mut is_watched = true;
        let drained = self.own.drain(PIECES_MAX, &mut |noticed| {
            is_watched &= !matches!(noticed, Noticed::Itself { .. } | Noticed::Overflow);
        });
        drained.is_ok() && is_watched
    }

    /// Where something was mounted, folders lie that nobody watches.
    fn notice_mounts(&mut self) {
        if self.mounts.has_changed() {
            self.desk.forget_all();
        }
    }

    fn serve_all(&mut self) -> Served {
        while let Ok(Some(client)) = self.socket.accept_own() {
            if let Some(ended) = self.serve(client) {
                return Served::Last(ended);
            }
        }
        Served::All
    }

    /// Answers one client. Whatever is wrong with it, it gets nothing, and scans.
    fn serve(&mut self, mut client: UnixStream) -> Option<Ended> {
        client.set_read_timeout(Some(CLIENT_PATIENCE)).ok()?;
        client.set_write_timeout(Some(CLIENT_PATIENCE)).ok()?;
        let message = wire::receive(&mut client).ok()?;
        if self.is_replaced() || message.first() != Some(&crate::message::VERSION) {
            return Some(Ended::Replaced);
        }
        let request = Request::decode(&message).ok()?;
        self.notice_mounts();
        match request {
            Request::Ask(question) => {
                let answer = self.desk.answer(&question);
                send(&mut client, &Reply::Answer(answer));
                drop(client);
                // Setting watches takes long, and nobody waits for it.
                self.desk.take_on(question);
            }
            Request::Tell { root } => send(&mut client, &Reply::Standing(self.desk.standing(&root))),
            Request::End => {
                self.socket.withdraw();
                send(&mut client, &Reply::Ending);
                return Some(Ended::Asked);
            }
        }
        None
    }

    fn is_replaced(&self) -> bool {
        self.program.as_ref().is_some_and(|(path, at_start)| {
            let now = look_at(path);
            !matches!((at_start, now), (Some(then), Some(now)) if then.is_unchanged(&now))
        })
    }
}

/// Whether the helper goes on.
enum Served {
    All,
    Last(Ended),
}

fn woken(awaited: &[Awaited<'_>], limit: Duration) -> Woken {
    let ready = disk::wait_for_any(awaited, limit);
    Woken {
        by_socket: ready.first().copied().unwrap_or(false),
        by_mounts: ready.get(1).copied().unwrap_or(false),
        by_own: ready.get(2).copied().unwrap_or(false),
        by_changes: ready.iter().skip(3).any(|is_ready| *is_ready),
    }
}

fn send(client: &mut UnixStream, reply: &Reply) {
    use std::io::Write as _;
    // Whoever does not take the answer has stopped waiting for it.
    _ = client.write_all(&reply.encode());
}

/// The file of a program as it is now; none if it is not there.
fn look_at(program: &Path) -> Option<Stat> {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = disk::Dir::open(program.parent()?).ok()?;
    folder.stat(program.file_name()?.as_bytes()).ok()?
}
