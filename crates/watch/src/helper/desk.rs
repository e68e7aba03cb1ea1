//! [`Desk`]: all workspaces of a helper, and the answers about them. Knows no socket.

use std::os::fd::{AsFd as _, BorrowedFd};

use model::limits;

use crate::message::{Answer, Blind, Doubt, Question, Standing};
use crate::watched::{Watched, path_of};

/// How long after a failed beginning it is tried again: at once makes no sense when the reason is likely to be there still.
const PAUSE_NS: u64 = 2_000_000_000;
const LONG_PAUSE_NS: u64 = 10 * 60 * 1_000_000_000;

/// The workspaces of one helper.
pub(super) struct Desk {
    files: Vec<File>,
    namespace: Option<Vec<u8>>,
}

/// What there is about one workspace.
struct File {
    root: Vec<u8>,
    state: State,
    asked_ns: u64,
    begun_ns: u64,
}

enum State {
    Watched(Box<Watched>),
    /// Nothing is watched.
    Doubted(Doubt),
}

impl Desk {
    pub(super) fn new() -> Self {
        Self { files: Vec::new(), namespace: disk::mount_namespace() }
    }

    /// What becomes readable when something happens in a workspace.
    pub(super) fn queues(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.iter().filter_map(|file| match &file.state {
            State::Watched(watched) => Some(watched.queue().as_fd()),
            State::Doubted(_) => None,
        })
    }

    /// Hears what has happened in all workspaces, so that no queue overflows.
    pub(super) fn hear(&mut self) {
        for file in &mut self.files {
            if let State::Watched(watched) = &mut file.state
                && let Err(doubt) = watched.hear()
            {
                file.state = State::Doubted(doubt);
            }
        }
    }

    /// Nothing is certain any more in any workspace.
    pub(super) fn forget_all(&mut self) {
        self.files.clear();
    }

    /// What may have changed in a workspace.
    pub(super) fn answer(&mut self, question: &Question) -> Answer {
        let unwatched = |doubt| Answer::Everything { mark: None, doubt };
        if self.namespace.as_ref() != Some(&question.namespace) {
            return unwatched(Doubt::Elsewhere);
        }
        let Some(file) = self.files.iter_mut().find(|file| file.root == question.root) else {
            return unwatched(Doubt::Begun);
        };
        file.asked_ns = disk::clock::monotonic_ns();
        let passed = match &mut file.state {
            State::Watched(watched) if watched.is(question.identity) => watched.pass(question.mark),
            State::Watched(_) => Err(Doubt::Elsewhere),
            State::Doubted(doubt) => Err(*doubt),
        };
        passed.unwrap_or_else(|doubt| {
            file.state = State::Doubted(doubt);
            unwatched(doubt)
        })
    }

    /// Begins to watch the workspace of a question if it is not watched; for one that could not be watched, not at once
    /// again.
    pub(super) fn take_on(&mut self, question: Question) {
        if self.namespace.as_ref() != Some(&question.namespace) || question.mark.is_some() {
            return;
        }
        let now_ns = disk::clock::monotonic_ns();
        match self.files.iter_mut().find(|file| file.root == question.root) {
            Some(file) => {
                let is_due = match file.state {
                    State::Watched(_) => false,
                    State::Doubted(doubt) => now_ns.saturating_sub(file.begun_ns) >= pause_ns(doubt),
                };
                if is_due {
                    file.state = begin(&question.root, question.blind);
                    file.begun_ns = now_ns;
                }
            }
            None => {
                self.make_room();
                let state = begin(&question.root, question.blind);
                self.files.push(File { root: question.root, state, asked_ns: now_ns, begun_ns: now_ns });
            }
        }
    }

    /// How the helper stands to a workspace.
    pub(super) fn standing(&self, root: &[u8]) -> Standing {
        let file = self.files.iter().find(|file| file.root == root);
        let ((folders, blind), doubt) = match file.map(|file| &file.state) {
            Some(State::Watched(watched)) => (watched.counts(), None),
            Some(State::Doubted(doubt)) => ((0, 0), Some(*doubt)),
            None => ((0, 0), Some(Doubt::Begun)),
        };
        Standing { pid: std::process::id(), folders: folders as u64, blind: blind as u64, doubt }
    }

    fn make_room(&mut self) {
        while self.files.len() >= limits::WATCHED_WORKSPACES_MAX {
            let oldest = self.files.iter().enumerate().min_by_key(|(_, file)| file.asked_ns).map(|(at, _)| at);
            let Some(oldest) = oldest else { return };
            self.files.swap_remove(oldest);
        }
    }
}

fn begin(root: &[u8], blind: Blind) -> State {
    match Watched::begin(path_of(root), blind) {
        Ok(watched) => State::Watched(Box::new(watched)),
        Err(doubt) => State::Doubted(doubt),
    }
}

/// A limit or a file system stays as it is; a storm or a moved root may be over soon.
fn pause_ns(doubt: Doubt) -> u64 {
    match doubt {
        Doubt::Limit | Doubt::FileSystem | Doubt::Refused => LONG_PAUSE_NS,
        Doubt::TooMuch => PAUSE_NS,
        Doubt::Begun | Doubt::NoMark | Doubt::Elsewhere => 0,
    }
}
