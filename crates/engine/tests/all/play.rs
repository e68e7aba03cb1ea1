//! [`Play`]: agents and outsiders at work in one workspace, at random, with a record of who touched what.

use std::collections::BTreeSet;
use std::path::PathBuf;

use model::{CheckpointId, SessionId, TurnId, TurnStatus};
use takeback::{HostSession, HostStep, HostTurn, Workspace};

use crate::edits::{Author, edit, random_path};
use crate::random::Random;
use crate::tree::{Node, Snapshot, differences, differing_paths, moves, names_of_one_file};
use crate::world::World;

/// A turn that was played.
#[derive(Debug, Clone)]
pub(crate) struct Played {
    pub(crate) id: TurnId,
    pub(crate) session: SessionId,
    /// Every path that changed while one of its windows was open.
    pub(crate) touched: BTreeSet<Vec<u8>>,
    /// The tree right before it, if nobody else did anything since.
    pub(crate) undisturbed: Option<Snapshot>,
}

pub(crate) struct Play<'w> {
    pub(crate) world: &'w World,
    pub(crate) workspace: &'w Workspace,
    pub(crate) random: Random,
    pub(crate) sessions: Vec<HostSession<'w>>,
    pub(crate) turns: Vec<Played>,
    /// Checkpoints that were taken, with the number of outside marks there were then.
    pub(crate) checkpoints: Vec<(CheckpointId, u64)>,
    pub(crate) agent: Author,
    pub(crate) outside: Author,
    /// From where to where things went, whoever moved them.
    pub(crate) moves: BTreeSet<(Vec<u8>, Vec<u8>)>,
    /// Whether a file has ever had two names.
    pub(crate) has_second_names: bool,
    /// What was done, for the reader of a failure.
    pub(crate) story: Vec<String>,
}

impl<'w> Play<'w> {
    /// A workspace with something in it, and two sessions.
    pub(crate) fn new(world: &'w World, workspace: &'w Workspace, mut random: Random) -> Self {
        let mut outside = Author::new("outside");
        for _ in 0..20 {
            edit(&mut random, &world.root, &mut outside);
        }
        let sessions = ["one", "two"].map(|native| workspace.begin_session("test", native).unwrap());
        Self {
            world,
            workspace,
            random,
            sessions: sessions.into(),
            turns: Vec::new(),
            checkpoints: Vec::new(),
            agent: Author::new("agent"),
            outside,
            moves: BTreeSet::new(),
            has_second_names: !names_of_one_file(&world.snapshot()).is_empty(),
            story: Vec::new(),
        }
    }

    /// Somebody edits something while no window is open.
    pub(crate) fn edit_outside(&mut self) {
        let before = self.world.snapshot();
        for _ in 0..1 + self.random.below(2) {
            edit(&mut self.random, &self.world.root, &mut self.outside);
        }
        self.forget_undisturbed();
        self.tell("outside", &before);
    }

    /// A session's turn of one to three steps, now and then with an edit from outside between two of them.
    pub(crate) fn play_turn(&mut self) {
        let at = self.random.below(self.sessions.len());
        let session = self.sessions.swap_remove(at);
        let start = self.world.snapshot();
        let (mut touched, mut is_disturbed) = (BTreeSet::new(), false);
        let turn = session.begin_turn("do something").unwrap();
        self.forget_undisturbed();
        for _ in 0..1 + self.random.below(3) {
            touched.extend(self.play_step(&turn));
            if self.random.happens(1, 8) {
                self.edit_outside();
                is_disturbed = true;
            }
        }
        turn.end(TurnStatus::Completed).unwrap();
        let undisturbed = (!is_disturbed).then_some(start);
        self.note_turn(session.id, touched, undisturbed);
        self.sessions.push(session);
    }

    /// Two sessions have windows open at the same time.
    pub(crate) fn play_overlapping_turns(&mut self) {
        let before = self.world.snapshot();
        let turns = [0, 1].map(|at| self.sessions[at].begin_turn("at once").unwrap());
        let steps = turns.each_ref().map(|turn| turn.begin_step("Bash", "change").unwrap());
        for _ in 0..3 {
            edit(&mut self.random, &self.world.root, &mut self.agent);
        }
        for step in steps {
            step.end(false).unwrap();
        }
        for turn in turns {
            turn.end(TurnStatus::Completed).unwrap();
        }
        let touched: BTreeSet<Vec<u8>> = differing_paths(&before, &self.world.snapshot());
        self.forget_undisturbed();
        for session in [self.sessions[0].id, self.sessions[1].id] {
            self.note_turn(session, touched.clone(), None);
        }
        self.tell("both at once", &before);
    }

    pub(crate) fn take_checkpoint(&mut self) {
        let id = self.workspace.checkpoint(None).unwrap();
        self.checkpoints.push((id, self.outside.marks()));
    }

    pub(crate) fn forget_undisturbed(&mut self) {
        self.turns.iter_mut().for_each(|turn| turn.undisturbed = None);
    }

    /// Notes what became of the tree.
    pub(crate) fn tell(&mut self, what: &str, before: &Snapshot) {
        let after = self.world.snapshot();
        self.story.push(format!("{what}: {:#?}", differences(before, &after)));
        self.moves.extend(moves(before, &after));
        self.has_second_names |= !names_of_one_file(&after).is_empty();
    }

    /// These paths, and those to and from which their things were moved.
    pub(crate) fn followed(&self, paths: &BTreeSet<Vec<u8>>) -> BTreeSet<Vec<u8>> {
        let mut found = paths.clone();
        loop {
            let reached = self.moves.iter().filter(|(from, to)| found.contains(from) != found.contains(to));
            let more: Vec<Vec<u8>> = reached.flat_map(|(from, to)| [from.clone(), to.clone()]).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    fn play_step(&mut self, turn: &HostTurn<'_>) -> BTreeSet<Vec<u8>> {
        let before = self.world.snapshot();
        let path: PathBuf = random_path(&mut self.random);
        let is_structured = self.random.happens(1, 3);
        let step: HostStep<'_> = match path.to_str().filter(|_| is_structured) {
            Some(path) => turn.begin_edit("Edit", &[path]).unwrap(),
            None => turn.begin_step("Bash", "change").unwrap(),
        };
        if is_structured {
            crate::edits::change_line(&mut self.random, &self.world.root.join(path), &mut self.agent);
        } else {
            for _ in 0..1 + self.random.below(4) {
                edit(&mut self.random, &self.world.root, &mut self.agent);
            }
        }
        step.end(false).unwrap();
        self.tell("step", &before);
        differing_paths(&before, &self.world.snapshot())
    }

    fn note_turn(&mut self, session: SessionId, touched: BTreeSet<Vec<u8>>, undisturbed: Option<Snapshot>) {
        let id = self.workspace.log(Some(session), Some(1)).unwrap()[0].id;
        self.story.push(format!("that was {id} of {session}"));
        // What nobody can bring back exactly is no promise.
        let undisturbed = undisturbed.filter(|start| pipes(start) == pipes(&self.world.snapshot()));
        self.turns.push(Played { id, session, touched, undisturbed });
    }
}

fn pipes(tree: &Snapshot) -> Vec<&Vec<u8>> {
    tree.iter().filter(|(_, seen)| seen.node == Node::Pipe).map(|(path, _)| path).collect()
}
