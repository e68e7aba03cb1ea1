//! Captures that ask the watcher find what a scan finds: with a real helper, one that dies at any moment, one that is
//! overrun, and none at all.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use model::{CheckpointId, Evidence, TurnStatus, WorkspacePath};
use takeback::{
    CheckpointName, Environment, FileChange, Shown, Takeback, Target, WatcherChoice, WatcherState, WatcherView,
    Workspace,
};
use watch::{Client, Place};

use crate::edits::{self, Author};
use crate::random::{Random, seed};

/// Set in a copy of this program that is to be a helper.
const HELPER_STATE: &str = "TAKEBACK_TEST_HELPER_STATE";

/// A workspace with a helper of its own. Nothing of it runs any longer when it is dropped.
struct World {
    folder: tempfile::TempDir,
    helper: Option<Child>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("workspace")).unwrap();
        Self { folder, helper: None }
    }

    fn environment(&self, watcher: WatcherChoice) -> Environment {
        Environment {
            state_folder: self.folder.path().join("state"),
            config_folder: None,
            home_folder: Some(self.folder.path().join("home")),
            temp_folder: self.folder.path().join("temp"),
            helper_program: None,
            watcher,
            agent_home: takeback::AgentHome::default(),
            speaks_from_chat: false,
            is_inside_step: false,
        }
    }

    fn open(&self) -> Workspace {
        let takeback = Takeback::new(self.environment(WatcherChoice::On));
        takeback.workspace_at(&self.folder.path().join("workspace")).unwrap()
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join("workspace").join(path)
    }

    fn put(&self, path: &str, bytes: &str) {
        std::fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        std::fs::write(self.at(path), bytes).unwrap();
    }

    fn client(&self) -> Client {
        Client::new(Place::in_state(&self.folder.path().join("state")))
    }

    /// Starts this very program again as a helper, and waits until it listens.
    fn start(&mut self) {
        self.kill();
        let helper = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "watcher::a_helper_of_these_tests", "--nocapture"])
            .env(HELPER_STATE, self.folder.path().join("state"))
            .stdout(Stdio::null())
            .spawn();
        self.helper = Some(helper.unwrap());
        until(|| self.client().is_there());
    }

    fn kill(&mut self) {
        if let Some(mut helper) = self.helper.take() {
            helper.kill().unwrap();
            helper.wait().unwrap();
        }
    }

    /// Goes on until the helper watches the workspace and the store has a mark to go back to.
    fn settle(&self, workspace: &Workspace) {
        until(|| {
            _ = workspace.checkpoint(None).unwrap();
            self.watches(workspace)
        });
        _ = workspace.checkpoint(None).unwrap();
    }

    fn watches(&self, workspace: &Workspace) -> bool {
        use std::os::unix::ffi::OsStrExt as _;
        let standing = self.client().standing(workspace.root_path().as_os_str().as_bytes());
        standing.is_some_and(|standing| standing.doubt.is_none())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Asks again and again, for some seconds.
fn until(mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < deadline, "it did not come to that");
        std::thread::yield_now();
    }
}

/// What a scan of everything finds after the newest barrier: what that barrier has left behind.
fn left_behind(workspace: &Workspace) -> Vec<FileChange> {
    let scan = workspace.checkpoint(None).unwrap();
    let before = CheckpointName::Id(CheckpointId(scan.0 - 1));
    let Shown::Checkpoint(detail) = workspace.show(&Target::Checkpoint(before)).unwrap() else {
        panic!("a checkpoint is shown as one");
    };
    detail.since
}

fn view(workspace: &Workspace) -> WatcherView {
    workspace.diagnose().unwrap().watcher
}

/// Not a test: the helper, when this program is started as one.
#[test]
fn a_helper_of_these_tests() {
    if let Some(state) = std::env::var_os(HELPER_STATE) {
        let place = Place::in_state(std::path::Path::new(&state));
        let ended = watch::run(&place, None, Duration::from_secs(60)).unwrap();
        assert_ne!(ended, watch::Ended::Idle, "no test lets it alone for so long");
    }
}

#[test]
fn a_barrier_around_a_tool_asks_the_watcher_and_finds_the_change() {
    let mut world = World::new();
    for number in 0..40 {
        world.put(&format!("d{}/f{number}", number % 8), "before");
    }
    world.start();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    world.settle(&workspace);
    let turn = session.begin_turn("go").unwrap();
    let step = turn.begin_step("shell", "edit").unwrap();
    world.put("d3/f3", "after");
    world.put("new/deep/file", "made");
    std::fs::rename(world.at("d4"), world.at("moved")).unwrap();
    step.end(false).unwrap();
    assert_eq!(left_behind(&workspace), []);
    turn.end(TurnStatus::Completed).unwrap();
    let steps = &workspace.log(None, None).unwrap()[0].steps;
    let paths: Vec<String> = steps[0].files.iter().map(|change| change.path.to_string()).collect();
    assert!(["d3/f3", "new/deep/file"].iter().all(|path| paths.iter().any(|found| found == path)), "{paths:?}");
    let view = view(&workspace);
    assert_eq!((view.state, view.missed, view.doubt), (WatcherState::On, 0, None));
    assert!(view.shortened >= 2, "both barriers of the step: {view:?}");
}

#[test]
fn captures_with_a_watcher_find_what_a_scan_finds_whatever_is_edited() {
    let seed = seed(11);
    let mut random = Random::new(seed);
    let mut world = World::new();
    world.start();
    let (workspace, mut author) = (world.open(), Author::new("agent"));
    let session = workspace.begin_session("test", "one").unwrap();
    world.settle(&workspace);
    for round in 0..60 {
        let turn = session.begin_turn("go").unwrap();
        for _ in 0..3 {
            let step = turn.begin_step("shell", "edit").unwrap();
            for _ in 0..1 + random.below(5) {
                edits::edit(&mut random, &world.at(""), &mut author);
            }
            step.end(false).unwrap();
        }
        assert_eq!(left_behind(&workspace), [], "seed {seed}, round {round}");
        turn.end(TurnStatus::Completed).unwrap();
    }
    let view = view(&workspace);
    assert_eq!((view.missed, view.state), (0, WatcherState::On), "{view:?}");
    assert!(view.shortened > 250, "{view:?}");
}

#[test]
fn a_helper_that_is_killed_at_any_moment_costs_a_scan_and_no_change() {
    let seed = seed(12);
    let mut random = Random::new(seed);
    let mut world = World::new();
    let (workspace, mut author) = (world.open(), Author::new("agent"));
    let session = workspace.begin_session("test", "one").unwrap();
    let mut deaths = 0;
    for round in 0..40 {
        if world.helper.is_none() {
            world.start();
        }
        let turn = session.begin_turn("go").unwrap();
        for _ in 0..3 {
            let step = turn.begin_step("shell", "edit").unwrap();
            for _ in 0..4 {
                edits::edit(&mut random, &world.at(""), &mut author);
                if random.happens(1, 12) {
                    deaths += u32::from(world.helper.is_some());
                    world.kill();
                    if random.happens(1, 2) {
                        world.start();
                    }
                }
            }
            step.end(false).unwrap();
            assert_eq!(left_behind(&workspace), [], "seed {seed}, round {round}");
        }
        turn.end(TurnStatus::Completed).unwrap();
    }
    let view = view(&workspace);
    assert!(deaths > 5 && view.shortened > 20 && view.scanned > 5, "{deaths} deaths, {view:?}");
    assert_eq!(view.missed, 0);
}

#[test]
fn without_a_helper_everything_is_scanned() {
    let world = World::new();
    world.put("a/f", "before");
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    let turn = session.begin_turn("go").unwrap();
    let step = turn.begin_step("shell", "edit").unwrap();
    world.put("a/f", "after");
    step.end(false).unwrap();
    assert_eq!(left_behind(&workspace), []);
    assert_eq!((view(&workspace).shortened, view(&workspace).pid), (0, None));
}

#[test]
fn a_write_by_a_name_outside_is_found_at_the_end_of_the_turn_as_late_and_ends_the_trust() {
    let mut world = World::new();
    world.put("a/f", "before");
    world.put("a/known", "before");
    std::fs::hard_link(world.at("a/known"), world.folder.path().join("known")).unwrap();
    world.start();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    world.settle(&workspace);
    let turn = session.begin_turn("go").unwrap();
    let step = turn.begin_step("shell", "write by the other name").unwrap();
    std::fs::write(world.folder.path().join("known"), "after").unwrap();
    step.end(false).unwrap();
    assert_eq!(left_behind(&workspace), [], "of a file that is known to have several names nobody needs to hear");
    let step = turn.begin_step("shell", "make another name and write by it").unwrap();
    std::fs::hard_link(world.at("a/f"), world.folder.path().join("outside")).unwrap();
    std::fs::write(world.folder.path().join("outside"), "after").unwrap();
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
    let view = view(&workspace);
    assert_eq!((view.state, view.missed, view.missed_path.as_deref()), (WatcherState::Distrusted, 1, Some("a/f")));
    let step = &workspace.log(None, None).unwrap()[0].steps[1];
    let late = step.files.iter().find(|change| change.path == WorkspacePath::new("a/f").unwrap());
    assert_eq!(late.map(|change| change.evidence), Some(Evidence::Late), "{step:?}");
}

#[test]
fn a_root_that_was_moved_away_and_made_anew_is_scanned() {
    let mut world = World::new();
    world.put("a/f", "before");
    world.start();
    let workspace = world.open();
    let session = workspace.begin_session("test", "one").unwrap();
    world.settle(&workspace);
    let turn = session.begin_turn("go").unwrap();
    let step = turn.begin_step("shell", "mv").unwrap();
    std::fs::rename(world.at(""), world.folder.path().join("old")).unwrap();
    world.put("b/g", "another world");
    step.end(false).unwrap();
    assert_eq!(left_behind(&workspace), []);
    let files = &workspace.log(None, None).unwrap()[0].steps[0].files;
    assert!(files.len() >= 2, "{files:?}");
}

#[test]
fn one_helper_runs_at_a_place_and_it_ends_when_it_is_told_or_cut_off() {
    let mut world = World::new();
    world.start();
    let place = Place::in_state(&world.folder.path().join("state"));
    assert_eq!(watch::run(&place, None, Duration::ZERO).unwrap(), watch::Ended::NotNeeded);
    assert!(world.client().end());
    world.helper.take().unwrap().wait().unwrap();
    assert_eq!(watch::run(&place, None, Duration::ZERO).unwrap(), watch::Ended::Idle);
    world.start();
    // After its answer it waits again, with nothing else to wake it.
    until(|| world.client().standing(b"/").is_some());
    std::thread::yield_now();
    std::fs::remove_dir_all(world.folder.path().join("state")).unwrap();
    assert!(world.helper.take().unwrap().wait().unwrap().success(), "it hears that its socket is gone");
    world.start();
    assert!(world.client().is_there());
}

#[test]
fn a_helper_whose_program_was_replaced_makes_room() {
    let world = World::new();
    let place = Place::in_state(&world.folder.path().join("state"));
    let program = world.folder.path().join("program");
    std::fs::write(&program, "1").unwrap();
    let ended = std::thread::scope(|scope| {
        let helper = scope.spawn(|| watch::run(&place, Some(&program), Duration::from_secs(30)));
        until(|| world.client().standing(b"/").is_some());
        std::fs::write(world.folder.path().join("new"), "22").unwrap();
        std::fs::rename(world.folder.path().join("new"), &program).unwrap();
        assert_eq!(world.client().standing(b"/"), None);
        helper.join()
    });
    assert_eq!(ended.unwrap().unwrap(), watch::Ended::Replaced);
}
