//! What real clients have sent and written, and what it is taken for. With `TAKEBACK_RECORD=1` the files of what is
//! expected are written anew; then their difference is what is to be looked at.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use agents::{Conversation, Event, EventKind, NativeEntry, Target, translate};
use model::MessageKind;

use crate::fixture::{ALL, Fixture, Home};

/// How many prompts the recorded conversations of Claude Code have before their compaction.
const PROMPTS_COMPACTED: usize = 3;

#[test]
fn payloads_become_the_events_that_are_expected() {
    for fixture in ALL {
        let lines: String = fixture.events().iter().map(line_of_event).collect();
        expect(fixture, "events.txt", &lines);
    }
}

#[test]
fn records_become_the_conversations_that_are_expected() {
    for fixture in ALL {
        let home = Home::with(fixture, &fixture.files());
        let mut text = String::new();
        for native in fixture.conversations() {
            let conversation = home.read(&native).expect("a real client has written it");
            writeln!(text, "== {native}\n{}", text_of(&conversation)).expect("a text grows");
        }
        expect(fixture, "conversations.txt", &text);
    }
}

#[test]
fn the_kept_payload_of_an_event_is_what_was_sent() {
    for fixture in ALL {
        for payload in fixture.payloads() {
            assert_eq!(translate(fixture.agent, payload.as_bytes()).map(|event| event.raw), Ok(payload));
        }
    }
}

#[test]
fn every_entry_is_a_record_as_it_was_written() {
    for fixture in ALL.into_iter().filter(|fixture| fixture.agent != "opencode") {
        let files = fixture.files();
        let lines: BTreeSet<&[u8]> = files.values().flat_map(|file| file.split(|byte| *byte == b'\n')).collect();
        let home = Home::with(fixture, &files);
        for native in fixture.conversations() {
            let entries = home.read(&native).expect("a real client has written it").entries;
            assert!(entries.len() > 5 && entries.iter().all(|entry| lines.contains(entry.payload.as_slice())));
        }
    }
}

#[test]
fn hooks_and_records_name_the_same_prompts() {
    for fixture in ALL {
        let home = Home::with(fixture, &fixture.files());
        let conversations = fixture.conversations();
        let mut hooked: Vec<String> = Vec::new();
        for (at, native) in conversations.iter().enumerate() {
            let before = hooked.len();
            hooked.extend(fixture.events().iter().filter(|event| event.session == *native).filter_map(prompt_id));
            assert!(hooked.len() > before, "{fixture:?}");
            let line = home.read(native).expect("a real client has written it").line;
            // The second conversation is a fork of the first. Claude Code copies nothing from before a compaction.
            let is_short = at > 0 && fixture.agent == "claude-code";
            assert!(at == 0 || hooked.len() == before + 1, "{fixture:?}");
            assert_eq!(line, hooked[if is_short { PROMPTS_COMPACTED } else { 0 }..], "{fixture:?} {native}");
        }
    }
}

#[test]
fn what_begins_ends_and_nothing_begins_or_ends_twice() {
    for fixture in ALL {
        let events = fixture.events();
        let ids = |of: &dyn Fn(&Event) -> Option<String>| events.iter().filter_map(of).collect::<Vec<_>>();
        let calls = |is_end: bool| {
            let mut calls = ids(&|event| match &event.kind {
                EventKind::BeforeTool(call) if !is_end => call.tool.id.clone(),
                EventKind::AfterTool { call, .. } if is_end => call.tool.id.clone(),
                _ => None,
            });
            calls.sort();
            calls
        };
        let refused = usize::from(fixture.agent == "claude-code");
        assert_eq!(calls(false).len(), calls(true).len() + refused, "{fixture:?}");
        let once: BTreeSet<String> = calls(false).into_iter().collect();
        assert!(once.len() == calls(false).len() && calls(true).iter().all(|call| once.contains(call)), "{fixture:?}");
        let started = ids(&|event| match &event.kind {
            EventKind::SubagentStart { id, .. } => Some(id.clone()),
            _ => None,
        });
        let stopped = ids(&|event| match &event.kind {
            EventKind::SubagentStop { id } => Some(id.clone()),
            _ => None,
        });
        assert_eq!(started, stopped, "{fixture:?}");
        assert_eq!(started.len(), usize::from(fixture.agent != "codex"), "{fixture:?}");
    }
}

#[test]
fn a_recorded_conversation_can_be_cut_before_and_forked_after_every_prompt() {
    for fixture in ALL {
        let native = fixture.conversations().remove(0);
        let home = Home::with(fixture, &fixture.files());
        let line = home.read(&native).expect("a real client has written it").line;
        assert!(line.len() >= 6, "{fixture:?}");
        for (at, prompt) in line.iter().enumerate() {
            let before = moved(fixture, &native, &Target::Before { prompt: prompt.clone() });
            assert_eq!(before, line[..at], "{fixture:?}");
            let fork = moved(fixture, &native, &Target::Fork { prompt: Some(prompt.clone()) });
            assert_eq!(fork, line[..=at], "{fixture:?}");
        }
    }
}

/// The prompts of a conversation after it was moved to a target. What was made for that goes without a trace.
fn moved(fixture: Fixture, native: &str, target: &Target) -> Vec<String> {
    let home = Home::with(fixture, &fixture.files());
    let (driver, seat, before) = (fixture.driver(), home.seat(native), home.look());
    let discarded = driver.prepare(&seat, target).expect("it can be made ready");
    driver.discard(&seat, &discarded);
    assert!(home.look() == before, "{fixture:?} {target:?}: something was left behind");
    let lever = driver.prepare(&seat, target).expect("it can be made ready again");
    driver.activate(&seat, &lever).expect("it can be pulled");
    home.read(&lever.native).expect("it can be read where it stands now").line
}

fn prompt_id(event: &Event) -> Option<String> {
    match &event.kind {
        EventKind::Prompt { id, .. } => id.clone(),
        _ => None,
    }
}

fn line_of_event(event: &Event) -> String {
    let known = |what: &Option<String>| what.clone().unwrap_or_else(|| "-".to_owned());
    let cwd = event.cwd.as_deref().unwrap_or("-");
    let (turn, agent) = (known(&event.turn_id), known(&event.agent_id));
    format!("{} session {} turn {turn} agent {agent} in {cwd}\n    {:?}\n", event.name, event.session, event.kind)
}

fn text_of(conversation: &Conversation) -> String {
    let Conversation { entries, line, version, left_out } = conversation;
    let entries: String = entries.iter().map(line_of_entry).collect();
    format!("{entries}line: {line:#?}\nversion: {version:?}\nleft out: {left_out:?}\n")
}

fn line_of_entry(entry: &NativeEntry) -> String {
    let NativeEntry { id, prompt, prompt_before, role, kind, payload, keeps_from } = entry;
    let mut line = format!("{kind:?} {id} by {role}, {} bytes", payload.len());
    if *kind == MessageKind::Prompt {
        line += &format!(", after {prompt_before:?}");
    }
    format!("{line}, of {prompt:?}{}\n", keeps_from.as_ref().map(|id| format!(", keeps from {id}")).unwrap_or_default())
}

/// Checks a text against the file of what is expected.
fn expect(fixture: Fixture, name: &str, text: &str) {
    let path = fixture.folder().join("expected").join(name);
    if std::env::var("TAKEBACK_RECORD").is_ok_and(|record| record == "1") {
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a folder can be made");
        fs::write(&path, text).expect("a file can be written");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    let differing = expected.lines().zip(text.lines()).find(|(one, other)| one != other);
    assert!(expected == text, "{} is not what comes out now; first: {differing:#?}", path.display());
}
