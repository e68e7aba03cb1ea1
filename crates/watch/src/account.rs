//! [`Account`]: which folders of one workspace may have changed since when. Hears nothing itself and knows no clock.

use std::collections::{BTreeMap, BTreeSet};

use model::{WorkspacePath, limits};

/// What may have changed. What is not in here has not, as far as folders are watched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DirtyPaths {
    /// Folders in which any name may be another thing now, or hold something else.
    pub folders: BTreeSet<WorkspacePath>,
    /// Paths of which nothing is known any more: themselves and whatever is below them.
    pub below: BTreeSet<WorkspacePath>,
}

/// What may have changed since a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// Nothing can be left out.
    Everything,
    /// Only this.
    Only(DirtyPaths),
}

/// Which folders may have changed since which barrier.
///
/// Barriers are numbered. What is noted belongs to the barrier that comes next; what an asker has seen to be done with it
/// is forgotten, so the account grows with what changes between two barriers, and has a limit besides.
#[derive(Debug)]
pub struct Account {
    /// The barrier that comes next.
    next: u64,
    /// Nothing is known of what was before this barrier.
    floor: u64,
    folders: BTreeMap<WorkspacePath, u64>,
    below: BTreeMap<WorkspacePath, u64>,
}

impl Account {
    /// Begins with nothing noted. The first barrier is number 1.
    pub fn new() -> Self {
        Self { next: 1, floor: 1, folders: BTreeMap::new(), below: BTreeMap::new() }
    }

    /// Any name directly in this folder may have changed.
    pub fn note_folder(&mut self, folder: WorkspacePath) {
        self.folders.insert(folder, self.next);
        self.stay_small();
    }

    /// Nothing is known any more of this path and what is below it: it came, went, or moved.
    pub fn note_below(&mut self, top: WorkspacePath) {
        self.below.insert(top, self.next);
        self.stay_small();
    }

    /// Passes a barrier: gives its number, and what may have changed since an earlier one.
    ///
    /// Everything noted before this call belongs to the barrier, everything later does not. What was noted up to `since`
    /// is forgotten: an asker that goes further back later gets everything. So does one that names a barrier that has not
    /// been passed, or none.
    pub fn pass(&mut self, since: Option<u64>) -> (u64, Since) {
        let number = self.next;
        self.next += 1;
        let Some(since) = since.filter(|since| (self.floor..number).contains(since)) else {
            return (number, Since::Everything);
        };
        self.floor = since;
        self.folders.retain(|_, noted| *noted > since);
        self.below.retain(|_, noted| *noted > since);
        let dirty =
            DirtyPaths { folders: self.folders.keys().cloned().collect(), below: self.below.keys().cloned().collect() };
        (number, Since::Only(dirty))
    }

    /// Too much to be remembered one by one is everything: whoever asks back beyond the next barrier gets that.
    fn stay_small(&mut self) {
        if self.folders.len() + self.below.len() > limits::DIRTY_FOLDERS_MAX {
            self.folders.clear();
            self.below.clear();
            self.floor = self.next;
        }
    }
}

impl Default for Account {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn path(text: &str) -> WorkspacePath {
        WorkspacePath::new(text).expect("a path")
    }

    fn only(folders: &[&str], below: &[&str]) -> Since {
        let set = |texts: &[&str]| texts.iter().map(|text| path(text)).collect();
        Since::Only(DirtyPaths { folders: set(folders), below: set(below) })
    }

    #[test]
    fn only_what_was_noted_since_is_told() {
        let mut account = Account::new();
        account.note_folder(path("before"));
        let (first, told) = account.pass(None);
        assert_eq!(told, Since::Everything, "without a barrier to go back to");
        account.note_folder(path("a"));
        account.note_below(path("b/new"));
        let (second, told) = account.pass(Some(first));
        assert_eq!(told, only(&["a"], &["b/new"]));
        assert_eq!(account.pass(Some(second)).1, only(&[], &[]));
    }

    #[test]
    fn an_answer_that_never_arrived_can_be_asked_for_again() {
        let mut account = Account::new();
        let (first, _) = account.pass(None);
        account.note_folder(path("a"));
        _ = account.pass(Some(first));
        account.note_folder(path("b"));
        assert_eq!(account.pass(Some(first)).1, only(&["a", "b"], &[]));
    }

    #[test]
    fn what_was_forgotten_and_what_never_was_is_everything() {
        let mut account = Account::new();
        let (first, _) = account.pass(None);
        let (second, _) = account.pass(Some(first));
        let (third, _) = account.pass(Some(second));
        assert_eq!(account.pass(Some(first)).1, Since::Everything);
        assert_eq!(account.pass(Some(third + 5)).1, Since::Everything);
        assert_eq!(account.pass(Some(third)).1, only(&[], &[]));
    }

    #[test]
    fn too_much_is_everything_and_later_barriers_are_exact_again() {
        let mut account = Account::new();
        let (first, _) = account.pass(None);
        for number in 0..=limits::DIRTY_FOLDERS_MAX {
            account.note_folder(path(&format!("d{number}")));
        }
        let (second, told) = account.pass(Some(first));
        assert_eq!(told, Since::Everything);
        account.note_folder(path("late"));
        assert_eq!(account.pass(Some(second)).1, only(&["late"], &[]));
    }

    proptest! {
        /// Against a list of everything that ever happened.
        #[test]
        fn nothing_that_was_noted_after_a_barrier_is_left_out(steps in vec((0..6_usize, 0..8_u64, any::<bool>()), 1..60)) {
            let mut account = Account::new();
            let mut noted: Vec<(u64, WorkspacePath, bool)> = Vec::new();
            let mut passed = 0;
            for (name, back, is_note) in steps {
                let name = path(["a", "b", "c", "a/x", "a/y", "b/z"][name]);
                if is_note {
                    let is_below = back % 2 == 0;
                    if is_below { account.note_below(name.clone()) } else { account.note_folder(name.clone()) }
                    noted.push((passed + 1, name, is_below));
                    continue;
                }
                let since = passed.saturating_sub(back);
                let (number, told) = account.pass(Some(since));
                passed += 1;
                prop_assert_eq!(number, passed);
                if let Since::Only(dirty) = told {
                    for (at, name, is_below) in noted.iter().filter(|(at, ..)| *at > since) {
                        let told = if *is_below { &dirty.below } else { &dirty.folders };
                        prop_assert!(told.contains(name), "{} of {}", name, at);
                    }
                }
            }
        }
    }
}
