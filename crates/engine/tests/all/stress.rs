//! Agents, people and those who take back, in eight processes at once in one workspace; two of them are killed in the
//! middle and come back. Afterwards nothing that anybody wrote is gone, and the ledger tells the whole story.

mod player;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use model::{Contents as _, Entry, Seq, Tree as _, WorkspacePath};
use store::Store;

use crate::tree::{Node, Snapshot};
use crate::world::{World, apply, restore};
use player::{PLAYERS, ROUNDS, Role, alone, notes, play, shared_text};

const PLAYER: &str = "TAKEBACK_STRESS_PLAYER";
const FOLDER: &str = "TAKEBACK_STRESS_FOLDER";

#[test]
fn a_player_plays() {
    let Ok(player) = std::env::var(PLAYER) else {
        // This run is nobody's player: what it has to show is that players are told apart.
        assert!(std::env::var_os(FOLDER).is_none());
        return;
    };
    let (name, life) = player.split_once(' ').unwrap();
    play(Path::new(&std::env::var_os(FOLDER).unwrap()), name, life.parse().unwrap());
}

#[test]
fn nothing_of_anybodys_is_lost_and_what_people_edit_stays_among_eight_processes_at_once() {
    play_all(Killing::BetweenTools);
}

#[test]
fn nothing_of_anybodys_is_lost_where_agents_are_killed_at_their_tools() {
    play_all(Killing::Anywhere);
}

/// Where an agent is killed. What changes after it was killed at a tool, until it comes back, looks like that tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Killing {
    BetweenTools,
    Anywhere,
}

/// Lets everybody play and checks what holds in any case.
fn play_all(killing: Killing) {
    let world = World::new();
    std::fs::write(world.root.join("shared"), shared_text()).unwrap();
    let workspace = world.open();
    workspace.checkpoint(Some("start")).unwrap();

    let mut players: Vec<(&str, Child)> = PLAYERS.iter().map(|(name, _)| (*name, begin(&world, name, 0))).collect();
    for killed in ["agent-0", "undoer-0"] {
        wait_for_notes(&world, killed, 3);
        let (_, child) = players.iter_mut().find(|(name, _)| *name == killed).unwrap();
        let _between_tools = (killing == Killing::BetweenTools).then(|| alone(world.folder.path()));
        _ = child.kill();
        _ = child.wait();
        *child = begin(&world, killed, 1);
    }
    for (name, child) in players {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    }

    workspace.checkpoint(Some("end")).unwrap();
    let tree = world.snapshot();
    let record = Record::read(&world);
    record.must_tell_of(&tree);
    must_have_all_tokens(&world, &tree, &record);
    if killing == Killing::BetweenTools {
        must_have_what_people_wrote(&world, &tree, &record);
    }
    let outcomes: Vec<String> = of_role(Role::Undoer).flat_map(|name| noted(&world, name)).collect();
    let left_both = outcomes.iter().any(|outcome| outcome == "Partial");
    let leftover = tree.keys().find(|path| String::from_utf8_lossy(path).contains(".takeback"));
    assert_eq!(leftover.filter(|_| !left_both), None, "an operation left something behind");
    let done = outcomes.iter().filter(|outcome| *outcome == "Done").count() as u64;
    assert!(done >= ROUNDS / 3, "hardly anything was taken back: {outcomes:?}");
    must_have_all_checkpoints(&world, &record);
}

fn begin(world: &World, name: &str, life: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "stress::a_player_plays", "--nocapture"]);
    command.env(PLAYER, format!("{name} {life}")).env(FOLDER, world.folder.path());
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn noted(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(notes(world.folder.path(), name)).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Waits until a player has written so much.
#[expect(clippy::disallowed_methods, reason = "another process writes some time; the wait is bounded")]
fn wait_for_notes(world: &World, name: &str, lines: usize) {
    for _ in 0..6_000 {
        if noted(world, name).len() >= lines {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{name} does nothing");
}

fn of_role(role: Role) -> impl Iterator<Item = &'static str> {
    PLAYERS.iter().filter(move |(_, played)| *played == role).map(|(name, _)| *name)
}

/// What people wrote into the shared file is there still, for nobody may take it back.
fn must_have_what_people_wrote(world: &World, tree: &Snapshot, record: &Record) {
    let on_disk = all_on_disk(tree);
    for name in of_role(Role::Person) {
        let lost = noted(world, name).into_iter().find(|token| token.contains("shared") && !on_disk.contains(token));
        assert_eq!(lost, None, "a person's edit is gone: {:#?}", lost.as_ref().map(|token| record.story_of(token)));
    }
}

fn all_on_disk(tree: &Snapshot) -> String {
    let text = |node: &Node| match node {
        Node::File { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        Node::Link { .. } | Node::Dir { .. } | Node::Pipe => String::new(),
    };
    tree.values().map(|seen| text(&seen.node)).collect()
}

/// Everything that anybody wrote is there or in the store.
fn must_have_all_tokens(world: &World, tree: &Snapshot, record: &Record) {
    let on_disk = all_on_disk(tree);
    let stored = record.all_texts();
    for name in of_role(Role::Person).chain(of_role(Role::Agent)) {
        let lost = noted(world, name).into_iter().find(|token| !on_disk.contains(token) && !stored.contains(token));
        assert_eq!(lost, None, "neither on disk nor in the store");
    }
}

/// Every named checkpoint is there, and returning to one gives what the ledger says was there.
fn must_have_all_checkpoints(world: &World, record: &Record) {
    let names = of_role(Role::Person).flat_map(|name| (0..ROUNDS).map(move |round| format!("{name}-0-{round}")));
    let reader = record.store.read().unwrap();
    let mut found = Vec::new();
    for name in names {
        let checkpoint = reader.checkpoint_by_name(&name).unwrap();
        found.push(checkpoint.unwrap_or_else(|| panic!("the checkpoint {name} is gone")));
    }
    let session = reader.sessions().unwrap()[0].id;
    drop(reader);
    for checkpoint in [&found[3], &found[found.len() / 2], &found[found.len() - 1]] {
        let expected = record.replayed(checkpoint.last_seq);
        let name = checkpoint.name.clone().unwrap();
        let report = apply(&world.open(), &restore(session, name.parse().unwrap()));
        assert!(matches!(report.outcome, model::Outcome::Done | model::Outcome::Nothing), "{report:#?}");
        let differing = record.differing(&expected, &world.snapshot());
        assert_eq!(differing, [""; 0], "after restoring {name}");
    }
}

/// The store as it was left.
struct Record {
    store: Store,
    ledger: Vec<model::Transition>,
}

impl Record {
    fn read(world: &World) -> Self {
        let store = Store::open(&state_folder(&world.folder.path().join("state")), b"").unwrap();
        let ledger = store.read().unwrap().transitions_since(Seq(0)).unwrap();
        Self { store, ledger }
    }

    /// What the ledger says each path held after a place in it. Every change must go on from the one before.
    fn replayed(&self, last: Seq) -> BTreeMap<WorkspacePath, Entry> {
        let mut state: BTreeMap<WorkspacePath, Entry> = BTreeMap::new();
        for transition in &self.ledger {
            let known = state.get(&transition.path);
            if transition.seq <= last {
                assert!(known.is_none_or(|known| *known == transition.before), "{transition:?} goes on from {known:?}");
                state.insert(transition.path.clone(), transition.after.clone());
            } else if known.is_none() {
                // What was there before the first change is known by it.
                state.insert(transition.path.clone(), transition.before.clone());
            }
        }
        state
    }

    /// The final state is the replay of the ledger, for the index as for the disk.
    fn must_tell_of(&self, tree: &Snapshot) {
        let state = self.replayed(Seq(u64::MAX));
        let index = self.store.read().unwrap().index().unwrap();
        for (path, entry) in &state {
            assert_eq!(index.entry(path), *entry, "{path}");
        }
        assert_eq!(self.differing(&state, tree), [""; 0], "the disk is as the ledger says");
    }

    /// The paths of a state at which something else is on disk.
    fn differing(&self, state: &BTreeMap<WorkspacePath, Entry>, tree: &Snapshot) -> Vec<String> {
        let contents = self.store.contents();
        let is_there = |path: &WorkspacePath, entry: &Entry| match (entry, tree.get(path.as_bytes()).map(|it| &it.node))
        {
            (Entry::Absent, None) => true,
            (Entry::File { content, .. }, Some(Node::File { bytes, .. })) => contents.name(bytes) == *content,
            (Entry::Dir { .. }, Some(Node::Dir { .. })) => true,
            _ => false,
        };
        state.iter().filter(|(path, entry)| !is_there(path, entry)).map(|(path, _)| path.to_string()).collect()
    }

    /// The changes of the shared file around where a token came or went.
    fn story_of(&self, token: &str) -> Vec<String> {
        let contents = self.store.contents();
        let has = |entry: &Entry| {
            let bytes = entry.content().and_then(|hash| contents.read(hash)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).contains(token)
        };
        let of_shared: Vec<_> =
            self.ledger.iter().filter(|transition| transition.path.as_bytes() == b"shared").collect();
        let reader = self.store.read().unwrap();
        let told = |transition: &model::Transition| {
            let model::Transition { seq, cause, evidence, before, after, .. } = transition;
            let operation = match cause {
                model::Cause::Operation(id) => reader.operation(*id).unwrap().map(|operation| {
                    let taken = reader.taken_back_by(*seq).unwrap();
                    format!("{:?} {:?} taking back {taken:?}", operation.verb, operation.redoes)
                }),
                _ => None,
            };
            format!("{seq:?} {} -> {} {cause:?} {evidence:?} {operation:?}", has(before), has(after))
        };
        let is_end = |transition: &model::Transition| has(&transition.before) && !has(&transition.after);
        let last = of_shared.iter().rposition(|transition| is_end(transition)).unwrap_or(0);
        of_shared[last.saturating_sub(12)..(last + 3).min(of_shared.len())].iter().map(|one| told(one)).collect()
    }

    /// All that is in the store, one behind the other.
    fn all_texts(&self) -> String {
        let contents = self.store.contents();
        let entries = self.ledger.iter().flat_map(|transition| [&transition.before, &transition.after]);
        let hashes: std::collections::BTreeSet<_> = entries.filter_map(Entry::content).collect();
        let text = |hash| String::from_utf8_lossy(&contents.read(hash).expect("what the ledger names")).into_owned();
        hashes.into_iter().map(text).collect()
    }
}

/// The folder of the only workspace in a state folder.
fn state_folder(state: &Path) -> PathBuf {
    let mut open = vec![state.to_owned()];
    while let Some(folder) = open.pop() {
        if folder.join("takeback.db").exists() {
            return folder;
        }
        let below = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        open.extend(below.filter(|path| path.is_dir()));
    }
    panic!("there is no store in {}", state.display());
}
