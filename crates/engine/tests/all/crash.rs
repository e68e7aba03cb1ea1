//! A process that dies at any durable step: whoever opens the workspace next finds all of an undo or nothing of it, and
//! no change of an agent escapes for want of its record.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use model::{Outcome, SessionId, TurnStatus};
use takeback::{Selection, Workspace};

use crate::tree::{Snapshot, differences};
use crate::world::{World, apply, open, order};

const ERRAND: &str = "TAKEBACK_TEST_ERRAND";
const FOLDER: &str = "TAKEBACK_TEST_FOLDER";
const UNDO: Selection = Selection::UndoTurns { count: 1 };
const REDO: Selection = Selection::Redo { count: 1 };

/// A workspace in which one turn changed something of every kind.
struct Story {
    world: World,
    before: Snapshot,
    after: Snapshot,
}

#[test]
fn a_kill_at_any_step_of_an_undo_leaves_all_of_it_or_nothing() {
    let steps = at_every_step("undo", Story::new, |story, workspace| {
        let is_undone = story.is_undone();
        let again = if is_undone { REDO } else { UNDO };
        story.does(workspace, again);
        assert_ne!(is_undone, story.is_undone());
    });
    assert!(steps > 40, "{steps} durable steps are too few");
}

#[test]
fn a_kill_in_the_middle_of_a_recovery_is_recovered_from_too() {
    let half_undone = || {
        let story = Story::new();
        let killed = child("undo", story.world.folder.path(), 30);
        assert_eq!(killed.signal(), Some(9));
        story
    };
    let steps = at_every_step("open", half_undone, |story, workspace| {
        assert!(!story.is_undone());
        story.does(workspace, UNDO);
        assert!(story.is_undone());
    });
    assert!(steps > 5, "{steps} durable steps are too few");
}

#[test]
fn a_kill_at_any_step_of_recording_a_turn_leaves_what_it_did_to_be_undone() {
    let before_turn = || Story::new_with(|_| {});
    let steps = at_every_step("turn", before_turn, |story, workspace| {
        let is_changed = story.world.snapshot() != story.before;
        let session = workspace.begin_session("test", "one").unwrap();
        let report = apply(workspace, &order(session.id, UNDO));
        assert!(report.outcome == Outcome::Done || !is_changed, "{report:#?}");
        assert_eq!(differences(&story.before, &story.world.snapshot()), [""; 0], "before the turn / after its undo");
    });
    assert!(steps > 10, "{steps} durable steps are too few");
}

/// The other end of [`child`].
#[test]
fn a_child_does_its_errand() {
    let Ok(errand) = std::env::var(ERRAND) else {
        // This run is the parent: what it has to show is that children are told apart.
        assert!(std::env::var_os(FOLDER).is_none());
        return;
    };
    let folder = std::env::var_os(FOLDER).unwrap();
    let workspace = open(Path::new(&folder));
    match errand.as_str() {
        "open" => {}
        "turn" => play_turn(&workspace),
        "undo" => {
            let report = apply(&workspace, &order(SessionId(1), UNDO));
            assert_eq!(report.outcome, Outcome::Done, "{report:#?}");
        }
        other => panic!("unknown errand {other}"),
    }
}

/// Has a child do an errand again and again, killed at each of its durable steps in turn, and has `go_on` look at what
/// the next one to open the workspace finds. Gives how many steps there were.
fn at_every_step(errand: &str, prepare: impl Fn() -> Story, go_on: impl Fn(&Story, &Workspace)) -> u64 {
    for number in 1.. {
        let story = prepare();
        let status = child(errand, story.world.folder.path(), number);
        if status.success() {
            return number - 1;
        }
        assert_eq!(status.signal(), Some(9), "step {number}: {status}");
        let workspace = story.world.open();
        go_on(&story, &workspace);
    }
    unreachable!("the loop ends when the errand does")
}

fn child(errand: &str, folder: &Path, dies_at: u64) -> std::process::ExitStatus {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "crash::a_child_does_its_errand", "--nocapture"]);
    command.env(ERRAND, errand).env(FOLDER, folder).env("TAKEBACK_CRASH_AT", dies_at.to_string());
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap()
}

impl Story {
    fn new() -> Self {
        Self::new_with(play_turn)
    }

    /// A workspace with a session, in which `act` is done.
    fn new_with(act: impl Fn(&Workspace)) -> Self {
        let world = World::new();
        lay_out(&world.root);
        let workspace = world.open();
        workspace.begin_session("test", "one").unwrap();
        let before = world.snapshot();
        act(&workspace);
        let after = world.snapshot();
        Self { before, after, world }
    }

    /// Whether the turn is undone; a tree that is neither before nor after the turn fails.
    fn is_undone(&self) -> bool {
        let now = self.world.snapshot();
        let [from_before, from_after] = [&self.before, &self.after].map(|tree| differences(&now, tree));
        assert!(from_before.is_empty() || from_after.is_empty(), "{from_before:#?}\n{from_after:#?}");
        from_before.is_empty()
    }

    fn does(&self, workspace: &Workspace, selection: Selection) {
        let report = apply(workspace, &order(SessionId(1), selection));
        assert_eq!(report.outcome, Outcome::Done, "{report:#?}");
    }
}

fn play_turn(workspace: &Workspace) {
    let session = workspace.begin_session("test", "one").unwrap();
    let turn = session.begin_turn("change everything").unwrap();
    let step = turn.begin_step("Bash", "change").unwrap();
    change(workspace.root_path());
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
}

fn lay_out(root: &Path) {
    for folder in ["old/deep", "read only", "emptied"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (path, text) in [
        ("edited", "one\ntwo\n"),
        ("emptied/file", "content\n"),
        ("made executable", "#!/bin/sh\n"),
        ("old/deep/file", "deep\n"),
        ("becomes a folder", "file\n"),
        ("moved", "moves away\n"),
        ("read only/kept", "kept\n"),
        ("read only/removed", "removed\n"),
    ] {
        fs::write(root.join(path), text).unwrap();
    }
    std::os::unix::fs::symlink("edited", root.join("link")).unwrap();
    set_mode(root, "read only", 0o555);
}

fn change(root: &Path) {
    fs::write(root.join("edited"), "one\n2\n").unwrap();
    fs::write(root.join("emptied/file"), "").unwrap();
    set_mode(root, "made executable", 0o755);
    fs::remove_dir_all(root.join("old")).unwrap();
    fs::remove_file(root.join("becomes a folder")).unwrap();
    fs::create_dir_all(root.join("becomes a folder/with")).unwrap();
    fs::write(root.join("becomes a folder/with/new"), "new\n").unwrap();
    fs::rename(root.join("moved"), root.join("has moved")).unwrap();
    fs::remove_file(root.join("link")).unwrap();
    std::os::unix::fs::symlink("elsewhere", root.join("link")).unwrap();
    set_mode(root, "read only", 0o755);
    fs::remove_file(root.join("read only/removed")).unwrap();
    set_mode(root, "read only", 0o555);
}

fn set_mode(root: &Path, path: &str, mode: u32) {
    fs::set_permissions(root.join(path), fs::Permissions::from_mode(mode)).unwrap();
}
