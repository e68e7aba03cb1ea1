//! Sessions, turns, steps, windows and the rest: what is written is what is read.

use model::{
    Act, Coverage, Entry, Gap, Index, Known, KnownFolder, Mode, OperationId, Reason, Scope, SessionId, Stamp, StepId,
    TurnId, TurnStatus, Verb, WorkspacePath, WriteStep,
};
use store::{
    Durability, Event, NewCheckpoint, NewOperation, NewSession, NewStep, NewTurn, OperationEnd, OperationState,
    Repository, Spawns, StepExit, Subagent, Window, WindowState, Writer,
};

use crate::world::{World, checkpoint, file, path};

fn session(native: &str) -> NewSession {
    NewSession {
        agent: "generic".to_owned(),
        native: native.to_owned(),
        parent: None,
        forked_at: None,
        cwd: b"/workspace/\xff".to_vec(),
        started_ns: 10,
    }
}

fn step(session: SessionId, use_id: &str) -> NewStep {
    NewStep {
        session,
        agent_id: Some("explorer".to_owned()),
        tool: "Bash".to_owned(),
        use_id: Some(use_id.to_owned()),
        summary: "make".to_owned(),
        command: Some("make all".to_owned()),
        reads: Vec::new(),
        started_ns: 30,
    }
}

fn open_turn(writer: &mut Writer<'_>, session: SessionId, prompt_id: &str) -> TurnId {
    let opened_at = writer.add_checkpoint(&checkpoint()).unwrap();
    let prompt = Some("do it".to_owned());
    let turn = NewTurn { session, prompt_id: Some(prompt_id.to_owned()), prompt, started_ns: 20, opened_at };
    writer.add_turn(&turn).unwrap()
}

#[test]
fn a_session_is_found_by_every_id_its_agent_gave_it() {
    let world = World::new();
    world.change(|writer| {
        let first = writer.add_session(&session("one")).unwrap();
        let fork = NewSession { parent: Some(first), forked_at: Some(TurnId(4)), ..session("fork") };
        let second = writer.add_session(&fork).unwrap();
        assert!(writer.add_session(&session("one")).is_err());
        writer.reopen_session(first).unwrap();
        writer.add_native(first, "uno").unwrap();
        writer.touch_session(first, 99).unwrap();
        writer.touch_session(first, 50).unwrap();
        writer.end_session(second, 60).unwrap();
    });
    let reader = world.store.read().unwrap();
    let [first, second] = &reader.sessions().unwrap()[..] else { panic!("two sessions") };
    assert_eq!((first.native.as_str(), first.active_ns, first.cwd.as_slice()), ("uno", 99, &b"/workspace/\xff"[..]));
    assert_eq!((second.parent, second.forked_at, second.ended_ns), (Some(first.id), Some(TurnId(4)), Some(60)));
    for native in ["one", "uno"] {
        assert_eq!(reader.session_by_native("generic", native).unwrap().as_ref(), Some(first));
    }
    assert_eq!(reader.natives_of(first.id).unwrap(), ["one", "uno"]);
    assert_eq!(reader.session_by_native("codex", "one").unwrap(), None);
    assert_eq!(reader.newest_session().unwrap().as_ref(), Some(first));
    assert_eq!(reader.session(SessionId(u64::MAX)).unwrap(), None);
}

#[test]
fn a_turn_is_opened_closed_and_opened_again() {
    let world = World::new();
    let (id, other) = world.change(|writer| {
        let session = writer.add_session(&session("one")).unwrap();
        let id = open_turn(writer, session, "p1");
        let other = open_turn(writer, session, "p2");
        let closed_at = writer.add_checkpoint(&checkpoint()).unwrap();
        writer.close_turn(other, TurnStatus::Interrupted, 25, closed_at).unwrap();
        writer.set_turn_coverage(other, Coverage::Partial).unwrap();
        (id, other)
    });
    let session = SessionId(1);
    {
        let reader = world.store.read().unwrap();
        assert_eq!(reader.open_turn(session).unwrap().map(|turn| turn.id), Some(id));
        assert_eq!(reader.newest_turn(session).unwrap().map(|turn| turn.id), Some(other));
        let turn = reader.turn_by_prompt(session, "p2").unwrap().unwrap();
        assert_eq!((turn.status, turn.coverage, turn.ended_ns), (TurnStatus::Interrupted, Coverage::Partial, Some(25)));
        assert_eq!((turn.prompt.as_deref(), turn.closed_at.is_some()), (Some("do it"), true));
        assert_eq!(reader.turns_of(session).unwrap().len(), 2);
        assert_eq!(reader.turns_from(other).unwrap(), [turn]);
    }
    world.change(|writer| {
        writer.reopen_turn(other).unwrap();
        writer.set_turn_prompt(other, None, Some("another")).unwrap();
    });
    let turn = world.store.read().unwrap().turn(other).unwrap().unwrap();
    assert_eq!((turn.status, turn.ended_ns, turn.closed_at), (TurnStatus::Open, None, None));
    assert_eq!((turn.prompt_id, turn.prompt.as_deref()), (None, Some("another")));
}

#[test]
fn ids_of_what_was_removed_are_never_given_again() {
    let world = World::new();
    world.change(|writer| {
        let session = writer.add_session(&session("one")).unwrap();
        let turn = open_turn(writer, session, "p1");
        let first = writer.add_step(turn, &step(session, "u1")).unwrap();
        let second = writer.add_step(turn, &step(session, "u2")).unwrap();
        writer.remove_step(second).unwrap();
        let third = writer.add_step(turn, &step(session, "u3")).unwrap();
        assert_eq!((first.number, second.number, third.number), (1, 2, 3));
        writer.remove_turn(turn).unwrap();
        assert!(open_turn(writer, session, "p2") > turn);
        assert_eq!(writer.steps_of(turn).unwrap(), []);
        assert!(writer.add_step(turn, &step(session, "u4")).is_err(), "there is no such turn any more");
    });
}

#[test]
fn a_step_is_found_by_its_turn_and_by_the_agents_own_id() {
    let world = World::new();
    world.change(|writer| {
        let session = writer.add_session(&session("one")).unwrap();
        let turn = open_turn(writer, session, "p1");
        let id = writer.add_step(turn, &step(session, "u1")).unwrap();
        assert_eq!(writer.step(id).unwrap().unwrap().exit, StepExit::Unknown);
        writer.end_step(id, 44, StepExit::Failed).unwrap();
        let found = writer.step_by_use(session, "u1").unwrap().unwrap();
        assert_eq!((found.id, found.exit, found.ended_ns), (id, StepExit::Failed, Some(44)));
        assert_eq!((found.agent_id.as_deref(), found.command.as_deref()), (Some("explorer"), Some("make all")));
        assert_eq!(writer.steps_of(turn).unwrap(), [found]);
        assert_eq!(writer.step_by_use(session, "u2").unwrap(), None);
    });
}

#[test]
fn only_windows_that_are_not_closed_are_open() {
    let world = World::new();
    let window = |number, session: u64| Window {
        step: StepId { turn: TurnId(1), number },
        session: SessionId(session),
        agent_id: None,
        state: WindowState::Open,
        claims: vec![path("a/b"), path("c")],
        spawns: Spawns::Subagents,
        asked_permission: false,
        opened_ns: 5,
    };
    world.change(|writer| {
        (1..=3).for_each(|n| writer.open_window(&window(n, u64::from(n))).unwrap());
        writer.set_window_state(window(2, 2).step, WindowState::Closed).unwrap();
        writer.set_window_state(window(3, 3).step, WindowState::Background).unwrap();
        writer.mark_permission(window(1, 1).step).unwrap();
    });
    let reader = world.store.read().unwrap();
    let first = Window { asked_permission: true, ..window(1, 1) };
    let third = Window { state: WindowState::Background, ..window(3, 3) };
    assert_eq!(reader.open_windows().unwrap(), [first, third]);
    assert_eq!(reader.window(window(2, 2).step).unwrap().unwrap().state, WindowState::Closed);
}

#[test]
fn subagents_are_told_apart_by_session_and_id() {
    let world = World::new();
    let one = Subagent {
        session: SessionId(1),
        agent_id: "a".to_owned(),
        parent_agent: Some("b".to_owned()),
        turn: TurnId(2),
        dispatch: Some(StepId { turn: TurnId(2), number: 4 }),
        started_ns: 3,
        stopped_ns: None,
    };
    world.change(|writer| {
        writer.add_subagent(&one).unwrap();
        writer.add_subagent(&Subagent { session: SessionId(2), ..one.clone() }).unwrap();
        writer.stop_subagent(SessionId(2), "a", 9).unwrap();
    });
    let reader = world.store.read().unwrap();
    assert_eq!(reader.subagent(SessionId(1), "a").unwrap(), Some(one));
    assert_eq!(reader.subagents_of(SessionId(2)).unwrap()[0].stopped_ns, Some(9));
    assert_eq!(reader.subagent(SessionId(1), "b").unwrap(), None);
}

#[test]
fn a_checkpoint_has_one_name_and_a_name_one_checkpoint() {
    let world = World::new();
    world.change(|writer| {
        let step = Some(StepId { turn: TurnId(4), number: 2 });
        let new = NewCheckpoint { session: Some(SessionId(3)), turn: Some(TurnId(4)), step, ..checkpoint() };
        let one = writer.add_checkpoint(&new).unwrap();
        let two = writer.add_checkpoint(&checkpoint()).unwrap();
        assert_eq!(writer.checkpoint(one).unwrap().unwrap().step, step);
        writer.name_checkpoint(one, Some("good")).unwrap();
        writer.name_checkpoint(two, Some("good")).unwrap();
        assert_eq!(writer.checkpoint_by_name("good").unwrap().unwrap().id, two);
        assert_eq!(writer.checkpoint(one).unwrap().unwrap().name, None);
        assert_eq!(writer.named_checkpoints().unwrap().len(), 1);
        writer.name_checkpoint(two, None).unwrap();
        assert_eq!(writer.checkpoint_by_name("good").unwrap(), None);
        assert!(writer.name_checkpoint(model::CheckpointId(99), Some("x")).is_err());
        let ids = |checkpoints: Vec<store::Checkpoint>| checkpoints.iter().map(|c| c.id).collect::<Vec<_>>();
        assert_eq!(ids(writer.checkpoints(10).unwrap()), [two, one]);
        assert_eq!(writer.latest_checkpoint().unwrap().unwrap().id, two);
    });
}

#[test]
fn an_operation_goes_from_open_to_its_end() {
    let world = World::new();
    let new = NewOperation {
        session: Some(SessionId(1)),
        verb: Verb::Undo,
        scope: Scope::Both,
        turns: vec![TurnId(4), TurnId(300)],
        rescue: model::CheckpointId(8),
        started_ns: 1,
        redoes: vec![OperationId(77)],
        brings: vec![TurnId(5)],
    };
    world.change(|writer| {
        let one = writer.add_operation(&new).unwrap();
        let two = writer.add_operation(&new).unwrap();
        let three = writer.add_operation(&NewOperation { session: None, ..new.clone() }).unwrap();
        let end = OperationEnd {
            state: OperationState::Committed,
            closing: Some(model::CheckpointId(9)),
            ended_ns: 5,
            report: "{}".to_owned(),
        };
        writer.end_operation(one, &end).unwrap();
        writer.set_operation_state(two, OperationState::Stuck).unwrap();
        writer.mark_redone(one, three).unwrap();
        let open: Vec<_> = writer.open_operations().unwrap().iter().map(|operation| operation.id).collect();
        assert_eq!(open, [two, three]);
        let done = writer.operation(one).unwrap().unwrap();
        assert_eq!((done.state, done.closing, done.ended_ns), (end.state, end.closing, Some(5)));
        assert_eq!((done.redone_by, &done.redoes, &done.turns), (Some(three), &new.redoes, &new.turns));
        assert_eq!(done.brings, new.brings);
        assert_eq!(writer.operations_of(SessionId(1)).unwrap().len(), 2);
        assert_eq!(writer.operations().unwrap().len(), 3);
        writer.put_journal(two, &[WriteStep { path: path("a"), act: Act::MakeDir }]).unwrap();
        assert_eq!(writer.journalled_operations().unwrap(), [writer.operation(two).unwrap().unwrap()]);
    });
}

#[test]
fn a_journal_is_read_back_in_order_and_dropped_whole() {
    let world = World::new();
    let steps: Vec<WriteStep> = (0..300)
        .map(|n| {
            let act = Act::Replace {
                before: file(b"old"),
                after: file(b"new"),
                staged: format!(".takeback-{n}").into_bytes(),
                linked_to: (n == 7).then(|| path("other")),
            };
            WriteStep { path: path(&format!("f{n}")), act }
        })
        .collect();
    world.change(|writer| {
        writer.put_journal(OperationId(1), &steps).unwrap();
        writer.put_journal(OperationId(2), &steps[..2]).unwrap();
        writer.put_journal(OperationId(2), &steps[2..4]).unwrap();
    });
    let journal = |id| world.store.read().unwrap().journal(OperationId(id)).unwrap();
    assert_eq!(journal(1), steps);
    assert_eq!(journal(2), steps[2..4]);
    world.change(|writer| writer.drop_journal(OperationId(1)).unwrap());
    assert_eq!((journal(1).len(), journal(2).len()), (0, 2));
    assert_eq!(world.store.read().unwrap().journalled_operations().unwrap(), [], "there is no operation 2");
}

#[test]
fn gaps_belong_to_turns_steps_and_checkpoints() {
    let world = World::new();
    let gap = |at, reason| Gap { path: path(at), reason };
    let step = StepId { turn: TurnId(1), number: 2 };
    world.change(|writer| {
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        writer.add_gap(None, Some(step), at, &gap("target", Reason::Derived)).unwrap();
        writer.add_gap(Some(TurnId(1)), None, at, &gap("big", Reason::TooLarge)).unwrap();
        writer.add_gap(Some(TurnId(1)), None, at, &gap("big", Reason::TooLarge)).unwrap();
        writer.add_gap(None, None, at, &gap("socket", Reason::Special)).unwrap();
        let both = [gap("big", Reason::TooLarge), gap("target", Reason::Derived)];
        assert_eq!(writer.gaps_of_turn(TurnId(1)).unwrap(), both);
        assert_eq!(writer.gaps_of_step(step).unwrap(), both[1..]);
        assert_eq!(writer.gaps_at(at).unwrap().len(), 3);
    });
}

#[test]
fn the_index_is_read_back_as_it_was_put_folder_by_folder() {
    let world = World::new();
    let known = |n: u64| Known { entry: file(&[n as u8]), stamp: Stamp { inode: n, ..Stamp::UNKNOWN } };
    let mut index = Index::default();
    index.set(&path("a"), Some(Known { entry: Entry::Dir { mode: Mode::FOLDER }, stamp: Stamp::UNKNOWN }));
    (0..300).for_each(|n| index.set(&path(&format!("a/{n}")), Some(known(n))));
    world.change(|writer| {
        let one = writer.add_checkpoint(&checkpoint()).unwrap();
        let two = writer.add_checkpoint(&checkpoint()).unwrap();
        for (folder, at) in [(WorkspacePath::root(), one), (path("a"), two)] {
            writer.put_folder(&folder, index.folder(&folder).unwrap(), at).unwrap();
        }
        let changed = writer.folders_changed_since(one).unwrap();
        assert_eq!(changed, [(path("a"), index.folder(&path("a")).unwrap().clone())]);
        assert_eq!(writer.folder_version(&path("a")).unwrap(), Some(two));
    });
    assert_eq!(world.store.read().unwrap().index().unwrap(), index);
    world.change(|writer| {
        let two = writer.folder_version(&path("a")).unwrap().unwrap();
        let at = writer.add_checkpoint(&checkpoint()).unwrap();
        writer.put_folder(&path("a"), &KnownFolder::default(), at).unwrap();
        assert_eq!(writer.folder(&path("a")).unwrap(), KnownFolder::default());
        assert_eq!(writer.folders_changed_since(two).unwrap(), [(path("a"), KnownFolder::default())]);
    });
    assert_eq!(world.store.read().unwrap().index().unwrap().len(), 1);
}

#[test]
fn settings_and_repositories_are_replaced_and_removed() {
    let world = World::new();
    world.change(|writer| {
        writer.put_setting("mode", Some(b"one")).unwrap();
        writer.put_setting("mode", Some(b"two")).unwrap();
        assert_eq!(writer.setting("mode").unwrap().as_deref(), Some(&b"two"[..]));
        writer.put_setting("mode", None).unwrap();
        assert_eq!(writer.setting("mode").unwrap(), None);
        writer.put_repository(&path("sub"), Some("abc")).unwrap();
        writer.put_repository(&WorkspacePath::root(), Some("def")).unwrap();
        writer.put_repository(&path("sub"), Some("fed")).unwrap();
        let [root, sub] = &writer.repositories().unwrap()[..] else { panic!("two repositories") };
        assert_eq!(root, &Repository { folder: WorkspacePath::root(), head: "def".to_owned() });
        assert_eq!(sub.head, "fed");
        writer.put_repository(&path("sub"), None).unwrap();
        assert_eq!(writer.repositories().unwrap().len(), 1);
    });
}

#[test]
fn of_many_events_the_newest_are_kept_and_of_a_long_one_the_beginning() {
    let world = World::new();
    let event = |n: i64, text: String| Event { at_ns: n, session: None, name: "Stop".to_owned(), text };
    world.change(|writer| {
        (0..10_050).for_each(|n| writer.add_event(&event(n, String::new())).unwrap());
        writer.add_event(&event(-1, "é".repeat(100_000))).unwrap();
    });
    let events = world.store.read().unwrap().events(100_000).unwrap();
    assert_eq!((events.len(), events[0].at_ns, events.last().unwrap().at_ns), (10_000, -1, 51));
    assert_eq!(events[0].text.len(), 64 * 1024);
}

#[test]
fn a_reader_sees_one_state_whatever_is_written_meanwhile() {
    let world = World::new();
    let reader = world.store.read().unwrap();
    let second = world.store.read().unwrap();
    world.change(|writer| _ = writer.add_session(&session("one")).unwrap());
    assert_eq!((reader.sessions().unwrap().len(), second.sessions().unwrap().len()), (0, 0));
    assert_eq!(world.store.read().unwrap().sessions().unwrap().len(), 1);
}

#[test]
fn a_change_that_is_dropped_is_no_change() {
    let world = World::new();
    {
        let mut writer = world.store.write("a test", Durability::Full).unwrap();
        writer.add_session(&session("one")).unwrap();
        assert_eq!(writer.sessions().unwrap().len(), 1, "it sees itself");
    }
    assert_eq!(world.store.read().unwrap().sessions().unwrap(), []);
    world.change(|writer| _ = writer.add_session(&session("two")).unwrap());
    assert_eq!(world.store.read().unwrap().sessions().unwrap().len(), 1);
}
