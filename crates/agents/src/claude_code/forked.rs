//! The ids of prompts where the client gave one id to several. When a conversation is branched off, newer clients stamp
//! every row they copy with the id of the branch's first prompt, though its hooks have named the older prompts otherwise
//! before. The rows of the model tell which session they come from, and the transcript of that one has the true ids.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use super::place::transcript_name;
use super::row::{Row, RowKind};
use super::transcript::{Transcript, parse_alone};

/// More sessions than this are not looked into.
const ORIGINS_MAX: usize = 16;

/// Sees to it that no two prompts have one id.
///
/// In a branch the copied prompts get the ids back that they have where they come from, or go by the ids of their rows.
/// Elsewhere the first prompt of an id is the one its hook has named; what follows under the same id was put in while it
/// was answered. A prompt does not go by the id of a row. Looks into other transcripts of the folder only in a branch;
/// never fails.
pub(super) fn name_prompts(transcript: &mut Transcript, folder: &Path) {
    let Transcript { rows, places, .. } = transcript;
    let is_of_a_row = |id: &String| places.contains_key(id);
    rows.iter_mut().filter(|row| row.prompt_id.as_ref().is_some_and(is_of_a_row)).for_each(|row| row.prompt_id = None);
    match transcript.rows.iter().rposition(|row| row.origin.is_some()) {
        Some(last_copied) => name_copied(transcript, last_copied, folder),
        None => {
            let followers = sharing(transcript.rows.iter_mut());
            followers.into_iter().for_each(|row| row.kind = RowKind::Injected);
        }
    }
}

fn name_copied(transcript: &mut Transcript, last_copied: usize, folder: &Path) {
    let true_ids = ids_at_origins(transcript, folder);
    for row in transcript.rows[..=last_copied].iter_mut().filter(|row| row.is_prompt()) {
        if let Some(id) = true_ids.get(&row.uuid).filter(|id| !transcript.places.contains_key(*id)) {
            row.prompt_id = Some(id.clone());
        }
    }
    let nameless = sharing(transcript.rows.iter_mut().rev());
    nameless.into_iter().for_each(|row| row.prompt_id = None);
}

/// The prompts whose id another one has that comes earlier in the given order.
fn sharing<'a>(rows: impl Iterator<Item = &'a mut Row>) -> Vec<&'a mut Row> {
    let mut taken = HashSet::new();
    let has_taken_id = |row: &&mut Row| row.prompt_id.as_ref().is_some_and(|id| !taken.insert(id.clone()));
    rows.filter(|row| row.is_prompt()).filter(has_taken_id).collect()
}

fn ids_at_origins(transcript: &Transcript, folder: &Path) -> HashMap<String, String> {
    let origins: BTreeSet<&str> = transcript.rows.iter().filter_map(|row| row.origin.as_deref()).collect();
    let names = origins.into_iter().filter_map(transcript_name).take(ORIGINS_MAX);
    let bytes = names.filter_map(|name| disk::state::read(&folder.join(name)).ok()?);
    bytes.filter_map(|bytes| parse_alone(bytes).ok()).flat_map(own_ids).collect()
}

/// The ids of the prompts that were typed in a transcript's own session.
fn own_ids(origin: Transcript) -> impl Iterator<Item = (String, String)> {
    let first_own = origin.rows.iter().rposition(|row| row.origin.is_some()).map_or(0, |last_copied| last_copied + 1);
    let own = origin.rows.into_iter().skip(first_own).filter(|row| row.is_prompt());
    own.filter_map(|row| Some((row.uuid, row.prompt_id?)))
}
