//! Looking closely: what a path holds, with its content read and hashed.

use model::{Entry, Index, Known, Stamp, WorkspacePath};

use super::{LookError, look};
use crate::capture::{Counts, Judgement, Reading, judge, read_file};
use crate::rules::Coverage;
use crate::scan::{Ground, Now, Sighting};
use crate::{Root, Rules};

/// What a path holds right now, under the same rules as a capture, with files read and hashed but not stored.
///
/// What cannot be told is [`Entry::Uncovered`] with its reason: left out by a rule, unreadable, unsettled, or inside
/// something that is left out. A path behind a link or a file holds nothing. Where nothing is, the stamp is
/// [`Stamp::UNKNOWN`]. A file whose stamp proves that it is as `index` knows it is not read; an empty index makes sure
/// that everything is. Takes nothing in. Cost: a look at each folder on the way, and one read of the file.
pub fn look_closely(root: &Root, path: &WorkspacePath, rules: &Rules, index: &Index) -> Result<Known, LookError> {
    let coverage = Coverage::new(root, rules);
    let found = Ground::new(root, index, &coverage, None).visit(std::slice::from_ref(path))?;
    if let Some(sighting) = found.sightings.iter().find(|sighting| sighting.path == *path) {
        return Ok(what_is_held(root, sighting)?.unwrap_or(NOTHING));
    }
    let refreshed = found.refreshed.into_iter().find(|(refreshed, _)| refreshed == path);
    if let Some(known) = refreshed.map(|(_, known)| known).or_else(|| index.get(path).cloned()) {
        return Ok(known);
    }
    let trouble = found.troubles.iter().find(|trouble| trouble.path == *path);
    Ok(match (trouble, look(root, path)?) {
        (Some(trouble), Some(seen)) => {
            Known { entry: Entry::Uncovered { kind: seen.kind, reason: trouble.reason }, stamp: seen.stamp }
        }
        (None, Some(root)) if path.is_root() => Known { entry: Entry::Dir { mode: root.mode }, stamp: root.stamp },
        _ => NOTHING,
    })
}

const NOTHING: Known = Known { entry: Entry::Absent, stamp: Stamp::UNKNOWN };

fn what_is_held(root: &Root, sighting: &Sighting<'_>) -> Result<Option<Known>, LookError> {
    let reading = match (&sighting.now, sighting.path.parent(), sighting.path.name()) {
        (Now::Unread(seen), Some(folder), Some(name)) => match root.folder(&folder)? {
            Some(dir) => Some(read_file(&dir, name, seen, None, &mut Vec::new(), &mut Counts::default())),
            None => Some(Reading::Vanished),
        },
        _ => None,
    };
    Ok(match judge(sighting, reading, None).0 {
        Judgement::Holds(known) => known,
        Judgement::LookAgain(known) => Some(known),
    })
}
