//! Long conversations: what the next run of the model gets, and cutting the newest turn out.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::{MessageKind, Outcome, Scope, SessionId, TurnStatus};
use serde_json::{Value, json};
use takeback::{Agreement, NewEntry, Order, Permits, Selection};

use super::inside::Inside;
use super::{Bench, grouped};
use crate::Fault;
use crate::pairs::{Pair, measure, time};
use crate::product::Product;
use crate::row::{Row, Target};
use crate::server::Server;
use crate::tree::Tree;

/// How many entries a turn has, its prompt included.
const TURN_ENTRIES: usize = 100;

/// What is said in each entry.
const SAID: &str = "Something that was said: a line of an answer, or of what a tool has printed, of ordinary length.";

/// A conversation of some length, in a process that keeps it open.
struct Talk {
    tree: Tree,
    home: PathBuf,
    inside: Inside,
    session: SessionId,
    entries: usize,
}

/// The context, then a cut in conversations of several lengths.
pub(super) fn run(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let mut rows = contexts(bench)?;
    for entries in bench.sizes.cut_entries {
        rows.push(cut(bench, entries)?);
    }
    Ok(rows)
}

/// Beside reading a transcript of the same entries, as agents keep one.
fn contexts(bench: &Bench<'_>) -> Result<Vec<Row>, Fault> {
    let talk = Talk::hold(bench, "talk", bench.sizes.context_entries)?;
    let product = Product::new(bench.program, talk.tree.root(), talk.home.clone());
    let transcript = bench.scratch.path().join("transcript.jsonl");
    talk.write_down(&transcript)?;
    let read = || time(|| parse(&transcript));
    let runs = bench.sizes.short_runs;
    let inside = measure(runs, |_| Ok(()), || time(|| talk.context()), read)?;
    let process = measure(runs, |_| Ok(()), || time(|| product.context()), read)?;
    let row = |how: &str, pair: Pair, milliseconds_max| Row {
        work: format!("context of {} entries, {how}", grouped(talk.entries)),
        ours: pair.ours,
        alternative: "parse a JSON Lines transcript",
        theirs: pair.theirs,
        target: Target::MillisecondsMax(milliseconds_max),
    };
    let served = served(&talk, &product, || parse(&transcript), runs)?;
    Ok(vec![
        row("inside a process", inside, 100.0),
        row("through serve", served, 100.0),
        row("process", process, 150.0),
    ])
}

/// The context as a host of another language asks for it: a request and its answer, read whole.
fn served(
    talk: &Talk,
    product: &Product<'_>,
    read: impl Fn() -> Result<(), Fault>,
    runs: usize,
) -> Result<Pair, Fault> {
    let mut server = Server::start(product.serve())?;
    let opened = server.ask("session/attach", &json!({ "root": talk.tree.root() }))?;
    let parameters = json!({ "session": opened["session"] });
    let ask = || {
        time(|| match server.ask("context", &parameters)?["entries"].as_array().map(Vec::len) {
            Some(found) if found == talk.entries => Ok(()),
            found => Err(format!("the context has {found:?} entries").into()),
        })
    };
    measure(runs, |_| Ok(()), ask, || time(&read))
}

/// Beside the same in a conversation of one turn.
fn cut(bench: &Bench<'_>, entries: usize) -> Result<Row, Fault> {
    let long = Talk::hold(bench, "long", entries)?;
    let short = Talk::hold(bench, "short", TURN_ENTRIES)?;
    let lift = |run| {
        if run > 0 {
            long.lift()?;
            short.lift()?;
        }
        Ok(())
    };
    let pair = measure(bench.sizes.short_runs, lift, || long.cut(), || short.cut())?;
    Ok(Row {
        work: format!("staging a cut in {} entries", grouped(entries)),
        ours: pair.ours,
        alternative: "the same in 100 entries",
        theirs: pair.theirs,
        target: Target::TimesMax(1.5),
    })
}

impl Talk {
    fn hold(bench: &Bench<'_>, name: &str, entries: usize) -> Result<Self, Fault> {
        let tree = Tree::grow(bench.scratch.empty(&format!("{name}-tree"))?, 1, SAID.len())?;
        let home = bench.scratch.empty(&format!("{name}-home"))?;
        let inside = Inside::open(tree.root(), &home)?;
        let session = inside.workspace.begin_session("bench", name)?.id;
        let talk = Self { tree, home, inside, session, entries };
        for turn in 0..entries.div_ceil(TURN_ENTRIES) {
            talk.say_turn(name, turn)?;
        }
        Ok(talk)
    }

    fn say_turn(&self, name: &str, turn: usize) -> Result<(), Fault> {
        let session = self.inside.workspace.begin_session("bench", name)?;
        let open = session.begin_turn(SAID)?;
        let ids: Vec<String> = (1..TURN_ENTRIES).map(|number| format!("{turn}-{number}")).collect();
        let (kind, content) = (MessageKind::Assistant, SAID.as_bytes());
        let entry = |id| NewEntry { id, parent: None, turn: None, role: "assistant", kind, content };
        let said: Vec<NewEntry<'_>> = ids.iter().map(|id| entry(id)).collect();
        self.inside.workspace.append_entries(self.session, &said)?;
        open.end(TurnStatus::Completed)?;
        Ok(())
    }

    fn context(&self) -> Result<(), Fault> {
        let found = self.inside.workspace.context(self.session)?.entries.len();
        if found == self.entries { Ok(()) } else { Err(format!("the context has {found} entries").into()) }
    }

    fn write_down(&self, path: &Path) -> Result<(), Fault> {
        let entry = |at: usize| json!({ "id": at.to_string(), "role": "assistant", "content": SAID }).to_string();
        fs::write(path, (0..self.entries).map(entry).collect::<Vec<_>>().join("\n"))?;
        Ok(())
    }

    fn cut(&self) -> Result<Duration, Fault> {
        time(|| self.does(Selection::UndoTurns { count: 1 }))
    }

    fn lift(&self) -> Result<(), Fault> {
        self.does(Selection::Redo { count: 1 })
    }

    fn does(&self, selection: Selection) -> Result<(), Fault> {
        let (session, scope) = (Some(self.session), Scope::Conversation);
        let order = Order { session, selection, scope, policy: None, memory: None, permits: Permits::NONE };
        let report = self.inside.workspace.apply(&order, Agreement::Whatever, &mut |_, _| {})?;
        if report.outcome == Outcome::Done { Ok(()) } else { Err(format!("{order:?}: {:?}", report.outcome).into()) }
    }
}

fn parse(path: &Path) -> Result<(), Fault> {
    let text = fs::read_to_string(path)?;
    let entries = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    if entries.is_empty() { Err("the transcript is empty".into()) } else { Ok(()) }
}
