//! A player of the stress test, in a process of its own: an agent, a person or somebody who takes back. What it writes it
//! notes down outside of the workspace, after it is written.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use model::{ConflictPolicy, Outcome, Scope, TurnId, TurnStatus};
use takeback::{Agreement, Order, OrderError, Permits, RecordError, RevertTarget, Selection, Trouble, Workspace};

use crate::random::Random;
use crate::world::open;

/// What a player does in each of so many rounds.
pub(crate) const ROUNDS: u64 = 30;
/// How often somebody tries again who was told to.
const TRIES_MAX: usize = 200;
/// The lines between two players' own lines of the shared file, so that their changes never touch.
const LINES_BETWEEN: usize = 8;

/// Who plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Agent,
    Person,
    Undoer,
}

pub(crate) const PLAYERS: [(&str, Role); 8] = [
    ("agent-0", Role::Agent),
    ("agent-1", Role::Agent),
    ("agent-2", Role::Agent),
    ("person-0", Role::Person),
    ("person-1", Role::Person),
    ("person-2", Role::Person),
    ("undoer-0", Role::Undoer),
    ("undoer-1", Role::Undoer),
];

/// The shared file as it is before anybody has come.
pub(crate) fn shared_text() -> String {
    PLAYERS.iter().map(|(name, _)| format!("{name}:\n{}", "between\n".repeat(LINES_BETWEEN))).collect()
}

/// Where a player notes what it has written.
pub(crate) fn notes(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("notes-{name}"))
}

/// Plays to the end.
pub(crate) fn play(folder: &Path, name: &str, life: u64) {
    let (_, role) = PLAYERS.iter().find(|(known, _)| *known == name).copied().unwrap();
    let seed = name.bytes().fold(life, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut player = Player { folder, name, life, workspace: open(folder), random: Random::new(seed) };
    for round in 0..ROUNDS {
        match role {
            Role::Agent => player.work(round),
            Role::Person => player.edit(round),
            Role::Undoer => player.take_back(round),
        }
    }
}

struct Player<'a> {
    folder: &'a Path,
    name: &'a str,
    life: u64,
    workspace: Workspace,
    random: Random,
}

impl Player<'_> {
    /// A turn with a structured edit of the shared file and a shell step of its own.
    fn work(&mut self, round: u64) {
        let own = self.own_file();
        let session = again(|| self.workspace.begin_session("stress", self.name));
        let turn = again(|| session.begin_turn(&format!("{} {round}", self.name)));
        let token = self.token(round, "shared");
        {
            let _alone = self.alone();
            let step = again(|| turn.begin_edit("Edit", &["shared"]));
            let in_place = self.random.happens(1, 2);
            self.write_into_shared(&token, in_place);
            again_once(|| step.end(false));
        }
        self.note(&token);
        let token = self.token(round, "own");
        {
            let _alone = self.alone();
            let step = again(|| turn.begin_step("Bash", "make something"));
            write_own(&own, &token);
            again_once(|| step.end(false));
        }
        self.note(&token);
        again_once(|| turn.end(TurnStatus::Completed));
    }

    /// An edit by hand, and a checkpoint.
    fn edit(&mut self, round: u64) {
        let token = self.token(round, "shared");
        let (own, file) = (self.token(round, "own"), self.own_file());
        {
            let _alone = self.alone();
            let in_place = self.random.happens(1, 2);
            self.write_into_shared(&token, in_place);
            write_own(&file, &own);
        }
        let name = format!("{}-{}-{round}", self.name, self.life);
        again_order(|| self.workspace.checkpoint(Some(&name)));
        [token, own].iter().for_each(|token| self.note(token));
    }

    /// Some order of some session.
    fn take_back(&mut self, round: u64) {
        self.wait_for_agents(usize::try_from(round).unwrap());
        let sessions = self.workspace.sessions().unwrap();
        let agents: Vec<_> = sessions.iter().filter(|session| session.agent == "stress").collect();
        if agents.is_empty() {
            return;
        }
        let session = self.random.choose(&agents).id;
        let some_turn = TurnId(1 + self.random.below(12) as u64);
        let selection = match self.random.below(8) {
            0..3 => Selection::UndoTurns { count: 1 + self.random.below(2) },
            3..6 => Selection::Redo { count: 1 },
            6 => Selection::UndoSteps { count: 1 },
            _ => Selection::Revert { targets: vec![RevertTarget::Turn(some_turn)] },
        };
        let policies = [ConflictPolicy::Stop, ConflictPolicy::Keep, ConflictPolicy::Merge];
        let policy = Some(*self.random.choose(&policies));
        let permits = Permits { even_if_busy: true, ..Permits::NONE };
        let order = Order { session: Some(session), selection, scope: Scope::Files, policy, memory: None, permits };
        match self.workspace.apply(&order, Agreement::Whatever, &mut |_, _| {}) {
            Ok(report) => {
                // Somebody may save onto what is being put in place, and onto what is being put back: then both stay.
                let both_stay = matches!(&report.trouble, Some(Trouble::NeedsRecovery { message })
                    if message.contains("another version of it is at"));
                assert!(both_stay || report.outcome != Outcome::Partial, "{report:#?}");
                self.note(&format!("{:?}", report.outcome));
            }
            Err(OrderError::Unknown { .. } | OrderError::Record(RecordError::Contended)) => {}
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    /// Waits until the agents have done something that could be taken back.
    #[expect(clippy::disallowed_methods, reason = "other processes write some time; the wait is bounded")]
    fn wait_for_agents(&self, round: usize) {
        let agents = PLAYERS.iter().filter(|(_, role)| *role == Role::Agent);
        let notes: Vec<PathBuf> = agents.map(|(name, _)| notes(self.folder, name)).collect();
        let lines = || notes.iter().map(|path| fs::read_to_string(path).unwrap_or_default().lines().count());
        for _ in 0..1_000 {
            if lines().sum::<usize>() > 3 * round {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
    }

    /// Nobody else has it, and nobody writes it twice.
    fn token(&self, round: u64, what: &str) -> String {
        format!("<{}.{}.{round}.{what}>", self.name, self.life)
    }

    /// Agents at a tool and people take turns, for what changes while only one tool runs is that tool's; whoever takes back
    /// does not ask.
    fn alone(&self) -> File {
        alone(self.folder)
    }

    fn write_into_shared(&self, token: &str, in_place: bool) {
        let path = self.workspace.root_path().join("shared");
        let text = fs::read_to_string(&path).unwrap_or_else(|_| shared_text());
        let own = format!("{}:", self.name);
        let with_token = |line: &str| {
            if line.starts_with(&own) { format!("{line} {token}\n") } else { format!("{line}\n") }
        };
        let text: String = text.lines().map(with_token).collect();
        if in_place {
            fs::write(&path, text).unwrap();
        } else {
            let new = self.folder.join(format!("new-{}", self.name));
            fs::write(&new, text).unwrap();
            fs::rename(new, &path).unwrap();
        }
    }

    /// Something in a folder that nobody else writes to; now and then what was there goes first.
    fn own_file(&mut self) -> PathBuf {
        let path = self.workspace.root_path().join(self.name).join(format!("file-{}", self.random.below(3)));
        if self.random.happens(1, 4) {
            _ = fs::remove_file(&path);
        }
        path
    }

    fn note(&self, line: &str) {
        let path = notes(self.folder, self.name);
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{line}").unwrap();
    }
}

/// Waits until no agent is at a tool and no person is writing, and keeps it so.
pub(crate) fn alone(folder: &Path) -> File {
    let lock = OpenOptions::new().create(true).append(true).open(folder.join("one-at-a-time")).unwrap();
    lock.lock().unwrap();
    lock
}

/// Whoever takes back may remove the folder of the file once it is empty.
fn write_own(path: &Path, token: &str) {
    for _ in 0..TRIES_MAX {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        if fs::write(path, token).is_ok() {
            return;
        }
    }
    panic!("{} cannot be written", path.display());
}

/// Does what a host does when it is told that others were faster: it tries again.
fn again<T>(act: impl Fn() -> Result<T, RecordError>) -> T {
    for _ in 0..TRIES_MAX {
        match act() {
            Err(RecordError::Contended) => {}
            result => return result.unwrap(),
        }
    }
    panic!("others were faster every time");
}

fn again_order<T>(act: impl Fn() -> Result<T, OrderError>) {
    for _ in 0..TRIES_MAX {
        match act() {
            Err(OrderError::Record(RecordError::Contended)) => {}
            result => return drop(result.unwrap()),
        }
    }
    panic!("others were faster every time");
}

/// What can be said only once may be lost: the window is closed by the next event.
fn again_once<T>(act: impl FnOnce() -> Result<T, RecordError>) {
    match act() {
        Ok(_) => {}
        Err(error) => panic!("{error}"),
    }
}
