//! [`Outbox`]: the way to one client. A thread of its own writes, so that nobody waits for a client that does not read,
//! except for its own answers.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

/// How many messages wait for a client that does not read.
const MESSAGES_MAX: usize = 256;

/// How much waits for it; one message may be larger than that.
const SIZE_BYTES_MAX: usize = 16 << 20;

/// The way to one client. It is closed when its last copy is dropped, after everything was written.
#[derive(Debug, Clone)]
pub(super) struct Outbox {
    queue: SyncSender<String>,
    load: Arc<Load>,
}

/// How much waits to be written.
#[derive(Debug, Default)]
struct Load {
    size_bytes: Mutex<usize>,
    has_shrunk: Condvar,
}

impl Outbox {
    /// Starts the thread that writes.
    pub(super) fn start(writer: impl Write + Send + 'static) -> (Self, JoinHandle<()>) {
        let (queue, messages) = sync_channel(MESSAGES_MAX);
        let load = Arc::new(Load::default());
        let outbox = Self { queue, load: Arc::clone(&load) };
        (outbox, thread::spawn(move || write_all(writer, &messages, &load)))
    }

    /// Sends an answer, waiting for a client that is slow to read. One that has gone away is no error.
    pub(super) fn send(&self, message: String) {
        self.load.add_in_time(message.len());
        _ = self.queue.send(message);
    }

    /// Sends a notification, unless the client has stopped to read.
    pub(super) fn offer(&self, message: String) {
        let size_bytes = message.len();
        if self.load.try_add(size_bytes) && self.queue.try_send(message).is_err() {
            self.load.remove(size_bytes);
        }
    }
}

impl Load {
    /// Waits until so much more may wait.
    fn add_in_time(&self, size_bytes: usize) {
        let loaded = self.lock();
        let is_full = |loaded: &mut usize| !has_room(*loaded, size_bytes);
        let waited = self.has_shrunk.wait_while(loaded, is_full);
        *waited.unwrap_or_else(PoisonError::into_inner) += size_bytes;
    }

    fn try_add(&self, size_bytes: usize) -> bool {
        let mut loaded = self.lock();
        let has_room = has_room(*loaded, size_bytes);
        *loaded += if has_room { size_bytes } else { 0 };
        has_room
    }

    fn remove(&self, size_bytes: usize) {
        *self.lock() -= size_bytes;
        self.has_shrunk.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.size_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn has_room(loaded: usize, size_bytes: usize) -> bool {
    loaded == 0 || loaded.saturating_add(size_bytes) <= SIZE_BYTES_MAX
}

/// Writes until the outbox is closed. What a client that has gone away would have got is dropped.
fn write_all(mut writer: impl Write, messages: &Receiver<String>, load: &Load) {
    let mut has_gone = false;
    for message in messages {
        has_gone = has_gone || writer.write_all(message.as_bytes()).and_then(|()| writer.flush()).is_err();
        load.remove(message.len());
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::mpsc::channel;

    use super::*;

    /// A client that reads a message only when it is told to; dropped, it has gone away.
    struct Slow(Receiver<()>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_waits_for_a_slow_client_is_bounded_in_bytes() {
        let (read, reads) = channel();
        let (outbox, written) = Outbox::start(Slow(reads));
        let large = || " ".repeat(SIZE_BYTES_MAX / 2);
        outbox.send(large());
        outbox.send(large());
        outbox.offer("dropped".to_owned());
        assert_eq!(*outbox.load.lock(), SIZE_BYTES_MAX);
        let sender = thread::spawn({
            let outbox = outbox.clone();
            move || outbox.send(large())
        });
        read.send(()).unwrap();
        sender.join().unwrap();
        assert!(*outbox.load.lock() <= SIZE_BYTES_MAX);
        drop((read, outbox));
        written.join().unwrap();
    }

    #[test]
    fn nobody_waits_for_a_client_that_has_gone() {
        let (read, reads) = channel();
        let (outbox, written) = Outbox::start(Slow(reads));
        drop(read);
        (0..3 * MESSAGES_MAX).for_each(|_| outbox.send(" ".repeat(1 << 10)));
        drop(outbox);
        written.join().unwrap();
    }
}
