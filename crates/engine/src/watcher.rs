//! The watcher as a capture uses it: what it is asked, how far it is believed, and what is kept of that. The helper itself
//! is the room `watch`; here is only the asker.
//!
//! It is believed around tools alone. A barrier that looks at everything checks it, and a watcher that has missed something
//! is not asked again in that workspace until its setting was off.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::time::Duration;

use model::{Entry, EntryKind, Index, Known, WorkspacePath, limits};
use serde::{Deserialize, Serialize};
use store::{Reader, Writer};
use watch::{Answer, Blind, Client, Doubt, Ended, Mark, Place, Question};
use worktree::{Captured, Difference, Suspects};

use crate::Environment;
use crate::error::RecordError;
use crate::workspace::Workspace;

/// The hidden command of the helper program that runs the watcher.
pub const WATCHER_COMMAND: &str = "watch";

/// The setting of the store that keeps the account.
const KEY: &str = "watcher";

/// Whether the watcher is used, as the environment says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatcherChoice {
    /// As the settings say.
    AsSet,
    /// Whatever the settings say.
    On,
    /// Never.
    Off,
}

/// How the watcher fares in a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatcherView {
    /// Whether it is asked.
    pub state: WatcherState,
    /// The process of the helper, if one answers.
    pub pid: Option<u32>,
    /// How many folders of the workspace it watches.
    pub folders: u64,
    /// Why it knows nothing of the workspace, as a code; none if it does, or if no helper answers.
    pub doubt: Option<&'static str>,
    /// How many barriers it has shortened.
    pub shortened: u64,
    /// How many of the others it could have, but knew nothing for certain.
    pub scanned: u64,
    /// How many changes it has missed.
    pub missed: u64,
    /// One of them.
    pub missed_path: Option<String>,
}

/// Whether the watcher is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WatcherState {
    /// It is.
    On,
    /// It is off.
    Off,
    /// It is on, but it has missed something here.
    Distrusted,
}

/// What is kept of the watcher's word, together with the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Account {
    /// The mark that belongs to the index: the set of watches and the number.
    mark: Option<(u64, u64)>,
    /// When everything was looked at last.
    scanned_ns: i64,
    shortened: u64,
    scanned: u64,
    missed: u64,
    missed_path: Option<String>,
    is_distrusted: bool,
}

/// How far a barrier believes the watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// What the watcher leaves out is not looked at.
    AroundTool,
    /// Everything is looked at, and the watcher is checked.
    Never,
}

/// What the watcher said for one look.
#[derive(Debug)]
pub(crate) struct Inquiry {
    client: Client,
    question: Question,
    trust: Trust,
    /// What the look is to be remembered by; none if the watcher knows of no place to go back to.
    mark: Option<Mark>,
    /// What may have changed since the index was made; none if that may be anything.
    suspects: Option<Suspects>,
    scanned_ns: i64,
    /// What was found where nothing was suspected.
    missed: Vec<WorkspacePath>,
}

impl Inquiry {
    /// Asks the watcher before a look at the whole workspace; none if it is not used here.
    pub(crate) fn begin(
        workspace: &Workspace,
        reader: &Reader<'_>,
        index: &Index,
        trust: Trust,
    ) -> Result<Option<Self>, RecordError> {
        if !workspace.wants_watcher()? {
            return Ok(None);
        }
        let account = Account::read(reader)?;
        let (Some(namespace), false) = (disk::mount_namespace(), account.is_distrusted) else { return Ok(None) };
        let mark = account.mark.map(|(watches, number)| Mark { watches, number });
        let stamp = workspace.root.dir().stat_self()?.stamp;
        let question = Question {
            root: workspace.root_path().as_os_str().as_bytes().to_vec(),
            identity: (stamp.device, stamp.inode),
            namespace,
            mark,
            blind: if mark.is_none() { blind(index) } else { Blind::default() },
        };
        let client = workspace.watcher_client();
        let mut suspects = None;
        let mark = match client.ask(question.clone()) {
            Answer::Only { mark, dirty } => {
                let mut told = Suspects { folders: dirty.folders, below: dirty.below, ..Suspects::default() };
                told.add_silent(index);
                suspects = Some(told);
                Some(mark)
            }
            Answer::Everything { mark, .. } => mark,
            Answer::Unknown => None,
        };
        let scanned_ns = account.scanned_ns;
        Ok(Some(Self { client, question, trust, mark, suspects, scanned_ns, missed: Vec::new() }))
    }

    /// What is to be looked at instead of everything; none if everything is.
    pub(crate) fn suspects(&self) -> Option<&Suspects> {
        self.suspects.as_ref().filter(|_| self.trust == Trust::AroundTool)
    }

    /// Compares what a look at everything has found with what the watcher says of the time until now.
    ///
    /// It is asked once more: what changed while the look was under way is no mistake of the watcher's.
    pub(crate) fn check(&mut self, captured: &Captured) {
        if self.trust != Trust::Never || captured.differences.is_empty() {
            return;
        }
        let (Some(suspects), Some(mark)) = (self.suspects.as_mut(), self.mark) else { return };
        let again = Question { mark: Some(mark), ..self.question.clone() };
        let Answer::Only { dirty, .. } = self.client.ask(again) else { return };
        suspects.folders.extend(dirty.folders);
        suspects.below.extend(dirty.below);
        self.missed = missed(captured, suspects);
    }

    /// The paths at which the watcher has missed a change, sorted.
    pub(crate) fn missed(&self) -> &[WorkspacePath] {
        &self.missed
    }

    /// When everything was looked at last: a change that was missed is not older.
    pub(crate) fn scanned_ns(&self) -> i64 {
        self.scanned_ns
    }

    /// Keeps the mark with the index it belongs to, in the same transaction, and counts.
    pub(crate) fn enter(&self, writer: &mut Writer<'_>) -> Result<(), RecordError> {
        let mut account = Account::read(writer)?;
        account.mark = self.mark.map(|mark| (mark.watches, mark.number));
        match (self.suspects(), self.trust) {
            (Some(_), _) => account.shortened += 1,
            (None, Trust::AroundTool) => account.scanned += 1,
            (None, Trust::Never) => account.scanned_ns = disk::clock::now_ns(),
        }
        if let Some(path) = self.missed.first() {
            account.missed += self.missed.len() as u64;
            account.missed_path = Some(path.to_string());
            account.is_distrusted = true;
            account.mark = None;
        }
        account.write(writer)
    }
}

impl Account {
    fn read(reader: &Reader<'_>) -> Result<Self, RecordError> {
        let stored = reader.setting(KEY)?;
        Ok(stored.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), RecordError> {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        Ok(writer.put_setting(KEY, Some(&bytes))?)
    }
}

impl Workspace {
    /// How the watcher fares here.
    pub(crate) fn watcher(&self) -> Result<WatcherView, RecordError> {
        let account = Account::read(&self.store.read()?)?;
        let state = match (self.wants_watcher()?, account.is_distrusted) {
            (false, _) => WatcherState::Off,
            (true, false) => WatcherState::On,
            (true, true) => WatcherState::Distrusted,
        };
        let ask = || self.watcher_client().standing(self.root_path().as_os_str().as_bytes());
        let standing = if state == WatcherState::Off { None } else { ask() };
        Ok(WatcherView {
            state,
            pid: standing.map(|standing| standing.pid),
            folders: standing.map_or(0, |standing| standing.folders),
            doubt: standing.and_then(|standing| standing.doubt).map(code),
            shortened: account.shortened,
            scanned: account.scanned,
            missed: account.missed,
            missed_path: account.missed_path,
        })
    }

    /// Starts the helper if it is wanted and not there. Where the setting is off, what was held against it is forgotten.
    ///
    /// Never waits for it, and whatever goes wrong only means that everything is scanned.
    pub(crate) fn start_watcher(&self) -> Result<(), RecordError> {
        if !self.wants_watcher()? {
            if self.store.read()?.setting(KEY)?.is_some() {
                self.note("watcher", |writer| Ok(writer.put_setting(KEY, None)?))?;
            }
            return Ok(());
        }
        if let Some(program) = &self.environment.helper_program
            && !self.watcher_client().is_there()
        {
            _ = disk::spawn_detached(program, &[OsStr::new(WATCHER_COMMAND)]);
        }
        Ok(())
    }

    fn wants_watcher(&self) -> Result<bool, RecordError> {
        Ok(match self.environment.watcher {
            WatcherChoice::On => true,
            WatcherChoice::Off => false,
            WatcherChoice::AsSet => self.settings()?.wants_watcher(),
        })
    }

    fn watcher_client(&self) -> Client {
        Client::new(Place::in_state(&self.environment.state_folder))
    }
}

/// Runs the watcher of this user until nobody needs it. Returns at once if another one runs.
///
/// Without `idle` it ends after the usual time in which nobody asks. Gives the reason for its end as a code.
pub fn run_watcher(environment: &Environment, idle: Option<Duration>) -> Result<&'static str, watch::HelperError> {
    let idle = idle.unwrap_or(Duration::from_secs(limits::WATCHER_IDLE_S_MAX));
    watch::run(&Place::in_state(&environment.state_folder), environment.helper_program.as_deref(), idle).map(|ended| {
        match ended {
            Ended::NotNeeded => "not-needed",
            Ended::Idle => "idle",
            Ended::Asked => "asked",
            Ended::Replaced => "replaced",
            Ended::Cut => "cut",
        }
    })
}

/// Tells the watcher of this user to end; says whether it does.
pub fn end_watcher(environment: &Environment) -> bool {
    Client::new(Place::in_state(&environment.state_folder)).end()
}

/// What need not be watched: derived folders by name, git's own, and whatever is left out.
fn blind(index: &Index) -> Blind {
    let names = worktree::derived_names().iter().map(|name| name.as_bytes().to_vec());
    let is_left_out = |entry: &Entry| matches!(entry, Entry::Uncovered { kind: EntryKind::Dir, .. });
    let paths = index.folders().flat_map(|(folder, known)| {
        let left_out = known.children.iter().filter(|child| is_left_out(&child.known.entry));
        left_out.filter_map(|child| folder.child(&child.name).ok())
    });
    Blind { names: names.chain([b".git".to_vec()]).collect(), paths: paths.collect() }
}

/// The differences that a look at the suspects would not have found. What came, went or is another folder now is seen with
/// everything below it, and a file with all its known names.
fn missed(captured: &Captured, suspects: &Suspects) -> Vec<WorkspacePath> {
    let mut seen: Option<&WorkspacePath> = None;
    let (mut found, mut not_found) = (HashSet::new(), Vec::new());
    for difference in &captured.differences {
        let is_below_seen = seen.is_some_and(|top| difference.path.is_at_or_below(top));
        if is_below_seen || suspects.holds(&difference.path) {
            found.extend(thing(difference));
            if !is_below_seen && !is_same_folder(difference) {
                seen = Some(&difference.path);
            }
        } else {
            not_found.push(difference);
        }
    }
    not_found.retain(|difference| thing(difference).is_none_or(|thing| !found.contains(&thing)));
    not_found.into_iter().map(|difference| difference.path.clone()).collect()
}

/// What lies there now.
fn thing(difference: &Difference) -> Option<(u64, u64)> {
    difference.after.as_ref().map(|known| (known.stamp.device, known.stamp.inode))
}

fn is_same_folder(difference: &Difference) -> bool {
    let is_dir = |known: &Known| matches!(known.entry, Entry::Dir { .. });
    match (&difference.before, &difference.after) {
        (Some(before), Some(after)) => is_dir(before) && is_dir(after) && before.stamp.is_same_thing(&after.stamp),
        _ => false,
    }
}

fn code(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Begun => "begun",
        Doubt::NoMark => "no-mark",
        Doubt::TooMuch => "too-much",
        Doubt::Limit => "limit",
        Doubt::FileSystem => "file-system",
        Doubt::Elsewhere => "elsewhere",
        Doubt::Refused => "refused",
    }
}
