//! The way back: takes steps back, the newest first, telling from the disk alone how far each got.
//!
//! Every act recognizes all the states in which a crash, before it or on an earlier way back, may have left it, and leads
//! from each to the state before the step. A state that no crash leaves is somebody else's work: left, and named.

use model::{Act, Entry, EntryKind, Mode, Reason, WorkspacePath, WriteStep};

use super::expected::found_by;
use super::failure::{Halt, Stuck};
use super::forward::rename;
use super::hand::{Hand, UNFINISHED_FOLDER_BITS};
use super::reach::Place;
use super::replace::Replacement;
use super::thing::Thing;
use super::verify::{Progress, progress};

mod replaced;

/// Its owner may do everything in a folder while things go back into it.
const OWNER_BITS: u32 = 0o700;

pub(super) fn take_back(mut hand: Hand<'_>, steps: &[WriteStep]) -> Vec<Stuck> {
    let mut stuck = Vec::new();
    if progress(&mut hand.reach, steps) == Progress::None {
        return stuck;
    }
    let mut reopened = Vec::new();
    for (index, step) in steps.iter().enumerate().rev() {
        let result = back(&mut hand, step, &mut reopened);
        if !matches!(&result, Err(halt) if halt.is_only_unexpected())
            || !is_back_already(&mut hand, &steps[..index], &step.path)
        {
            note(&mut stuck, &step.path, step.temporary(), result);
        }
    }
    for (path, mode) in reopened.into_iter().rev() {
        note(&mut stuck, path, None, close(&mut hand, path, mode));
    }
    note(&mut stuck, &WorkspacePath::root(), None, hand.reach.sync());
    stuck
}

/// Whether an earlier way back already got further down: to what one of the `earlier` steps found at this path, or to
/// where the folder of the path had not come yet.
fn is_back_already(hand: &mut Hand<'_>, earlier: &[WriteStep], path: &WorkspacePath) -> bool {
    match hand.place_if_any(path) {
        Ok(Some(place)) => Thing::at(&place).is_ok_and(|thing| {
            earlier
                .iter()
                .flat_map(found_by)
                .any(|(found_at, expected)| found_at == path && expected.is_met_by(&thing).unwrap_or(false))
        }),
        Ok(None) | Err(_) => path.ancestors().any(|above| hand.brings(&above)),
    }
}

/// Each path is named once, by what was met first.
fn note(stuck: &mut Vec<Stuck>, path: &WorkspacePath, temporary: Option<WorkspacePath>, result: Result<(), Halt>) {
    if let Err(halt) = result
        && !stuck.iter().any(|known| known.path == *path)
    {
        stuck.push(halt.of_path(path, temporary));
    }
}

fn back<'s>(
    hand: &mut Hand<'_>,
    step: &'s WriteStep,
    reopened: &mut Vec<(&'s WorkspacePath, Mode)>,
) -> Result<(), Halt> {
    let path = &step.path;
    match &step.act {
        Act::Lift { before, lifted } => mode_back(hand, path, *before, *lifted),
        Act::SetMode { before, after } => mode_back(hand, path, *before, *after),
        Act::Remove { before, aside } => removed_back(hand, path, before, aside),
        Act::RemoveDir { mode } => {
            if removed_dir_back(hand, path, *mode)? {
                reopened.push((path, *mode));
            }
            Ok(())
        }
        Act::MakeDir => made_dir_back(hand, path),
        Act::MoveFrom { from, before } => moved_back(hand, path, from, before),
        Act::Create { after, staged, .. } => match hand.place_if_any(path)? {
            Some(place) => created_back(hand, &place, after, staged),
            None => Ok(()),
        },
        Act::Replace { before, after, staged, linked_to } => {
            let place = hand.place(path)?;
            let replacement = Replacement { before, after, staged, linked_to: linked_to.as_ref() };
            replaced::back(hand, &place, &replacement)
        }
    }
}

/// A folder that these steps made becomes free for its owner again, so that it can be emptied and removed.
fn mode_back(hand: &mut Hand<'_>, path: &WorkspacePath, before: Mode, after: Mode) -> Result<(), Halt> {
    if path.is_root() {
        let mode = hand.reach.root().stat_self()?.mode;
        return if mode == after && mode != before { Ok(hand.reach.root().set_mode_self(before)?) } else { Ok(()) };
    }
    let Some(place) = hand.place_if_any(path)? else {
        return if hand.makes(path) { Ok(()) } else { Err(Reason::Drift.into()) };
    };
    let thing = Thing::at(&place)?;
    if hand.makes(path) && thing.stat().is_none_or(|stat| stat.kind != EntryKind::Dir) {
        return Ok(());
    }
    let mode = thing.stat().map(|stat| stat.mode);
    let wanted = if hand.makes(path) { Mode::new(UNFINISHED_FOLDER_BITS) } else { before };
    match mode {
        Some(mode) if mode == wanted => Ok(()),
        Some(mode) if mode == after => Ok(place.dir.set_mode(place.name, wanted)?),
        Some(_) | None if hand.makes(path) => Ok(()),
        Some(_) | None => Err(Reason::Drift.into()),
    }
}

fn removed_back(hand: &mut Hand<'_>, path: &WorkspacePath, before: &Entry, aside: &WorkspacePath) -> Result<(), Halt> {
    let (aside, place) = (hand.place(aside)?, hand.place(path)?);
    let (target, displaced) = (Thing::at(&place)?, Thing::at(&aside)?);
    let Some(stat) = displaced.stat() else {
        return target.must_be(before);
    };
    if target.is_same_thing(stat) {
        // A rename without the system's own call stopped between making the second name and removing the first.
        return Ok(aside.dir.unlink(aside.name)?);
    }
    rename(&aside, &place).map_err(Halt::keeping_second)?;
    Thing::at(&place)?.must_be(before)
}

/// Makes a removed folder again, free for its owner at first; says whether its own mode has to come back at the end.
fn removed_dir_back(hand: &mut Hand<'_>, path: &WorkspacePath, mode: Mode) -> Result<bool, Halt> {
    let open = Mode::new(mode.bits() | OWNER_BITS);
    let place = hand.place(path)?;
    match Thing::at(&place)?.stat() {
        None => place.dir.make_dir(place.name, open)?,
        Some(stat) if stat.kind != EntryKind::Dir => return Err(Reason::TypeChange.into()),
        Some(stat) if stat.mode == mode => return Ok(false),
        // An earlier way back stopped right after making it.
        Some(stat) if stat.mode == Mode::new(UNFINISHED_FOLDER_BITS) => place.dir.set_mode(place.name, open)?,
        Some(stat) => return Ok(stat.mode == open),
    }
    Ok(open != mode)
}

/// Gives a folder that was made again its own mode, now that everything is back in it.
fn close(hand: &mut Hand<'_>, path: &WorkspacePath, mode: Mode) -> Result<(), Halt> {
    let place = hand.place(path)?;
    let open = Mode::new(mode.bits() | OWNER_BITS);
    match Thing::at(&place)?.stat() {
        Some(stat) if stat.kind == EntryKind::Dir && stat.mode == open => Ok(place.dir.set_mode(place.name, mode)?),
        // A step that lifted its mode has set it already.
        Some(stat) if stat.kind == EntryKind::Dir && stat.mode == mode => Ok(()),
        Some(_) | None => Err(Reason::Drift.into()),
    }
}

fn made_dir_back(hand: &mut Hand<'_>, path: &WorkspacePath) -> Result<(), Halt> {
    hand.reach.let_go();
    let Some(place) = hand.place_if_any(path)? else { return Ok(()) };
    match Thing::at(&place)?.stat().map(|stat| stat.kind) {
        None => Ok(()),
        Some(EntryKind::Dir) => Ok(place.dir.remove_dir(place.name)?),
        Some(_) => Err(Reason::TypeChange.into()),
    }
}

fn moved_back(hand: &mut Hand<'_>, path: &WorkspacePath, from: &WorkspacePath, before: &Entry) -> Result<(), Halt> {
    let Some(place) = hand.place_if_any(path)? else { return Ok(()) };
    let source = hand.place(from)?;
    let (here, there) = (Thing::at(&place)?, Thing::at(&source)?);
    match (here.stat(), there.stat()) {
        (None, Some(_)) => Ok(()),
        (Some(_), Some(first)) if here.is_same_thing(first) => Ok(place.dir.unlink(place.name)?),
        (Some(_), None) => {
            here.must_be(before)?;
            hand.reach.let_go();
            Ok(place.dir.rename_no_replace(place.name, &source.dir, source.name)?)
        }
        (None, None) | (Some(_), Some(_)) => Err(Reason::Drift.into()),
    }
}

fn created_back(hand: &mut Hand<'_>, place: &Place<'_>, after: &Entry, staged: &[u8]) -> Result<(), Halt> {
    let (target, staged_thing) = (Thing::at(place)?, Thing::beside(place, staged)?);
    let is_half_renamed = staged_thing.stat().is_some_and(|stat| target.is_same_thing(stat));
    if !staged_thing.is_absent() {
        if is_half_renamed || staged_thing.is(after)? || staged_thing.is_beginning_of(after, hand.supply())? {
            hand.must_keep(after)?;
            place.dir.unlink(staged)?;
        } else {
            return Err(Halt::from(Reason::Drift).keeping_second());
        }
        if !is_half_renamed {
            return if target.is_absent() { Ok(()) } else { Err(Reason::Drift.into()) };
        }
    }
    if target.is_absent() { Ok(()) } else { uncreate(hand, place, after, staged) }
}

/// Removes what a step created, by way of its staged name, so that a save in the last instant is not lost.
fn uncreate(hand: &Hand<'_>, place: &Place<'_>, after: &Entry, staged: &[u8]) -> Result<(), Halt> {
    let target = Thing::at(place)?;
    target.must_be(after)?;
    hand.must_keep(after)?;
    target.must_be_settled()?;
    place.dir.rename_no_replace(place.name, &place.dir, staged)?;
    match Thing::beside(place, staged).and_then(|thing| thing.must_be(after)) {
        Ok(()) => Ok(place.dir.unlink(staged)?),
        Err(halt) => {
            let returned = place.dir.rename_no_replace(staged, &place.dir, place.name);
            Err(halt.keeping_unless(returned.map_err(Halt::from)))
        }
    }
}
