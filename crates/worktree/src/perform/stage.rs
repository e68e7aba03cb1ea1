//! Making what will be there, whole and finished, under a sibling name that nobody else has.

use disk::{NewFile, Stat};
use model::{ContentHash, Entry, EntryKind, Mode, Reason, WorkspacePath};

use super::failure::Halt;
use super::hand::Hand;
use super::reach::Place;
use super::thing::Thing;

/// What is to be staged.
pub(super) struct Staging<'s> {
    /// What will be there: a file or a link.
    pub(super) after: &'s Entry,
    /// Under which name.
    pub(super) staged: &'s [u8],
    /// A finished file that gets this as a second name.
    pub(super) linked_to: Option<&'s WorkspacePath>,
    /// What kind of thing it will displace and take owner, group and attributes from, at the place itself.
    pub(super) displaced: Option<EntryKind>,
}

/// Stages a file or link beside its place and tells how it looks.
///
/// On failure nothing is left under the name, unless something was there before: that stays and is drift.
pub(super) fn stage(hand: &mut Hand<'_>, place: &Place<'_>, staging: &Staging<'_>) -> Result<Stat, Halt> {
    match (staging.linked_to, staging.after) {
        (Some(finished), after) => link_to_finished(hand, place, finished, after, staging.staged)?,
        (None, Entry::File { content, mode, .. }) => stage_file(hand, place, staging, content, *mode)?,
        (None, Entry::Link { target }) => stage_link(place, staging, target)?,
        (None, Entry::Absent | Entry::Dir { .. } | Entry::Special { .. } | Entry::Uncovered { .. }) => {
            return Err(Reason::TypeChange.into());
        }
    }
    Thing::beside(place, staging.staged)?.stat().copied().ok_or_else(|| Reason::Drift.into())
}

/// Removes what was staged, if it still is what was staged. Fails if something else is there, which stays.
pub(super) fn discard(place: &Place<'_>, staged: &[u8], ours: &Stat, after: &Entry) -> Result<(), Halt> {
    let thing = Thing::beside(place, staged)?;
    if thing.is_absent() {
        return Ok(());
    }
    if !thing.is_same_thing(ours) || !thing.is(after)? {
        return Err(Reason::Drift.into());
    }
    Ok(place.dir.unlink(staged)?)
}

fn stage_file(
    hand: &Hand<'_>,
    place: &Place<'_>,
    staging: &Staging<'_>,
    content: &ContentHash,
    mode: Mode,
) -> Result<(), Halt> {
    let mut file = place.dir.create_file(staging.staged, mode)?;
    let filled = hand.supply().copy(content, &mut file).map_err(Halt::from);
    filled.and_then(|()| finish(place, staging, file)).inspect_err(|_| drop_unfinished(place, staging.staged))
}

/// Hands on the attributes of what will be displaced, then sets the mode: a change of owner clears special bits.
fn finish(place: &Place<'_>, staging: &Staging<'_>, file: NewFile) -> Result<(), Halt> {
    match staging.displaced {
        Some(EntryKind::File) => place.dir.copy_attributes(place.name, &file)?,
        Some(_) => place.dir.copy_owner(place.name, staging.staged)?,
        None => {}
    }
    Ok(file.finish()?)
}

fn stage_link(place: &Place<'_>, staging: &Staging<'_>, target: &[u8]) -> Result<(), Halt> {
    place.dir.create_link(staging.staged, target)?;
    if staging.displaced.is_some() {
        let owned = place.dir.copy_owner(place.name, staging.staged);
        owned.inspect_err(|_| drop_unfinished(place, staging.staged))?;
    }
    Ok(())
}

fn link_to_finished(
    hand: &mut Hand<'_>,
    place: &Place<'_>,
    finished: &WorkspacePath,
    after: &Entry,
    staged: &[u8],
) -> Result<(), Halt> {
    let source = hand.place(finished)?;
    Thing::at(&source)?.must_be(after)?;
    source.dir.link_no_replace(source.name, &place.dir, staged)?;
    // Somebody may have put another file there since the look.
    let linked = Thing::beside(place, staged).and_then(|thing| thing.must_be(after));
    linked.inspect_err(|_| drop_unfinished(place, staged))
}

/// Removes what this call made a moment ago. Should it fail, the name is journalled and the way back removes it.
fn drop_unfinished(place: &Place<'_>, staged: &[u8]) {
    _ = place.dir.unlink(staged);
}
