//! The heads of the repositories in the workspace: where they stand at each barrier, so that a commit made meanwhile can
//! be named. They are read, never moved; git itself is never run.

use decide::effects::EffectClass;
use model::SessionId;
use serde::{Deserialize, Serialize};
use store::{Event, Reader, StoreError, Writer};
use worktree::Head;

use crate::report::NamedEffect;

#[derive(Serialize, Deserialize)]
struct Moved {
    folder: String,
    before: String,
    after: String,
}

/// Notes every head that stands elsewhere than at the barrier before.
pub(crate) fn enter(writer: &mut Writer<'_>, heads: &[Head], session: Option<SessionId>) -> Result<(), StoreError> {
    let known = writer.repositories()?;
    for head in heads {
        let before = known.iter().find(|repository| repository.folder == head.folder);
        if before.is_some_and(|repository| repository.head == head.head) {
            continue;
        }
        writer.put_repository(&head.folder, Some(&head.head))?;
        if let Some(before) = before {
            let moved =
                Moved { folder: head.folder.to_string(), before: before.head.clone(), after: head.head.clone() };
            writer.add_event(&Event {
                at_ns: disk::clock::now_ns(),
                session,
                name: store::HEAD_MOVED.to_owned(),
                text: serde_json::to_string(&moved).unwrap_or_default(),
            })?;
        }
    }
    for gone in known.iter().filter(|repository| heads.iter().all(|head| head.folder != repository.folder)) {
        writer.put_repository(&gone.folder, None)?;
    }
    Ok(())
}

/// The heads that moved since a moment, as effects that stay.
pub(crate) fn moved_since(reader: &Reader<'_>, since_ns: i64) -> Result<Vec<NamedEffect>, StoreError> {
    let moved = reader.heads_moved_since(since_ns)?;
    Ok(moved.iter().filter_map(|event| serde_json::from_str(&event.text).ok()).map(effect).collect())
}

fn effect(moved: Moved) -> NamedEffect {
    let place = if moved.folder.is_empty() { "." } else { &moved.folder };
    let summary = format!("commit in `{place}`: {} is now {}", short(&moved.before), short(&moved.after));
    NamedEffect { step: None, class: EffectClass::Compensable, summary }
}

/// A branch with the first digits of its commit.
fn short(head: &str) -> String {
    let is_hash = |word: &str| word.len() >= 40 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let words = head.split(' ').map(|word| if is_hash(word) { &word[..10] } else { word });
    words.collect::<Vec<_>>().join(" ")
}
