//! The walk itself: folders wait in one pile and workers take from its top, so that few folders are open at a time.

use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use model::WorkspacePath;

use super::enter::Unsearchable;
use super::found::Found;
use super::named::{self, Arrival};
use super::scanner::Scanner;
use super::{Folder, Ground, WalkError};

/// How many workers look at folders at the same time.
const WORKERS: usize = 2;

/// Below so many known entries a second worker is not worth its start.
const ENTRIES_FOR_TWO: usize = 1_500;

/// Walks everything below the root.
pub(super) fn from_root<'a>(ground: &Ground<'a>) -> Result<Found<'a>, WalkError> {
    let place = ground.root_place()?;
    let listing = place.dir.list()?;
    let mut scanner = Scanner::new(ground);
    scanner.found.counts.folders += 1;
    let known = scanner.known_in(&place);
    let folders = match scanner.look_through(&place, listing, known) {
        Ok(folders) => folders,
        Err(Unsearchable) => {
            scanner.found.trouble(WorkspacePath::root(), model::Reason::Unreadable);
            Vec::new()
        }
    };
    drop(place);
    ground.finish(walk(ground, folders, scanner.found))
}

/// Walks everything below `top`, and looks at the folders above it.
pub(super) fn from_folder<'a>(ground: &Ground<'a>, top: &WorkspacePath) -> Result<Found<'a>, WalkError> {
    let mut scanner = Scanner::new(ground);
    let start = ground.root_place()?;
    let folders = match named::approach(&mut scanner, start, top) {
        Arrival::AtFolder(folder) => vec![folder],
        Arrival::Done => Vec::new(),
    };
    ground.finish(walk(ground, folders, scanner.found))
}

/// Walks everything below these folders, besides what was found already.
pub(super) fn go_on<'a>(ground: &Ground<'a>, folders: Vec<Folder<'a>>, found: Found<'a>) -> Found<'a> {
    if folders.is_empty() { found } else { walk(ground, folders, found) }
}

fn walk<'a>(ground: &Ground<'a>, folders: Vec<Folder<'a>>, mut found: Found<'a>) -> Found<'a> {
    let known = ground.index.len();
    let workers = if known == 0 || known >= ENTRIES_FOR_TWO { WORKERS } else { 1 };
    let pile = Pile::new(folders);
    thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(|| work(ground, &pile))).collect();
        found.join(work(ground, &pile));
        for other in others {
            match other.join() {
                Ok(part) => found.join(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    found
}

fn work<'a>(ground: &Ground<'a>, pile: &Pile<'a>) -> Found<'a> {
    let mut scanner = Scanner::new(ground);
    while let Some((folder, mut errand)) = pile.take() {
        if !ground.has_too_many() {
            errand.brought = scanner.enter(&folder);
        }
    }
    scanner.found
}

/// The folders that wait to be entered, the next on top.
struct Pile<'a> {
    state: Mutex<PileState<'a>>,
    has_changed: Condvar,
}

struct PileState<'a> {
    waiting: Vec<Folder<'a>>,
    /// How many folders were taken and may still bring others.
    in_work: usize,
}

impl<'a> Pile<'a> {
    fn new(mut waiting: Vec<Folder<'a>>) -> Self {
        waiting.reverse();
        Self { state: Mutex::new(PileState { waiting, in_work: 0 }), has_changed: Condvar::new() }
    }

    /// Takes a folder; waits while others may still bring some; none when the walk is over.
    fn take(&self) -> Option<(Folder<'a>, Errand<'_, 'a>)> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(folder) = state.waiting.pop() {
                state.in_work += 1;
                return Some((folder, Errand { pile: self, brought: Vec::new() }));
            }
            if state.in_work == 0 {
                return None;
            }
            state = self.has_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// The work on one folder that was taken. When it ends, in whatever way, what it has brought comes onto the pile, so
/// that nobody waits for a worker that is no more.
struct Errand<'p, 'a> {
    pile: &'p Pile<'a>,
    brought: Vec<Folder<'a>>,
}

impl Drop for Errand<'_, '_> {
    fn drop(&mut self) {
        let mut state = self.pile.state.lock().unwrap_or_else(PoisonError::into_inner);
        let has_brought = !self.brought.is_empty();
        state.waiting.extend(self.brought.drain(..).rev());
        state.in_work -= 1;
        // Waking is a system call, and most folders hold no others: nobody is woken for nothing.
        if has_brought || state.in_work == 0 {
            self.pile.has_changed.notify_all();
        }
    }
}
