//! Reading one file: its bytes are hashed and taken in only if they stood still meanwhile.

use std::io::{self, Read};

use disk::{Dir, DiskError, Intake, IntakeError, ReadFile, Stat};
use model::{ContentHash, EntryKind};

use super::Counts;

/// Files up to this size are read in one go, greater ones as a stream.
const WHOLE_SIZE_BYTES_MAX: u64 = 1024 * 1024;

/// How much of a stream is in memory at a time.
const CHUNK_BYTES: usize = 256 * 1024;

/// What became of reading a file.
#[derive(Debug)]
pub(crate) enum Reading {
    /// These are its bytes, and they were taken in.
    Content(ContentHash, Stat),
    /// These are its bytes, but they could not be taken in.
    NotTaken(ContentHash, Stat),
    /// Nothing is there any more.
    Vanished,
    /// It changes while it is read.
    Unsettled,
    /// It may not be read, or cannot.
    Unreadable,
}

/// Reads the file `name`, which was just seen as `seen`, and puts its bytes into `intake`, if one is given and does not
/// hold them.
///
/// A file that changes meanwhile is looked at and read once more. `buffer` is only working space.
pub(crate) fn read_file(
    dir: &Dir,
    name: &[u8],
    seen: &Stat,
    intake: Option<&dyn Intake>,
    buffer: &mut Vec<u8>,
    counts: &mut Counts,
) -> Reading {
    counts.files_read += 1;
    let mut attempt = |seen: &Stat| Attempt { dir, name, seen: *seen, intake, buffer, counts }.read();
    match attempt(seen) {
        Err(Stop::Moving | Stop::Vanished) => {}
        other => return other.unwrap_or_else(Reading::from),
    }
    match dir.stat(name) {
        Ok(None) => Reading::Vanished,
        Ok(Some(again)) if again.kind == EntryKind::File => attempt(&again).unwrap_or_else(Reading::from),
        Ok(Some(_)) => Reading::Unsettled,
        Err(_) => Reading::Unreadable,
    }
}

/// One attempt to read a file that looks like `seen`.
struct Attempt<'a> {
    dir: &'a Dir,
    name: &'a [u8],
    seen: Stat,
    intake: Option<&'a dyn Intake>,
    buffer: &'a mut Vec<u8>,
    counts: &'a mut Counts,
}

/// Why an attempt has not come to an end.
enum Stop {
    Vanished,
    Moving,
    Unreadable,
}

impl From<Stop> for Reading {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Vanished => Reading::Vanished,
            Stop::Moving => Reading::Unsettled,
            Stop::Unreadable => Reading::Unreadable,
        }
    }
}

impl From<DiskError> for Stop {
    fn from(error: DiskError) -> Self {
        if error.is_not_found() {
            Stop::Vanished
        } else if error.leads_astray() {
            Stop::Moving
        } else {
            Stop::Unreadable
        }
    }
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Self {
        Stop::Unreadable
    }
}

impl Attempt<'_> {
    fn read(self) -> Result<Reading, Stop> {
        if self.seen.stamp.size_bytes <= WHOLE_SIZE_BYTES_MAX { self.read_whole() } else { self.read_stream() }
    }

    fn read_whole(self) -> Result<Reading, Stop> {
        let mut file = self.open()?;
        self.buffer.clear();
        (&mut file).take(self.seen.stamp.size_bytes + 1).read_to_end(self.buffer)?;
        self.counts.bytes_read += self.buffer.len() as u64;
        self.settled(&file, self.buffer.len() as u64)?;
        let hash = ContentHash(*blake3::hash(self.buffer).as_bytes());
        let taken = match self.intake {
            Some(intake) if !intake.holds(&hash) => intake.put_bytes(&hash, self.buffer),
            _ => Ok(()),
        };
        self.finish(hash, taken)
    }

    fn read_stream(self) -> Result<Reading, Stop> {
        let mut file = self.open()?;
        let (hash, size_bytes) = hash_stream(&mut file, self.buffer)?;
        self.counts.bytes_read += size_bytes;
        self.settled(&file, size_bytes)?;
        let taken = match self.intake {
            Some(intake) if !intake.holds(&hash) => {
                let mut file = self.open()?;
                self.counts.bytes_read += size_bytes;
                intake.put_stream(&hash, size_bytes, &mut file)
            }
            _ => Ok(()),
        };
        self.finish(hash, taken)
    }

    fn open(&self) -> Result<ReadFile, Stop> {
        let file = self.dir.open_file(self.name)?;
        if file.opened().is_unchanged(&self.seen) { Ok(file) } else { Err(Stop::Moving) }
    }

    /// Checks that what was read is what lay there the whole time.
    fn settled(&self, file: &ReadFile, size_bytes: u64) -> Result<(), Stop> {
        let is_still = file.stat()?.is_unchanged(&self.seen) && size_bytes == self.seen.stamp.size_bytes;
        if is_still { Ok(()) } else { Err(Stop::Moving) }
    }

    fn finish(&self, hash: ContentHash, taken: Result<(), IntakeError>) -> Result<Reading, Stop> {
        match taken {
            Ok(()) => Ok(Reading::Content(hash, self.seen)),
            Err(IntakeError::Changed) => Err(Stop::Moving),
            Err(IntakeError::NoSpace | IntakeError::Disk(_)) => Ok(Reading::NotTaken(hash, self.seen)),
        }
    }
}

fn hash_stream(file: &mut ReadFile, buffer: &mut Vec<u8>) -> io::Result<(ContentHash, u64)> {
    buffer.resize(CHUNK_BYTES, 0);
    let (mut hasher, mut size_bytes) = (blake3::Hasher::new(), 0);
    loop {
        match file.read(buffer)? {
            0 => return Ok((ContentHash(*hasher.finalize().as_bytes()), size_bytes)),
            count => {
                hasher.update(&buffer[..count]);
                size_bytes += count as u64;
            }
        }
    }
}
