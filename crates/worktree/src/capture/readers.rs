//! Reads all files that may have changed, with a second pair of eyes when there is much to read.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use disk::{Dir, DiskError, Intake, Stat};
use model::WorkspacePath;

use super::moves::{self, Moves};
use super::{Counts, Reading, read_file};
use crate::Root;
use crate::scan::{Now, Sighting};

/// More threads than this would fight for the disk and the store.
const READERS_MAX: usize = 4;

/// From so many files or bytes on reading is shared.
const FILES_TO_SHARE: usize = 48;
const BYTES_TO_SHARE: u64 = 4 * 1024 * 1024;

/// How many files a reader takes at a time; neighbours mostly lie in one folder.
const FILES_AT_A_TIME: usize = 16;

/// What was read, by the place of the sighting.
#[derive(Default)]
pub(super) struct Readings {
    pub(super) by_sighting: BTreeMap<usize, Reading>,
    pub(super) counts: Counts,
}

/// One file that has to be read.
struct Job<'s> {
    at: usize,
    path: &'s WorkspacePath,
    seen: &'s Stat,
}

/// Reads every unread file among the sightings, except those that were moved with their content.
pub(super) fn read_all(root: &Root, sightings: &[Sighting<'_>], moves: &Moves, intake: &dyn Intake) -> Readings {
    let jobs = jobs(sightings, moves);
    let next = AtomicUsize::new(0);
    let mut readings = Readings::default();
    thread::scope(|scope| {
        let work = || read_some(root, &jobs, &next, intake);
        let others: Vec<_> = (1..readers_for(&jobs)).map(|_| scope.spawn(work)).collect();
        readings.join(work());
        for other in others {
            match other.join() {
                Ok(part) => readings.join(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    readings
}

fn jobs<'s>(sightings: &'s [Sighting<'_>], moves: &Moves) -> Vec<Job<'s>> {
    let is_moved_along = |at: usize, to: &Sighting<'_>| {
        moves.partner(at).is_some_and(|from| moves::content_moved_along(&sightings[from], to).is_some())
    };
    let unread = |(at, sighting): (usize, &'s Sighting<'_>)| match &sighting.now {
        Now::Unread(seen) if !is_moved_along(at, sighting) => Some(Job { at, path: &sighting.path, seen }),
        _ => None,
    };
    sightings.iter().enumerate().filter_map(unread).collect()
}

fn readers_for(jobs: &[Job<'_>]) -> usize {
    let is_much = jobs.len() >= FILES_TO_SHARE
        || (jobs.len() > 1 && jobs.iter().map(|job| job.seen.stamp.size_bytes).sum::<u64>() >= BYTES_TO_SHARE);
    if is_much { thread::available_parallelism().map_or(1, |count| count.get().min(READERS_MAX)) } else { 1 }
}

fn read_some(root: &Root, jobs: &[Job<'_>], next: &AtomicUsize, intake: &dyn Intake) -> Readings {
    let mut readings = Readings::default();
    let mut buffer = Vec::new();
    let mut folder = OpenFolder { root, open: None };
    loop {
        let from = next.fetch_add(FILES_AT_A_TIME, Ordering::Relaxed);
        let Some(mine) = jobs.get(from..jobs.len().min(from + FILES_AT_A_TIME)) else { return readings };
        for job in mine {
            let reading = match (folder.of(job.path), job.path.name()) {
                (Ok(Some(dir)), Some(name)) => {
                    read_file(dir, name, job.seen, Some(intake), &mut buffer, &mut readings.counts)
                }
                (Err(_), _) => Reading::Unsettled,
                _ => Reading::Vanished,
            };
            readings.by_sighting.insert(job.at, reading);
        }
    }
}

/// The folder of the file that was read last, kept open for the next.
struct OpenFolder<'r> {
    root: &'r Root,
    open: Option<(WorkspacePath, Dir)>,
}

impl OpenFolder<'_> {
    /// The folder that holds `path`; none if it is no folder any more.
    fn of(&mut self, path: &WorkspacePath) -> Result<Option<&Dir>, DiskError> {
        let Some(folder) = path.parent() else { return Ok(None) };
        if self.open.as_ref().is_none_or(|(open, _)| *open != folder) {
            self.open = self.root.folder(&folder)?.map(|dir| (folder, dir));
        }
        Ok(self.open.as_ref().map(|(_, dir)| dir))
    }
}

impl Readings {
    fn join(&mut self, other: Readings) {
        self.by_sighting.extend(other.by_sighting);
        self.counts.add(&other.counts);
    }
}
