//! What a list of transitions did to each path, cut where others came in between, so that nobody's work is shown as
//! somebody else's. Values only.

use std::collections::BTreeMap;

use model::{Action, Entry, Evidence, Move, Seq, Transition, WorkspacePath};

/// What was done to one path without a break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Where.
    pub path: WorkspacePath,
    /// Where the thing came from, if it was moved here.
    pub moved_from: Option<WorkspacePath>,
    /// What was there before, or at the place it came from.
    pub before: Entry,
    /// What was there after.
    pub after: Entry,
    /// The weakest evidence.
    pub evidence: Evidence,
    /// The last of the transitions that did it.
    pub(crate) last: Seq,
}

/// What some transitions come to, sorted by path and then by time. What ended as it had begun is left out, and the two
/// ends of a move are one change.
pub(crate) fn file_changes(transitions: &[Transition]) -> Vec<FileChange> {
    let mut by_path: BTreeMap<&WorkspacePath, Vec<FileChange>> = BTreeMap::new();
    for transition in transitions {
        let changes = by_path.entry(&transition.path).or_default();
        match changes.last_mut() {
            Some(change) if change.after == transition.before => change.extend(transition),
            _ => changes.push(FileChange::begin(transition)),
        }
    }
    let changed = by_path.into_values().flatten().filter(|change| change.before != change.after);
    join_moves(changed.collect(), transitions)
}

impl FileChange {
    /// What was done here; a thing that was moved here was created here.
    pub fn action(&self) -> Action {
        match &self.moved_from {
            Some(_) => Action::between(&Entry::Absent, &self.after),
            None => Action::between(&self.before, &self.after),
        }
    }

    fn begin(transition: &Transition) -> Self {
        Self {
            path: transition.path.clone(),
            moved_from: None,
            before: transition.before.clone(),
            after: transition.after.clone(),
            evidence: transition.evidence,
            last: transition.seq,
        }
    }

    fn extend(&mut self, transition: &Transition) {
        self.after = transition.after.clone();
        self.evidence = self.evidence.max(transition.evidence);
        self.last = transition.seq;
    }
}

/// What was made at one path and went at another by moving is told once, at the new path.
fn join_moves(changes: Vec<FileChange>, transitions: &[Transition]) -> Vec<FileChange> {
    let came_from: BTreeMap<&WorkspacePath, &WorkspacePath> = transitions
        .iter()
        .filter_map(|transition| match &transition.moved {
            Some(Move::From(source)) => Some((&transition.path, source)),
            _ => None,
        })
        .collect();
    let gone: BTreeMap<WorkspacePath, Entry> = changes
        .iter()
        .filter(|change| change.after.is_absent())
        .map(|change| (change.path.clone(), change.before.clone()))
        .collect();
    let mut taken = Vec::new();
    let mut joined: Vec<FileChange> = changes
        .into_iter()
        .map(|change| match source_of(&change, &came_from, &gone) {
            Some((source, before)) => {
                taken.push(source.clone());
                FileChange { moved_from: Some(source), before, ..change }
            }
            None => change,
        })
        .collect();
    joined.retain(|change| !(change.after.is_absent() && taken.contains(&change.path)));
    joined
}

/// Where the thing that was made was before all of it, followed over every move in between.
fn source_of(
    change: &FileChange,
    came_from: &BTreeMap<&WorkspacePath, &WorkspacePath>,
    gone: &BTreeMap<WorkspacePath, Entry>,
) -> Option<(WorkspacePath, Entry)> {
    if !change.before.is_absent() {
        return None;
    }
    let mut at = *came_from.get(&change.path)?;
    for _ in 0..came_from.len() {
        match gone.get(at) {
            Some(before) => return Some((at.clone(), before.clone())),
            None => at = *came_from.get(at)?,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use model::{Cause, CheckpointId, ContentHash, Mode};

    use super::*;

    fn file(content: u8) -> Entry {
        Entry::File { content: ContentHash([content; 32]), size_bytes: 1, mode: Mode::new(0o644) }
    }

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a path")
    }

    fn change(at: &str, before: Entry, after: Entry, moved: Option<Move>) -> Transition {
        Transition {
            seq: Seq(1),
            checkpoint: CheckpointId(1),
            path: path(at),
            before,
            after,
            moved,
            cause: Cause::Outside,
            evidence: Evidence::Exact,
        }
    }

    fn told(transitions: &[Transition]) -> Vec<(String, Entry, Entry)> {
        file_changes(transitions)
            .into_iter()
            .map(|change| (change.path.to_string(), change.before, change.after))
            .collect()
    }

    #[test]
    fn changes_without_a_break_are_one_change() {
        let all = [change("a", file(1), file(2), None), change("a", file(2), file(3), None)];
        assert_eq!(told(&all), [("a".to_owned(), file(1), file(3))]);
    }

    #[test]
    fn what_somebody_else_did_in_between_is_in_no_change() {
        let all = [change("a", file(1), file(2), None), change("a", file(3), file(4), None)];
        assert_eq!(told(&all), [("a".to_owned(), file(1), file(2)), ("a".to_owned(), file(3), file(4))]);
    }

    #[test]
    fn what_ended_as_it_had_begun_is_left_out() {
        let all = [change("a", file(1), file(2), None), change("a", file(2), file(1), None)];
        assert_eq!(told(&all), []);
    }

    #[test]
    fn a_file_that_moved_twice_is_told_once() {
        let all = [
            change("a", file(1), Entry::Absent, Some(Move::To(path("b")))),
            change("b", Entry::Absent, file(1), Some(Move::From(path("a")))),
            change("b", file(1), Entry::Absent, Some(Move::To(path("c")))),
            change("c", Entry::Absent, file(1), Some(Move::From(path("b")))),
        ];
        assert_eq!(told(&all), [("c".to_owned(), file(1), file(1))]);
        assert_eq!(file_changes(&all)[0].moved_from, Some(path("a")));
    }
}
