//! What a capture means for the index.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use model::{Entry, EntryKind, Index, Known, KnownChild, KnownFolder, WorkspacePath};

use super::Captured;

/// What becomes of the names of one folder, sorted by name.
type Changes<'a> = Vec<(&'a [u8], Option<&'a Known>)>;

impl Captured {
    /// Brings the index up to what was captured, and gives the folders whose rows changed, sorted.
    ///
    /// The differences' `after` and the refreshed stamps are taken over; what lies below a folder that is uncovered now
    /// is forgotten. Applying it to the index that was captured against gives the index a fresh capture would make.
    pub fn apply_to(&self, index: &mut Index) -> Vec<WorkspacePath> {
        let changes = self.changes_by_folder();
        for (folder, changes) in &changes {
            let known = index.folder(folder).map_or(&[][..], |known| &known.children);
            index.set_folder(folder.clone(), merged(known, changes));
        }
        changes.into_keys().collect()
    }

    fn changes_by_folder(&self) -> BTreeMap<WorkspacePath, Changes<'_>> {
        let mut changes: BTreeMap<WorkspacePath, Changes<'_>> = BTreeMap::new();
        let mut hidden: Option<&WorkspacePath> = None;
        for difference in &self.differences {
            let is_hidden = hidden.is_some_and(|top| difference.path != *top && difference.path.is_at_or_below(top));
            let after = difference.after.as_ref().filter(|_| !is_hidden);
            if after.is_some_and(is_uncovered_folder) {
                hidden = Some(&difference.path);
            }
            note(&mut changes, &difference.path, after);
        }
        for (path, known) in &self.refreshed {
            note(&mut changes, path, Some(known));
        }
        for names in changes.values_mut() {
            names.sort_by_key(|&(name, _)| name);
        }
        changes
    }
}

fn note<'a>(changes: &mut BTreeMap<WorkspacePath, Changes<'a>>, path: &'a WorkspacePath, after: Option<&'a Known>) {
    if let (Some(folder), Some(name)) = (path.parent(), path.name()) {
        changes.entry(folder).or_default().push((name, after));
    }
}

fn is_uncovered_folder(known: &Known) -> bool {
    matches!(known.entry, Entry::Uncovered { kind: EntryKind::Dir, .. })
}

/// The names of a folder after the changes; both lists are sorted.
fn merged(known: &[KnownChild], changes: &Changes<'_>) -> KnownFolder {
    let mut children = Vec::with_capacity(known.len() + changes.len());
    let (mut known, mut changes) = (known.iter().peekable(), changes.iter().peekable());
    loop {
        let order = match (known.peek(), changes.peek()) {
            (None, None) => return KnownFolder { children },
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some((name, _))) => (*old.name).cmp(name),
        };
        let old = if order.is_le() { known.next() } else { None };
        match if order.is_ge() { changes.next() } else { None } {
            Some(&(name, Some(new))) => children.push(KnownChild { name: name.into(), known: new.clone() }),
            Some((_, None)) => {}
            None => children.extend(old.cloned()),
        }
    }
}
