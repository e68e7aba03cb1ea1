//! git as the oracle: every commit of a made-up history is checked out by git and taken as a checkpoint; afterwards a
//! restore from any of these states to any other must give what git gave, and touch nothing else.

use model::{Outcome, SessionId};
use takeback::{CheckpointName, Workspace};

use crate::git::{self, Git};
use crate::git_history::{commit_name, stream};
use crate::random::{Random, seed};
use crate::tree::{Snapshot, differences, touched_needlessly};
use crate::world::{World, apply, restore};

const HISTORIES: u64 = 10;
const COMMITS: usize = 64;
const PAIRS_PER_HISTORY: usize = 20;

/// One commit as git made it.
struct State {
    name: String,
    tree: String,
    seen: Snapshot,
}

struct Trial {
    world: World,
    workspace: Workspace,
    git: Git,
    session: SessionId,
    states: Vec<State>,
}

#[test]
fn a_restore_gives_what_git_gives_between_any_two_commits() {
    if !git::is_there() {
        eprintln!("git is missing: nothing was compared");
        return;
    }
    for seed in (0..HISTORIES).map(|number| seed(1) + number) {
        eprintln!("TAKEBACK_TEST_SEED={seed}");
        compare_pairs(&mut Random::new(seed));
    }
}

/// Goes from one state to another and back, over and over.
fn compare_pairs(random: &mut Random) {
    let trial = Trial::new(random);
    for _ in 0..PAIRS_PER_HISTORY {
        let (one, other) = (random.below(COMMITS), random.below(COMMITS));
        for number in [one, other, one] {
            trial.restore_and_compare(number);
        }
    }
}

impl Trial {
    /// Has git check out every commit in turn and takes a checkpoint of each.
    fn new(random: &mut Random) -> Self {
        let world = World::new();
        let git = Git::init(&world.folder.path().join("history.git"), &world.root);
        git.fast_import(&stream(random, COMMITS));
        let workspace = world.open();
        let session = workspace.begin_session("test", "one").unwrap().id;
        let mut trial = Self { world, workspace, git, session, states: Vec::new() };
        for number in 0..COMMITS {
            trial.states.push(trial.checked_out(number));
        }
        trial
    }

    fn checked_out(&self, number: usize) -> State {
        let name = commit_name(number);
        self.git.checkout(&name);
        self.workspace.checkpoint(Some(&name)).unwrap();
        State { tree: self.git.tree_of(&name), seen: self.world.snapshot(), name }
    }

    fn restore_and_compare(&self, number: usize) {
        let state = &self.states[number];
        let before = self.world.snapshot();
        let report = apply(&self.workspace, &restore(self.session, CheckpointName::Name(state.name.clone())));
        let is_done = matches!(report.outcome, Outcome::Done | Outcome::Nothing);
        assert!(is_done, "{}: {:?} {:?}", state.name, report.outcome, report.trouble);
        let after = self.world.snapshot();
        assert_eq!(differences(&after, &state.seen), [""; 0], "after the restore / after git, {}", state.name);
        assert_eq!(touched_needlessly(&before, &after), [""; 0], "{}", state.name);
        assert_eq!(self.git.tree_of_work_tree(), state.tree, "{}", state.name);
    }
}
