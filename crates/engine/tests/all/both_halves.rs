//! Files and conversation go together or not at all: killed at any durable step of a rewind, stopped by a conflict, and
//! each half alone where only that one was asked for.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use model::{MessageKind, OperationId, Outcome, Scope, SessionId, TurnId, TurnStatus};
use takeback::{CheckpointName, HostSession, NewEntry, Order, RevertTarget, Selection, Workspace};

use crate::tree::{Snapshot, differences};
use crate::world::{World, apply, open, order};

const FOLDER: &str = "TAKEBACK_TEST_REWIND_IN";
const SESSION: SessionId = SessionId(1);
const REWIND: Selection = Selection::Rewind { turn: TurnId(2) };
const REDO: Selection = Selection::Redo { count: 1 };

/// Where a child dies, as a variable of its environment.
const DEATHS: [&str; 2] = ["TAKEBACK_CRASH_AT", "TAKEBACK_CRASH_AFTER"];

/// What a session sees of both halves.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Halves {
    files: Snapshot,
    context: Vec<String>,
    undoable: Vec<TurnId>,
    redoable: Vec<OperationId>,
}

#[test]
fn a_kill_at_any_step_of_a_rewind_leaves_both_halves_done_or_both_undone() {
    let (before, after) = both_ends();
    for death in DEATHS {
        let mut steps = 0;
        while let Some(world) = killed_at(death, steps + 1) {
            steps += 1;
            let workspace = world.open();
            let now = look(&world, &workspace);
            let is_done = now.redoable == after.redoable;
            must_be_alike(if is_done { &after } else { &before }, &now);
            does(&workspace, &both(if is_done { REDO } else { REWIND }));
            let then = look(&world, &workspace);
            assert_eq!(then.context, if is_done { before.context.clone() } else { after.context.clone() });
            let expected = if is_done { &before.files } else { &after.files };
            assert_eq!(differences(expected, &then.files), [""; 0]);
        }
        assert!(steps > 20, "{steps} durable steps are too few");
    }
}

/// The other end of [`killed_at`].
#[test]
fn a_child_rewinds() {
    match std::env::var_os(FOLDER) {
        Some(folder) => does(&open(Path::new(&folder)), &both(REWIND)),
        // This run is the parent: what it has to show is that children are told apart.
        None => assert!(DEATHS.iter().all(|death| std::env::var_os(death).is_none())),
    }
}

#[test]
fn a_conflict_of_files_leaves_both_halves_untouched() {
    let (world, workspace) = three_turns();
    fs::write(world.root.join("edited"), "one\nsomebody else's\n").unwrap();
    let before = look(&world, &workspace);
    for selection in [REWIND, Selection::UndoTurns { count: 2 }] {
        let report = apply(&workspace, &both(selection));
        assert_eq!((report.outcome, report.operation), (Outcome::Conflict, None), "{report:#?}");
        assert_eq!(look(&world, &workspace), before);
    }
}

#[test]
fn an_order_for_the_conversation_alone_touches_no_file() {
    let (world, workspace) = three_turns();
    let before = look(&world, &workspace);
    let orders = [Selection::UndoTurns { count: 1 }, REDO, REWIND, REDO, switch_to(2), switch_to(1)];
    for selection in orders {
        does(&workspace, &Order { scope: Scope::Conversation, ..order(SESSION, selection.clone()) });
        let after = look(&world, &workspace);
        assert_eq!(after.files, before.files, "{selection:?}");
    }
    let about_files = [revert(2), Selection::UndoSteps { count: 1 }, restore()];
    for selection in about_files {
        let there = look(&world, &workspace);
        let report = apply(&workspace, &Order { scope: Scope::Conversation, ..order(SESSION, selection) });
        assert_eq!((report.outcome, report.operation), (Outcome::Nothing, None), "{report:#?}");
        assert_eq!(look(&world, &workspace), there);
    }
}

#[test]
fn an_order_for_the_files_alone_leaves_the_context_as_it_is() {
    let (world, workspace) = three_turns();
    does(&workspace, &Order { scope: Scope::Conversation, ..order(SESSION, Selection::UndoTurns { count: 1 }) });
    does(&workspace, &Order { scope: Scope::Conversation, ..order(SESSION, REDO) });
    let before = look(&world, &workspace);
    let steps = Selection::UndoSteps { count: 1 };
    let orders = [Selection::UndoTurns { count: 1 }, REDO, REWIND, REDO, revert(2), REDO, steps, REDO, restore(), REDO];
    for selection in orders {
        does(&workspace, &order(SESSION, selection.clone()));
        assert_eq!(look(&world, &workspace).context, before.context, "{selection:?}");
    }
    does(&workspace, &order(SESSION, switch_to(2)));
    let after = look(&world, &workspace);
    assert_eq!(after.context, before.context);
    assert_ne!(after.files, before.files);
}

fn both(selection: Selection) -> Order {
    Order { scope: Scope::Both, ..order(SESSION, selection) }
}

fn revert(turn: u64) -> Selection {
    Selection::Revert { targets: vec![RevertTarget::Turn(TurnId(turn))] }
}

fn restore() -> Selection {
    Selection::Restore { checkpoint: CheckpointName::Name("start".to_owned()), paths: Vec::new() }
}

fn switch_to(head: u64) -> Selection {
    Selection::Switch { head: model::HeadId(head) }
}

fn does(workspace: &Workspace, order: &Order) {
    let report = apply(workspace, order);
    assert_eq!(report.outcome, Outcome::Done, "{order:?}\n{report:#?}");
}

/// What is there without a kill: before the rewind and after it.
fn both_ends() -> (Halves, Halves) {
    let (world, workspace) = three_turns();
    let before = look(&world, &workspace);
    does(&workspace, &both(REWIND));
    let after = look(&world, &workspace);
    assert_ne!(before.context, after.context);
    assert_eq!(after.redoable, [OperationId(1)]);
    (before, after)
}

/// A world in which a child that rewinds was killed at a durable step; none if there are not so many.
fn killed_at(death: &str, step: u64) -> Option<World> {
    let (world, workspace) = three_turns();
    drop(workspace);
    let status = rewind_in_child(world.folder.path(), death, step);
    if status.success() {
        return None;
    }
    assert_eq!(status.signal(), Some(9), "step {step}: {status}");
    Some(world)
}

fn rewind_in_child(folder: &Path, death: &str, step: u64) -> ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "both_halves::a_child_rewinds", "--nocapture"]);
    command.env(FOLDER, folder).env(death, step.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

fn look(world: &World, workspace: &Workspace) -> Halves {
    let status = workspace.status(Some(SESSION)).unwrap();
    let entries = workspace.context(SESSION).unwrap().entries;
    Halves {
        files: world.snapshot(),
        context: entries.into_iter().map(|entry| String::from_utf8(entry.payload).unwrap()).collect(),
        undoable: status.undoable,
        redoable: status.redoable,
    }
}

/// The same in another world, where inodes and times are its own.
fn must_be_alike(expected: &Halves, now: &Halves) {
    assert_eq!(differences(&expected.files, &now.files), [""; 0]);
    assert_eq!(now.context, expected.context);
    assert_eq!((&now.undoable, &now.redoable), (&expected.undoable, &expected.redoable));
}

/// A file that every turn edits, one that goes, one that comes in a folder, and an answer in every turn.
fn three_turns() -> (World, Workspace) {
    let world = World::new();
    fs::write(world.root.join("edited"), "one\ntwo\n").unwrap();
    fs::write(world.root.join("removed"), "kept for long\n").unwrap();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    workspace.checkpoint(Some("start")).unwrap();
    play_turn(&session, &workspace, 1, |root| fs::write(root.join("edited"), "one\n2\n").unwrap());
    play_turn(&session, &workspace, 2, |root| {
        fs::write(root.join("edited"), "one\n22\n").unwrap();
        fs::remove_file(root.join("removed")).unwrap();
    });
    play_turn(&session, &workspace, 3, |root| {
        fs::create_dir(root.join("folder")).unwrap();
        fs::write(root.join("folder/made"), "new\n").unwrap();
    });
    drop(session);
    (world, workspace)
}

fn play_turn(session: &HostSession<'_>, workspace: &Workspace, number: u64, act: impl Fn(&Path)) {
    let turn = session.begin_turn(&format!("do {number}")).unwrap();
    let step = turn.begin_step("Bash", "change").unwrap();
    act(workspace.root_path());
    step.end(false).unwrap();
    let (id, content) = (format!("answer-{number}"), format!("did {number}"));
    let kind = MessageKind::Assistant;
    let answer = NewEntry { id: &id, parent: None, turn: None, role: "assistant", kind, content: content.as_bytes() };
    workspace.append_entries(SESSION, &[answer]).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
}
