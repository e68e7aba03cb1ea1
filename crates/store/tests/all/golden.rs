//! The golden folder of every format: a store as that format's version wrote it, which every later version must read to
//! the same rows and bytes.
//!
//! With `TAKEBACK_WRITE_GOLDEN=1` the test writes the folder of the present format anew, for the change that
//! introduces it.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use model::{
    Act, Cause, Contents as _, Coverage, Entry, EntryKind, Evidence, Gap, HeadKind, Index, Known, MessageKind, Mode,
    Move, OperationId, Reason, Scope, Seq, SessionId, SpecialKind, Stamp, StepId, TurnId, TurnStatus, Verb,
    WorkspacePath, WriteStep,
};
use rusqlite::Connection;
use store::{
    Activation, ActivationState, Durability, Event, NativeTalk, NewCheckpoint, NewHead, NewOperation, NewSession,
    NewStep, NewTalkEntry, NewTransition, NewTurn, OperationEnd, OperationState, Reader, Spawns, StepExit, Store,
    Subagent, Window, WindowState, Writer,
};

use tempfile::TempDir;

use crate::world::{file, name, path, put, transition};

/// The format that this version writes.
const PRESENT: u32 = 5;

fn golden(format: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/format-{format}"))
}

/// What a store consists of when nobody has it open.
const FILES: [&str; 2] = ["takeback.db", "packs/00000001.pack"];

/// A store of an older or the present format in a folder of its own.
fn of_format(format: u32) -> (TempDir, Store) {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join("packs")).unwrap();
    FILES.iter().for_each(|file| _ = fs::copy(golden(format).join(file), home.path().join(file)).unwrap());
    let store = Store::open(home.path(), b"/elsewhere").unwrap();
    (home, store)
}

fn reads_back(format: u32) {
    let (_home, store) = of_format(format);
    let expected = fs::read_to_string(golden(format).join("expected.txt")).unwrap();
    assert_eq!(told(&store), expected);
    assert_eq!(store.verify(&mut |_| {}).unwrap().damages, []);
}

fn can_be_written_to(format: u32) {
    let (home, store) = of_format(format);
    let last = store.read().unwrap().last_seq().unwrap();
    let hash = crate::world::record(&store, "new", b"new");
    assert!(store.read().unwrap().last_seq().unwrap() > last);
    assert_eq!(store.contents().read(&hash).as_deref(), Some(&b"new"[..]));
    assert_eq!(format_in_file(home.path()), PRESENT);
}

/// The format that the header of the database file says.
fn format_in_file(folder: &Path) -> u32 {
    u32::from_be_bytes(fs::read(folder.join("takeback.db")).unwrap()[60..64].try_into().unwrap())
}

#[test]
fn a_store_of_format_1_reads_back_to_the_same_rows_and_bytes() {
    reads_back(1);
}

#[test]
fn a_store_of_format_1_can_be_written_to() {
    can_be_written_to(1);
}

#[test]
fn a_store_of_format_2_reads_back_to_the_same_rows_and_bytes() {
    reads_back(2);
}

#[test]
fn a_store_of_format_2_can_be_written_to() {
    can_be_written_to(2);
}

#[test]
fn a_store_of_format_3_reads_back_to_the_same_rows_and_bytes() {
    reads_back(3);
}

#[test]
fn a_store_of_format_3_can_be_written_to() {
    can_be_written_to(3);
}

#[test]
fn a_store_of_format_4_reads_back_to_the_same_rows_and_bytes() {
    reads_back(4);
}

#[test]
fn a_store_of_format_4_can_be_written_to() {
    can_be_written_to(4);
}

#[test]
fn a_store_of_format_5_reads_back_to_the_same_rows_and_bytes() {
    if std::env::var_os("TAKEBACK_WRITE_GOLDEN").is_some() {
        write_golden();
    }
    reads_back(5);
}

#[test]
fn a_store_of_format_5_can_be_written_to() {
    can_be_written_to(5);
}

fn write_golden() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("state");
    let store = Store::open(&folder, b"/workspace/\xff").unwrap();
    let intake = store.intake();
    contents().iter().for_each(|bytes| put(&intake, bytes));
    let mut writer = store.write("writing the golden folder", Durability::Full).unwrap();
    writer.adopt(&intake).unwrap();
    fill(&mut writer);
    writer.commit().unwrap();
    drop(intake);
    let told = told(&store);
    drop(store);
    let database = Connection::open(folder.join("takeback.db")).unwrap();
    database.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(database);
    fs::create_dir_all(golden(PRESENT).join("packs")).unwrap();
    FILES.iter().for_each(|file| _ = fs::copy(folder.join(file), golden(PRESENT).join(file)).unwrap());
    fs::write(golden(PRESENT).join("expected.txt"), told).unwrap();
}

fn contents() -> [Vec<u8>; 4] {
    [Vec::new(), b"fn main() {}\n".to_vec(), b"again ".repeat(2_000), crate::world::noise(1, 3_000)]
}

/// One of everything.
fn fill(writer: &mut Writer<'_>) {
    let new = NewSession {
        agent: "generic".to_owned(),
        native: "abc".to_owned(),
        parent: None,
        forked_at: None,
        cwd: b"/workspace/\xff".to_vec(),
        started_ns: 1,
    };
    let parent = writer.add_session(&new).unwrap();
    let checkpoint =
        NewCheckpoint { at_ns: 2, event: "UserPromptSubmit".to_owned(), session: Some(parent), turn: None, step: None };
    let opened_at = writer.add_checkpoint(&checkpoint).unwrap();
    let prompt = |text: &str| Some(text.to_owned());
    let new_turn = NewTurn {
        session: parent,
        prompt_id: prompt("p1"),
        prompt: prompt("add the parser"),
        started_ns: 3,
        opened_at,
    };
    let turn = writer.add_turn(&new_turn).unwrap();
    let fork = NewSession { native: "def".to_owned(), parent: Some(parent), forked_at: Some(turn), ..new };
    let fork = writer.add_session(&fork).unwrap();
    writer.add_native(fork, "ghi").unwrap();
    writer.end_session(fork, 9).unwrap();
    writer.set_session_process(fork, Some(disk::Process { pid: 12, started_ticks: 345 })).unwrap();
    let step = NewStep {
        session: parent,
        agent_id: prompt("explorer"),
        tool: "Bash".to_owned(),
        use_id: prompt("u1"),
        summary: "make".to_owned(),
        command: prompt("make all"),
        reads: vec![path("src"), path("caf\u{e9}")],
        started_ns: 4,
    };
    let one = writer.add_step(turn, &step).unwrap();
    let two = writer
        .add_step(turn, &NewStep { agent_id: None, use_id: None, command: None, reads: Vec::new(), ..step })
        .unwrap();
    writer.end_step(one, 5, StepExit::Ok).unwrap();
    fill_windows(writer, one, two);
    let after =
        NewCheckpoint { at_ns: 6, event: "PostToolUse".to_owned(), turn: Some(turn), step: Some(one), ..checkpoint };
    let closed_at = writer.add_checkpoint(&after).unwrap();
    fill_ledger(writer, closed_at, [one, two]);
    writer.name_checkpoint(closed_at, Some("good")).unwrap();
    writer.close_turn(turn, TurnStatus::Completed, 7, closed_at).unwrap();
    writer.set_turn_coverage(turn, Coverage::Partial).unwrap();
    fill_index(writer);
    fill_talk(writer, turn);
    writer.add_gap(Some(turn), Some(one), closed_at, &Gap { path: path("target"), reason: Reason::Derived }).unwrap();
    writer
        .add_event(&Event { at_ns: 8, session: Some(parent), name: "Stop".to_owned(), text: "{}".to_owned() })
        .unwrap();
    writer.put_setting("mode", Some(b"whole")).unwrap();
    writer.put_repository(&WorkspacePath::root(), Some("refs/heads/main 1234")).unwrap();
    writer.pin_content(&name(&contents()[3]), "op1").unwrap();
    fill_agents(writer, parent, fork);
}

fn fill_agents(writer: &mut Writer<'_>, parent: SessionId, fork: SessionId) {
    let head = writer.selected_head(parent).unwrap().map(|head| head.id);
    let talk = NativeTalk {
        agent: "generic".to_owned(),
        native: "abc".to_owned(),
        session: parent,
        transcript: Some(b"/home/\xff.jsonl".to_vec()),
        version: Some("2.1".to_owned()),
        head,
        tip_prompt: Some("p1".to_owned()),
        read_bytes: 4_096,
        is_readable: true,
    };
    writer.put_native_talk(&talk).unwrap();
    let left = NativeTalk { native: "left".to_owned(), transcript: None, head: None, is_readable: false, ..talk };
    writer.put_native_talk(&left).unwrap();
    let activation = Activation {
        operation: OperationId(1),
        session: parent,
        agent: "generic".to_owned(),
        lever: b"{\xff}".to_vec(),
        resume: Some("agent --resume abc".to_owned()),
        state: ActivationState::Intended,
        trouble: None,
        made_ns: 10,
    };
    writer.add_activation(&activation).unwrap();
    writer.set_activation(OperationId(1), ActivationState::Failed, Some("not there")).unwrap();
    writer.add_note(parent, None, "told", 11).unwrap();
    writer.tell_notes(parent, 12).unwrap();
    writer.add_note(parent, Some(OperationId(1)), "untold", 13).unwrap();
    writer.remove_session(fork, 14).unwrap();
}

fn fill_windows(writer: &mut Writer<'_>, one: StepId, two: StepId) {
    let session = writer.step(one).unwrap().unwrap().session;
    let window = Window {
        step: one,
        session,
        agent_id: Some("explorer".to_owned()),
        state: WindowState::Background,
        claims: vec![path("src/a.rs"), path("b")],
        spawns: Spawns::Nothing,
        asked_permission: true,
        opened_ns: 4,
    };
    writer.open_window(&window).unwrap();
    let second = Window {
        step: two,
        agent_id: None,
        spawns: Spawns::Subagents,
        claims: vec![],
        asked_permission: false,
        ..window
    };
    writer.open_window(&second).unwrap();
    let subagent = Subagent {
        session,
        agent_id: "explorer".to_owned(),
        parent_agent: Some("planner".to_owned()),
        turn: one.turn,
        dispatch: Some(one),
        started_ns: 4,
        stopped_ns: Some(6),
    };
    writer.add_subagent(&subagent).unwrap();
}

fn fill_ledger(writer: &mut Writer<'_>, at: model::CheckpointId, steps: [StepId; 2]) {
    let entries = entries();
    for (n, pair) in entries.windows(2).enumerate() {
        writer.add_transition(&transition(at, &format!("f{n}"), pair[0].clone(), pair[1].clone())).unwrap();
    }
    let new = transition(at, "moved", Entry::Absent, entries[1].clone());
    let contested = Cause::Contested { steps: steps.to_vec(), or_outside: true };
    let new_operation = NewOperation {
        session: None,
        verb: Verb::Undo,
        scope: Scope::Files,
        turns: vec![steps[0].turn],
        rescue: at,
        started_ns: 8,
        redoes: vec![],
        brings: vec![],
    };
    let operation = writer.add_operation(&new_operation).unwrap();
    let second =
        NewOperation { verb: Verb::Redo, redoes: vec![operation], brings: vec![steps[0].turn], ..new_operation };
    let redo = writer.add_operation(&second).unwrap();
    let more = [
        NewTransition {
            moved: Some(Move::From(path("f1"))),
            cause: Cause::Step(steps[0]),
            evidence: Evidence::Window,
            ..new.clone()
        },
        NewTransition {
            moved: Some(Move::To(path("moved"))),
            cause: contested,
            evidence: Evidence::Contested,
            ..new.clone()
        },
        NewTransition { cause: Cause::Operation(operation), evidence: Evidence::Late, ..new },
    ];
    let seqs = writer.add_transitions(&more).unwrap();
    writer.add_reversal(seqs[2], seqs[0]).unwrap();
    let end =
        OperationEnd { state: OperationState::Committed, closing: Some(at), ended_ns: 9, report: "{}".to_owned() };
    writer.end_operation(operation, &end).unwrap();
    writer.mark_redone(operation, redo).unwrap();
    writer.put_journal(redo, &acts(&entries)).unwrap();
}

fn fill_talk(writer: &mut Writer<'_>, turn: TurnId) {
    let session = writer.turn(turn).unwrap().unwrap().session;
    let mut said = Vec::new();
    for (kind, native) in MessageKind::ALL.into_iter().zip(["e1", "e2", "e3", "e4", "e5"]) {
        let new = NewTalkEntry {
            session,
            native,
            parent: said.last().copied(),
            turn: (kind == MessageKind::Prompt).then_some(turn),
            role: "user",
            kind,
            payload: b"{\"text\":\"\xff\"}",
            keeps_from: (kind == MessageKind::Compaction).then(|| said[1]),
        };
        said.push(writer.add_talk_entry(&new).unwrap());
    }
    let mut parent = None;
    for kind in HeadKind::ALL {
        let operation = (kind == HeadKind::Rewind).then_some(OperationId(1));
        let boundary = Some(said[2]);
        let head = writer.add_head(&NewHead { session, kind, parent, boundary, operation, made_ns: 9 }).unwrap();
        parent = Some(head);
        if kind == HeadKind::Main {
            writer.set_tip(head, said[4]).unwrap();
            writer.absorb_head(head).unwrap();
        }
        writer.select_head(session, head).unwrap();
    }
}

fn entries() -> [Entry; 6] {
    [
        Entry::Absent,
        file(&contents()[1]),
        Entry::Link { target: b"../\xff".to_vec() },
        Entry::Dir { mode: Mode::new(0o1755) },
        Entry::Special { kind: SpecialKind::Socket },
        Entry::Uncovered { kind: EntryKind::File, reason: Reason::TooLarge },
    ]
}

fn acts(entries: &[Entry; 6]) -> Vec<WriteStep> {
    let [absent, file, link, ..] = entries.clone();
    let staged = b".takeback-op2-1".to_vec();
    let (before, after) = (Mode::new(0o555), Mode::new(0o755));
    let acts = [
        Act::Lift { before, lifted: after },
        Act::Remove { before: link.clone(), aside: path(".takeback-op2-0") },
        Act::RemoveDir { mode: before },
        Act::MakeDir,
        Act::MoveFrom { from: path("f1"), before: absent },
        Act::Create { after: link.clone(), staged: staged.clone(), linked_to: None },
        Act::Replace { before: file, after: link, staged, linked_to: Some(path("other")) },
        Act::SetMode { before, after },
    ];
    acts.into_iter().map(|act| WriteStep { path: path("src/a.rs"), act }).collect()
}

fn fill_index(writer: &mut Writer<'_>) {
    let mut index = Index::default();
    for (n, entry) in entries().into_iter().skip(1).enumerate() {
        let n = n as u64;
        let stamp = Stamp {
            device: 64,
            inode: 1000 + n * n,
            links: 1,
            size_bytes: 13,
            modified_ns: 1_764_000_000_123_456_789,
            changed_ns: 1_764_000_000_123_456_999,
            born_ns: 0,
            looked_ns: 1_764_000_001_000_000_000 + n.cast_signed(),
        };
        index.set(&path(&format!("n{n}")), Some(Known { entry: entry.clone(), stamp }));
        index.set(&path(&format!("sub/n{n}")), Some(Known { entry, stamp: Stamp::UNKNOWN }));
    }
    let version = writer.latest_checkpoint().unwrap().unwrap().id;
    for folder in [WorkspacePath::root(), path("sub")] {
        writer.put_folder(&folder, index.folder(&folder).unwrap(), version).unwrap();
    }
}

/// Everything a store tells, as text.
fn told(store: &Store) -> String {
    let reader = store.read().unwrap();
    let mut text = format!("root {}\n", store.root().escape_ascii());
    tell_rows(&reader, &mut text);
    for bytes in contents() {
        let read = store.contents().read(&name(&bytes));
        writeln!(text, "content {} is {} bytes, whole: {}", name(&bytes), bytes.len(), read == Some(bytes)).unwrap();
    }
    text
}

fn tell_rows(reader: &Reader<'_>, text: &mut String) {
    for session in reader.sessions().unwrap() {
        tell(text, "natives", reader.natives_of(session.id).unwrap());
        tell(text, "subagent", reader.subagents_of(session.id).unwrap());
        for turn in reader.turns_of(session.id).unwrap() {
            tell(text, "step", reader.steps_of(turn.id).unwrap());
            tell(text, "gap", reader.gaps_of_turn(turn.id).unwrap());
            tell(text, "turn", [turn]);
        }
        tell_talk(reader, session.id, text);
        tell(text, "session", [session]);
    }
    tell(text, "window", reader.open_windows().unwrap());
    tell(text, "checkpoint", reader.checkpoints(100).unwrap());
    tell(text, "transition", reader.transitions_since(Seq(0)).unwrap());
    tell(text, "reversal", reader.reversals_upon(&[Seq(6)]).unwrap());
    for operation in reader.operations().unwrap() {
        tell(text, "journal", reader.journal(operation.id).unwrap());
        tell(text, "operation", [operation]);
    }
    for folder in [WorkspacePath::root(), path("sub")] {
        tell(text, "known", reader.folder(&folder).unwrap().children);
    }
    tell(text, "event", reader.events(10).unwrap());
    tell(text, "setting", reader.setting("mode").unwrap());
    tell(text, "repository", reader.repositories().unwrap());
    tell(text, "pinned", reader.pinned_content().unwrap());
}

fn tell_talk(reader: &Reader<'_>, session: SessionId, text: &mut String) {
    let heads = reader.heads_of(session).unwrap();
    for entry in reader.talk_chain(heads.first().and_then(|head| head.tip)).unwrap() {
        tell(text, "payload", reader.talk_payload(entry.place).unwrap());
        tell(text, "entry", [entry]);
    }
    tell(text, "head", heads);
    tell(text, "selected", reader.selected_head(session).unwrap().map(|head| head.id));
    tell(text, "native talk", reader.native_talks_of(session).unwrap());
    tell(text, "activation", reader.activations_in(session, ActivationState::Failed).unwrap());
    tell(text, "untold", reader.untold_notes(session).unwrap());
}

fn tell(text: &mut String, what: &str, rows: impl IntoIterator<Item = impl std::fmt::Debug>) {
    for row in rows {
        writeln!(text, "{what} {row:?}").unwrap();
    }
}
