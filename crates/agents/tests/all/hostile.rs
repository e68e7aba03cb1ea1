//! Damaged and forged records: whatever stands in them, they are read or refused with words; nothing panics, a
//! conversation that comes out is whole in itself, and nothing lies anywhere afterwards that did not lie there before.

use std::collections::BTreeSet;
use std::path::Path;

use agents::{Conversation, DriverError, Target, translate};
use model::MessageKind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::fixture::{ALL, Files, Fixture, Home};
use crate::mutation::{STRANGE_IDS, mutated, mutation, shared_texts};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_payload_is_an_event_or_an_error(
        fixture in select(ALL.to_vec()), which in any::<Index>(), mutations in vec(mutation(), 1..4),
    ) {
        let payloads = fixture.payloads();
        let payload = mutated(payloads[which.index(payloads.len())].as_bytes(), &mutations);
        if let Ok(event) = translate(fixture.agent, &payload) {
            prop_assert!(!event.session.is_empty() && event.agent == fixture.agent);
            prop_assert_eq!(translate(fixture.agent, event.raw.as_bytes()), Ok(event));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_damaged_record_is_read_or_refused(
        fixture in select(ALL.to_vec()), which in any::<Index>(), mutations in vec(mutation(), 1..6),
    ) {
        _ = check(fixture, &damaged(fixture, which, |file| mutated(file, &mutations)));
    }

    #[test]
    fn a_record_with_strange_ids_is_read_or_refused(
        fixture in select(ALL.to_vec()), which in any::<Index>(), id in any::<Index>(),
        instead in prop_oneof![select(STRANGE_IDS.to_vec()).prop_map(str::to_owned), Just("i".repeat(70_000))],
    ) {
        _ = check(fixture, &damaged(fixture, which, |file| with_another_id(file, id, &instead)));
    }
}

#[test]
fn a_record_that_ends_in_the_middle_is_read_up_to_there() {
    for fixture in ALL {
        let files = fixture.files();
        let whole = Home::with(fixture, &files).read(&fixture.conversations()[0]).expect("it is whole");
        let file = files.values().max_by_key(|file| file.len()).expect("there is one");
        let mut were_read = 0;
        for at in (0..file.len()).step_by(file.len() / 40) {
            let cut = damaged_files(&files, file, |file| file[..at].to_vec());
            if let Ok(conversation) = check(fixture, &cut) {
                were_read += 1;
                assert!(conversation.entries.len() <= whole.entries.len());
                assert!(
                    !tears_a_record(fixture, &file[..at], file[at]) || !conversation.left_out.is_empty(),
                    "{fixture:?} at {at}"
                );
            }
        }
        assert!(were_read > 30 || fixture.agent == "opencode", "{fixture:?}: {were_read}");
    }
}

/// Whether a file that ends here ends within a line that is looked at. Lines of a database are rows, there or not.
fn tears_a_record(fixture: Fixture, file: &[u8], next: u8) -> bool {
    let line = file.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_looked_at = ["{\"type\":\"api-request", "{\"type\":\"file-history-"]
        .iter()
        .all(|beginning| !line.starts_with(beginning.as_bytes()));
    fixture.agent != "opencode" && !line.is_empty() && next != b'\n' && is_looked_at
}

/// The files of a recording, one of them damaged.
fn damaged(fixture: Fixture, which: Index, with: impl FnOnce(&[u8]) -> Vec<u8>) -> Files {
    let files = fixture.files();
    let chosen: Vec<&Vec<u8>> = files.values().collect();
    damaged_files(&files, chosen[which.index(chosen.len())], with)
}

fn damaged_files(files: &Files, file: &[u8], with: impl FnOnce(&[u8]) -> Vec<u8>) -> Files {
    let path = files.iter().find(|(_, bytes)| *bytes == file).expect("it is one of them").0.clone();
    let mut files = files.clone();
    files.insert(path, with(file));
    files
}

/// A file in which an id is another one wherever it stands.
fn with_another_id(file: &[u8], which: Index, instead: &str) -> Vec<u8> {
    let ids = shared_texts(file);
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let text = String::from_utf8_lossy(file);
    let (id, other) = (quoted(&ids[which.index(ids.len())]), quoted(instead));
    let escaped = |text: &str| text.replace('"', "\\\"");
    text.replace(&id, &other).replace(&escaped(&id), &escaped(&quoted(instead).replace('\\', "\\\\"))).into_bytes()
}

/// Reads the first conversation, and has it made ready in every way there is. What comes out must be whole in itself,
/// and what was made must be gone after it was thrown away.
fn check(fixture: Fixture, files: &Files) -> Result<Conversation, DriverError> {
    let native = &fixture.conversations()[0];
    let home = Home::with(fixture, files);
    let before = home.look();
    let read = home.read(native);
    if let Ok(conversation) = &read {
        check_whole(conversation);
    }
    let prompts = read.as_ref().map(|conversation| conversation.line.clone()).unwrap_or_default();
    for prompt in [prompts.first(), prompts.last(), Some(&"../../x".to_owned())].into_iter().flatten() {
        let some = Some(prompt.clone());
        check_lever(fixture, &home, &Target::Before { prompt: prompt.clone() });
        check_lever(fixture, &home, &Target::After { prompt: some.clone() });
        check_lever(fixture, &home, &Target::Fork { prompt: some });
    }
    check_lever(fixture, &home, &Target::After { prompt: None });
    check_lever(fixture, &home, &Target::Fork { prompt: None });
    assert!(home.look() == before, "something is not as it was");
    read
}

fn check_lever(fixture: Fixture, home: &Home, target: &Target) {
    let (driver, seat) = (fixture.driver(), home.seat(&fixture.conversations()[0]));
    let Ok(lever) = driver.prepare(&seat, target) else { return };
    let is_inside =
        |path: &Path| path.starts_with(home.path()) && !path.components().any(|part| part.as_os_str() == "..");
    assert!(lever.transcript.as_deref().is_none_or(is_inside), "{lever:?}");
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_ /".contains(&byte));
    assert!(is_plain(&lever.resume), "{lever:?}");
    driver.discard(&seat, &lever);
}

/// Ids are there once, and whatever is named by one is there.
fn check_whole(conversation: &Conversation) {
    let mut ids = BTreeSet::new();
    let mut prompts = BTreeSet::new();
    for entry in &conversation.entries {
        assert!(ids.insert(entry.id.as_str()), "two entries are `{}`", entry.id);
        assert!(entry.prompt_before.as_ref().is_none_or(|before| prompts.contains(before.as_str())), "{entry:?}");
        if entry.kind == MessageKind::Prompt {
            assert_eq!(entry.prompt.as_ref(), Some(&entry.id));
            prompts.insert(entry.id.as_str());
        }
        assert!(entry.prompt.as_ref().is_none_or(|prompt| prompts.contains(prompt.as_str())), "{entry:?}");
        assert!(entry.keeps_from.as_ref().is_none_or(|kept| ids.contains(kept.as_str())), "{entry:?}");
    }
    let line: BTreeSet<&str> = conversation.line.iter().map(String::as_str).collect();
    assert_eq!(line.len(), conversation.line.len(), "a prompt is on the line twice");
    assert!(line.is_subset(&prompts), "the line holds what is no prompt");
}
