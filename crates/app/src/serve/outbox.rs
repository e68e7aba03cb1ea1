//! [`Outbox`]: the way to one client. A thread of its own writes, so that nobody waits for a client that does not read.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// How many messages wait for a client that does not read.
const MESSAGES_MAX: usize = 256;

/// The way to one client. It is closed when its last copy is dropped, after everything was written.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    queue: SyncSender<String>,
}

impl Outbox {
    /// Starts the thread that writes.
    pub(super) fn start(writer: impl Write + Send + 'static) -> (Self, JoinHandle<()>) {
        let (queue, messages) = sync_channel(MESSAGES_MAX);
        (Self { queue }, thread::spawn(move || write_all(writer, &messages)))
    }

    /// Sends an answer, waiting for a client that is slow to read. One that has gone away is no error.
    pub(super) fn send(&self, message: String) {
        _ = self.queue.send(message);
    }

    /// Sends a notification, unless the client has stopped to read.
    pub(super) fn offer(&self, message: String) {
        _ = self.queue.try_send(message);
    }
}

fn write_all(mut writer: impl Write, messages: &Receiver<String>) {
    for message in messages {
        if writer.write_all(message.as_bytes()).and_then(|()| writer.flush()).is_err() {
            return;
        }
    }
}
