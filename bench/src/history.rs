//! A long history, written into a store in bulk: what years of work would leave behind. Its changes end where they began,
//! so it agrees with any tree; its content is not there, and nothing here asks for it.

use std::fs;
use std::path::{Path, PathBuf};

use model::{
    Cause, CheckpointId, ContentHash, Entry, Evidence, HeadKind, MessageKind, Mode, SessionId, StepId, TurnId,
    TurnStatus, WorkspacePath,
};
use store::{
    Durability, EntryPlace, Event, Head, NewCheckpoint, NewHead, NewStep, NewTalkEntry, NewTransition, NewTurn,
    StepExit, Store, Writer,
};

use crate::Fault;

/// How much history there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Length {
    /// Turns of one session.
    pub(crate) turns: usize,
    /// Transitions of each.
    pub(crate) transitions_per_turn: usize,
}

const TURNS_PER_CHANGE: usize = 500;
const PATHS_PER_FOLDER: usize = 50;
const EVENTS_PER_TURN: usize = 4;
const TEXT: &str =
    "Something that was asked for, or answered, or handed to a tool, of the length such things often have.";

/// Puts the history in front of what the newest session of the store at `state` does next.
pub(crate) fn write(state: &Path, length: Length) -> Result<(), Fault> {
    let store = Store::open_existing(&only_folder(&state.join("workspaces"))?)?.ok_or("there is no store")?;
    let session = store.read()?.newest_session()?.ok_or("there is no session")?.id;
    let numbers: Vec<usize> = (0..length.turns).collect();
    for some in numbers.chunks(TURNS_PER_CHANGE) {
        let mut writer = store.write("a long history", Durability::Normal)?;
        let mut past = Past { session, head: head(&mut writer, session)?, writer };
        for number in some {
            past.add_turn(*number, length.transitions_per_turn)?;
        }
        past.writer.commit()?;
    }
    Ok(())
}

struct Past<'store> {
    session: SessionId,
    head: Head,
    writer: Writer<'store>,
}

impl Past<'_> {
    fn add_turn(&mut self, number: usize, transitions: usize) -> Result<(), Fault> {
        let now = i64::try_from(number)?;
        let opened_at = self.checkpoint(now)?;
        let prompt_id = Some(format!("past-{number}"));
        let prompt = Some(TEXT.to_owned());
        let session = self.session;
        let turn = self.writer.add_turn(&NewTurn { session, prompt_id, prompt, started_ns: now, opened_at })?;
        self.say(&format!("past-{number}"), turn, MessageKind::Prompt)?;
        let step = self.add_step(turn, now)?;
        let closed_at = self.checkpoint(now)?;
        let changes: Vec<NewTransition> = (0..transitions).map(|at| change(number, at, step, closed_at)).collect();
        self.writer.add_transitions(&changes)?;
        self.say(&format!("past-answer-{number}"), turn, MessageKind::Assistant)?;
        self.writer.close_turn(turn, TurnStatus::Completed, now, closed_at)?;
        Ok(())
    }

    fn add_step(&mut self, turn: TurnId, now: i64) -> Result<StepId, Fault> {
        let step = self.writer.add_step(
            turn,
            &NewStep {
                session: self.session,
                agent_id: None,
                tool: "Bash".to_owned(),
                use_id: Some(format!("past-{turn}")),
                summary: "make".to_owned(),
                command: Some(TEXT.to_owned()),
                reads: Vec::new(),
                started_ns: now,
            },
        )?;
        self.writer.end_step(step, now, StepExit::Ok)?;
        for _ in 0..EVENTS_PER_TURN {
            let (session, name, text) = (Some(self.session), "PostToolUse".to_owned(), TEXT.repeat(5));
            self.writer.add_event(&Event { at_ns: now, session, name, text })?;
        }
        Ok(step)
    }

    fn checkpoint(&mut self, at_ns: i64) -> Result<CheckpointId, Fault> {
        let (session, event) = (Some(self.session), "Stop".to_owned());
        Ok(self.writer.add_checkpoint(&NewCheckpoint { at_ns, event, session, turn: None, step: None })?)
    }

    fn say(&mut self, native: &str, turn: TurnId, kind: MessageKind) -> Result<(), Fault> {
        let place = self.writer.add_talk_entry(&NewTalkEntry {
            session: self.session,
            native,
            parent: self.head.tip,
            turn: Some(turn),
            role: "user",
            kind,
            payload: TEXT.as_bytes(),
            keeps_from: None,
        })?;
        self.writer.set_tip(self.head.id, place)?;
        self.head.tip = Some::<EntryPlace>(place);
        Ok(())
    }
}

/// The version the session stands on; its first one is made.
fn head(writer: &mut Writer<'_>, session: SessionId) -> Result<Head, Fault> {
    if let Some(head) = writer.selected_head(session)? {
        return Ok(head);
    }
    let kind = HeadKind::Main;
    let id = writer.add_head(&NewHead { session, kind, parent: None, boundary: None, operation: None, made_ns: 0 })?;
    writer.select_head(session, id)?;
    writer.head(id)?.ok_or_else(|| "the version is gone".into())
}

/// Every second turn removes what the one before has made.
fn change(turn: usize, at: usize, step: StepId, checkpoint: CheckpointId) -> NewTransition {
    let folder = turn / 2 % 100;
    let path = format!("past{folder}/part{}/file{at}.rs", at / PATHS_PER_FOLDER);
    let file = Entry::File { content: ContentHash([7; 32]), size_bytes: 1_500, mode: Mode::new(0o644) };
    let (before, after) = if turn.is_multiple_of(2) { (Entry::Absent, file) } else { (file, Entry::Absent) };
    NewTransition {
        checkpoint,
        path: WorkspacePath::new(path).unwrap_or_else(|_| WorkspacePath::root()),
        before,
        after,
        moved: None,
        cause: Cause::Step(step),
        evidence: Evidence::Exact,
    }
}

fn only_folder(above: &Path) -> Result<PathBuf, Fault> {
    let folder = fs::read_dir(above)?.next().ok_or("no workspace is known")??;
    Ok(folder.path())
}
