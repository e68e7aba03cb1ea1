//! Which later changes need what is to be taken back: they changed the same lines, or the thing that it made. Only found
//! here; what is done about them is for whoever asked.

use model::{Contents, Entry, Seq, Tree, WorkspacePath};

use super::blend::{Overlap, Texts, Versions, blend};
use super::runs::collapse;
use super::thread::{Event, State, spin};
use super::verdict::split_at_coverage;
use super::{Reversal, coverage};

/// Later changes of one path that cannot stay as they are without what is to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependent {
    /// Where the thing is now.
    pub path: WorkspacePath,
    /// The kept transitions that need the chosen ones, sorted.
    pub seqs: Vec<Seq>,
}

/// Finds the kept changes that stand in the way of taking the chosen ones back, path by path.
///
/// Each thing's history is played again without the chosen changes. A kept change that can be made all the same, because
/// it changed other lines or puts something new in the place, needs nothing; one that cannot is a dependent, and is left
/// out as well from there on, so that what builds on it is found too. The same input gives the same answer. Cost: one merge
/// per kept change of a text that was chosen from.
pub fn dependents(request: &Reversal<'_>, tree: &dyn Tree, contents: &dyn Contents) -> Vec<Dependent> {
    let ledger = coverage::widen_uncovered_folders(request.ledger);
    let threads = spin(&ledger, request, tree);
    let mut texts = Texts::new(contents);
    let found = threads.iter().map(|thread| Dependent {
        path: thread.now.place.clone(),
        seqs: without_chosen(split_at_coverage(&thread.events).1, &mut texts),
    });
    let mut found: Vec<Dependent> = found.filter(|dependent| !dependent.seqs.is_empty()).collect();
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

/// Plays a history without its chosen changes; returns the kept ones that could not be played.
fn without_chosen(events: &[Event], texts: &mut Texts<'_>) -> Vec<Seq> {
    let mut needy = Vec::new();
    let mut state: Option<State> = None;
    for event in collapse(events, |event| event.is_chosen).into_iter().flat_map(|run| run.events) {
        match state.take() {
            None if event.is_chosen => state = Some(event.before.clone()),
            None => {}
            Some(there) if event.is_chosen => state = Some(there),
            Some(there) => match played(event, &there, texts) {
                Some(next) => state = Some(next).filter(|next| *next != event.after),
                None => {
                    needy.extend(event.seqs.iter().copied());
                    state = Some(there);
                }
            },
        }
    }
    needy.sort_unstable();
    needy
}

/// Where a kept change leads from another state than the one it was made in.
fn played(event: &Event, there: &State, texts: &mut Texts<'_>) -> Option<State> {
    let versions = Versions { base: &event.before.entry, mine: &event.after.entry, theirs: &there.entry };
    let entry = blend(versions, texts, Overlap::Refuse).ok()?;
    let places = Versions { base: &event.before.place, mine: &event.after.place, theirs: &there.place };
    let place = if is_gone(&entry) || is_gone(&there.entry) { &event.after.place } else { places.settle()? };
    Some(State { place: place.clone(), entry })
}

fn is_gone(entry: &Entry) -> bool {
    entry.is_absent()
}
