//! What captures and restores cost, by count: in a fixed world, so many calls and so many bytes and no more. Counted is
//! what the whole process asks of the system, so it is measured in a process that does nothing else. Not a measure of
//! time.
#![cfg(all(target_os = "linux", debug_assertions))]

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use disk::{Tally, durable_steps, tally};
use model::{Outcome, Scope, SessionId, TurnStatus};
use takeback::{Order, Selection, Workspace};

use crate::world::{World, apply, order};

/// Set for the process in which the acts are measured.
const MEASURE: &str = "TAKEBACK_TEST_MEASURE_COST";

/// The world: so many files of so many bytes each, in so many folders.
const FOLDERS: u64 = 40;
const FILES: u64 = 2_000;
const FILE_BYTES: u64 = 100;

/// How many files the larger turn changes.
const MANY: u64 = 100;

/// A look finds out about each name by one call, and by no more.
const NAMES: u64 = FILES + FOLDERS;

/// A look opens each folder once, the root twice.
const HANDLES: u64 = FOLDERS + 2;

/// A folder gives its names, and then an empty answer.
const LISTS: u64 = 2 * (FOLDERS + 1);

/// The most that an act may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    looks: u64,
    opens: u64,
    lists: u64,
    reads: u64,
    read_bytes: u64,
    /// Names made, renamed or removed, modes set, syncs, appends, commits.
    durable: u64,
    /// Steps of the database's machine.
    database: u64,
}

/// The acts that are measured, in this order, with what each may cost. They are what was counted when this was written;
/// only the steps of the database have some room, since another version of it may take other ways. Who makes an act
/// cheaper lowers them; who needs more says here what for.
const LIMITS: [(&str, Cost); 4] = [
    // Nothing is opened but folders, nothing is read, and the commit is the one durable step.
    (
        "nothing changed",
        Cost { looks: NAMES, opens: HANDLES, lists: LISTS, reads: 0, read_bytes: 0, durable: 1, database: 850 },
    ),
    // The file is opened and read once, looked at before, between and after; its content is appended and synced.
    (
        "one file changed",
        Cost {
            looks: NAMES + 3,
            opens: HANDLES + 2,
            lists: LISTS,
            reads: 4,
            read_bytes: FILE_BYTES,
            durable: 4,
            database: 1_050,
        },
    ),
    // Beside the look for the rescue point the content of four files is read, old and new, since nothing is overwritten,
    // called done or removed unread. Of the steps of the database most are for the rows of the operation.
    (
        "undo of one file",
        Cost {
            looks: NAMES + 21,
            opens: HANDLES + 13,
            lists: LISTS + 2,
            reads: 8,
            read_bytes: 4 * FILE_BYTES,
            durable: 9,
            database: 2_300,
        },
    ),
    // The same for each of many; what does not depend on their number is paid once.
    (
        "undo of many files",
        Cost {
            looks: NAMES + 1_861,
            opens: HANDLES + 1_061,
            lists: LISTS + 2,
            reads: 8 * MANY,
            read_bytes: 4 * MANY * FILE_BYTES,
            durable: 405,
            database: 38_000,
        },
    ),
];

#[test]
fn captures_and_restores_cost_no_more_calls_and_bytes_than_is_written_here() {
    if std::env::var_os(MEASURE).is_some() {
        return println!("{}", measure());
    }
    let name = "cost::captures_and_restores_cost_no_more_calls_and_bytes_than_is_written_here";
    let mut alone = Command::new(std::env::current_exe().unwrap());
    let output = alone.args(["--exact", name, "--nocapture"]).env(MEASURE, "1").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
    for (act, most) in LIMITS {
        let line = told.lines().find_map(|line| line.strip_prefix(act)?.strip_prefix(": "));
        let cost = Cost::parse(line.unwrap());
        assert!(cost.is_within(&most), "{act} costs more than it may:\n{cost:?}\n{most:?}\nall:\n{told}");
    }
}

/// Does all acts in a world of its own; a line for each.
fn measure() -> String {
    let (world, workspace) = settled_world();
    let session = workspace.begin_session("test", "one").unwrap();
    let mut told = String::new();
    let mut note = |cost: Cost, (act, _): (&str, Cost)| writeln!(told, "\n{act}: {}", cost.line()).unwrap();
    for (number, act) in (0..).zip(&LIMITS[..2]) {
        let turn = session.begin_turn("change").unwrap();
        let step = turn.begin_step("shell", "make").unwrap();
        change(&world, number);
        note(cost_of(|| _ = step.end(false).unwrap()), *act);
        turn.end(TurnStatus::Completed).unwrap();
        settle(&workspace);
    }
    note(cost_of(|| undo(&workspace)), LIMITS[2]);
    let turn = session.begin_turn("change many").unwrap();
    let step = turn.begin_step("shell", "make").unwrap();
    change(&world, MANY);
    step.end(false).unwrap();
    turn.end(TurnStatus::Completed).unwrap();
    settle(&workspace);
    note(cost_of(|| undo(&workspace)), LIMITS[3]);
    told
}

fn undo(workspace: &Workspace) {
    let order = Order { scope: Scope::Both, ..order(SessionId(1), Selection::UndoTurns { count: 1 }) };
    assert_eq!(apply(workspace, &order).outcome, Outcome::Done);
}

fn settled_world() -> (World, Workspace) {
    let world = World::new();
    (0..FILES).for_each(|number| put(&world, number, 'a'));
    let workspace = world.open();
    workspace.begin_session("test", "one").unwrap();
    settle(&workspace);
    (world, workspace)
}

fn put(world: &World, number: u64, letter: char) {
    let path: PathBuf = world.root.join(format!("d{}/f{number}", number % FOLDERS));
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = format!("{number:0width$}", width = FILE_BYTES as usize - 1);
    std::fs::write(path, format!("{text}{letter}")).unwrap();
}

/// The first so many files get other content of the same length.
fn change(world: &World, count: u64) {
    (0..count).for_each(|number| put(world, number, 'b'));
}

/// Looks until no time stamp is in doubt any more, so that a look reads nothing.
fn settle(workspace: &Workspace) {
    let look = || cost_of(|| _ = workspace.begin_session("test", "one").unwrap());
    while look().reads > 0 {}
}

fn cost_of(act: impl FnOnce()) -> Cost {
    let before = (tally(), durable_steps(), store::database_steps());
    act();
    let (Tally { looks, opens, lists, reads, read_bytes }, was) = (tally(), before.0);
    Cost {
        looks: looks - was.looks,
        opens: opens - was.opens,
        lists: lists - was.lists,
        reads: reads - was.reads,
        read_bytes: read_bytes - was.read_bytes,
        durable: durable_steps() - before.1,
        database: store::database_steps() - before.2,
    }
}

impl Cost {
    fn counts(&self) -> [u64; 7] {
        [self.looks, self.opens, self.lists, self.reads, self.read_bytes, self.durable, self.database]
    }

    fn is_within(&self, most: &Cost) -> bool {
        self.counts().iter().zip(most.counts()).all(|(count, most)| *count <= most)
    }

    fn line(&self) -> String {
        self.counts().map(|count| count.to_string()).join(" ")
    }

    fn parse(line: &str) -> Cost {
        let counts: Vec<u64> = line.split(' ').map(|count| count.parse().unwrap()).collect();
        let [looks, opens, lists, reads, read_bytes, durable, database] = counts[..] else { panic!("{line}") };
        Cost { looks, opens, lists, reads, read_bytes, durable, database }
    }
}
