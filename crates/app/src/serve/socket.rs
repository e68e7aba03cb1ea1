//! Serving over a unix socket: one thread for each client, until the process is asked to end.

use std::io::BufReader;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use takeback::{PrivateSocket, Termination};

use super::client;
use super::outbox::Outbox;
use super::server::{Server, lock};
use crate::commands::Failure;
use crate::terminal::Terminal;

/// How many clients are served at the same time; more are turned away.
const CLIENTS_MAX: usize = 64;

/// How long clients may take to read their last answers once the server ends.
const FAREWELL: Duration = Duration::from_secs(10);

/// How often it is looked whether they have.
const POLL: Duration = Duration::from_millis(20);

/// How long to wait when no client can be taken, as when the process has too many files open.
const PAUSE: Duration = Duration::from_millis(200);

/// One client and the thread that serves it.
struct Guest {
    stream: UnixStream,
    thread: JoinHandle<()>,
}

/// All clients; none once the server ends.
type Guests = Mutex<Option<Vec<Guest>>>;

/// Serves at an absolute path until the process is asked to end. Then nobody new is let in, and what clients have begun
/// is finished.
pub(super) fn serve(server: &Arc<Server>, terminal: &Terminal, path: &Path) -> Result<(), Failure> {
    let termination = Termination::hold_back()?;
    let socket = Arc::new(PrivateSocket::bind(path)?);
    let guests: Arc<Guests> = Arc::new(Mutex::new(Some(Vec::new())));
    let doorman = (Arc::clone(server), Arc::clone(&socket), Arc::clone(&guests));
    thread::spawn(move || let_in(&doorman.0, &doorman.1, &doorman.2));
    terminal.say(&format!("Listening at `{}`", terminal.name(&path.to_string_lossy())));
    termination.wait();
    socket.withdraw();
    let last = lock(&guests).take();
    see_off(server, last.unwrap_or_default());
    Ok(())
}

/// Hears no more requests. What is being carried out is finished and answered, also to a client that is slow to read.
fn see_off(server: &Server, guests: Vec<Guest>) {
    guests.iter().for_each(|guest| _ = guest.stream.shutdown(Shutdown::Read));
    let began = Instant::now();
    while began.elapsed() < FAREWELL && guests.iter().any(|guest| !guest.thread.is_finished()) {
        server.pulse.wait(server.pulse.count(), POLL);
    }
    for guest in guests {
        _ = guest.stream.shutdown(Shutdown::Both);
        _ = guest.thread.join();
    }
}

/// Runs until the server ends.
fn let_in(server: &Arc<Server>, socket: &PrivateSocket, guests: &Guests) {
    loop {
        let Ok(stream) = socket.accept() else {
            server.pulse.wait(server.pulse.count(), PAUSE);
            continue;
        };
        let mut guests = lock(guests);
        let Some(guests) = guests.as_mut() else { return };
        guests.retain(|guest| !guest.thread.is_finished());
        if guests.len() < CLIENTS_MAX {
            guests.extend(welcome(server, stream));
        }
    }
}

/// None if the system has nothing left for another client, which then finds its connection closed.
fn welcome(server: &Arc<Server>, stream: UnixStream) -> Option<Guest> {
    let (reading, writing) = (stream.try_clone().ok()?, stream.try_clone().ok()?);
    let server = Arc::clone(server);
    let thread = thread::spawn(move || {
        let closing = reading.try_clone();
        let (outbox, written) = Outbox::start(writing);
        client::attend(&server, BufReader::new(reading), outbox);
        _ = written.join();
        _ = closing.map(|stream| stream.shutdown(Shutdown::Both));
    });
    Some(Guest { stream, thread })
}
