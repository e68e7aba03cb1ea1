//! On which version an entry lies. Reads rows only; decides nothing.

use model::SessionId;
use store::{EntryPlace, Head, Reader, StoreError, TalkEntry};

/// Whether an entry lies on a version.
///
/// An entry is added at the tip of one version, so beyond the boundary of that one it lies between boundary and tip. If no
/// other version of its session has its place in between, nothing needs to be walked, however long the turn is. Otherwise
/// the cost grows with what was said since.
pub(super) fn lies_on(reader: &Reader<'_>, head: &Head, entry: &TalkEntry) -> Result<bool, StoreError> {
    if head.boundary.is_some_and(|boundary| entry.place <= boundary) {
        // What is shared with others ends at the boundary; what came later on this version need not be passed.
        return is_on(reader, head.boundary, entry.place);
    }
    if !may_hold(head, entry) {
        return Ok(false);
    }
    let versions = reader.heads_of(entry.session)?;
    if versions.iter().filter(|version| may_hold(version, entry)).count() == 1 {
        return Ok(true);
    }
    is_on(reader, head.tip, entry.place)
}

/// The newest version of a session on which an entry lies.
pub(super) fn newest_with(
    reader: &Reader<'_>,
    session: SessionId,
    entry: &TalkEntry,
) -> Result<Option<Head>, StoreError> {
    for head in reader.heads_of(session)?.into_iter().rev() {
        if lies_on(reader, &head, entry)? {
            return Ok(Some(head));
        }
    }
    Ok(None)
}

/// Whether an entry can be one that was added to this version.
fn may_hold(head: &Head, entry: &TalkEntry) -> bool {
    let is_beyond_boundary = head.boundary.is_none_or(|boundary| entry.place > boundary);
    head.session == entry.session && is_beyond_boundary && head.tip.is_some_and(|tip| entry.place <= tip)
}

/// Whether an entry lies on the chain that ends at `tip`. Parents have smaller places, so the walk ends early.
fn is_on(reader: &Reader<'_>, tip: Option<EntryPlace>, place: EntryPlace) -> Result<bool, StoreError> {
    let mut next = tip;
    while let Some(at) = next.filter(|at| *at > place) {
        next = reader.talk_entry_at(at)?.and_then(|entry| entry.parent);
    }
    Ok(next == Some(place))
}
