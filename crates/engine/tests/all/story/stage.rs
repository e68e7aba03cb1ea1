//! The real thing: a workspace in a temporary folder on which the steps of a story are played, and what is seen of it
//! from outside.

use std::fs;
use std::path::{Path, PathBuf};

use model::{MessageKind, OperationId, Outcome, Scope, SessionId, StepId, TurnId};
use serde_json::{Value, json};
use takeback::{Agreement, Environment, NewEntry, Order, Takeback, Workspace};
use tempfile::TempDir;

use super::files::{PARTS, PATHS, Text, Texts};
use super::model::Model;
use super::steps::{Step, Way};
use super::talk::Entry;

pub(crate) struct Stage {
    folder: TempDir,
    root: PathBuf,
    takeback: Takeback,
    workspace: Workspace,
}

/// What a session is told of its conversation and of what can be done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) head: Option<u64>,
    pub(crate) is_staged: bool,
    pub(crate) context: Vec<Said>,
    pub(crate) transcript: Vec<Said>,
    pub(crate) undoable: Vec<TurnId>,
    pub(crate) redoable: Vec<OperationId>,
}

/// An entry as it is shown.
pub(crate) type Said = (String, Option<TurnId>, String, MessageKind, Vec<u8>);

/// What a step came to: of an order its outcome, of anything else whether it was done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    Ordered(Option<Outcome>),
    Done(bool),
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = in_memory().map_or_else(tempfile::tempdir, tempfile::tempdir_in).unwrap();
        let root = folder.path().join("workspace");
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("src/stays"), "always there\n").unwrap();
        fs::create_dir(folder.path().join("deleted")).unwrap();
        let takeback = Takeback::new(Environment {
            state_folder: folder.path().join("state"),
            config_folder: None,
            home_folder: None,
            temp_folder: folder.path().join("temp"),
            helper_program: None,
            watcher: takeback::WatcherChoice::Off,
            agent_home: takeback::AgentHome::default(),
            speaks_from_chat: false,
            is_inside_step: false,
        });
        let workspace = takeback.workspace_at(&root).unwrap();
        Self { folder, root, takeback, workspace }
    }

    /// Plays a step. `model` is the reference as it was before.
    pub(crate) fn play(&mut self, step: &Step, model: &Model) -> End {
        match step {
            Step::Write { path, text, way } => self.write(*path, *text, *way),
            Step::Preview(order) => return End::Ordered(self.workspace.preview(order).ok().map(|it| it.outcome)),
            Step::Apply(order) => return End::Ordered(self.apply(order)),
            Step::Fork { session, after, into } => {
                return End::Done(self.workspace.fork(*session, *after, into.as_deref()).is_ok());
            }
            Step::Checkpoint { name } => _ = self.workspace.checkpoint(Some(name)).unwrap(),
            Step::Say { session, parent, entry } if str::from_utf8(&entry.payload).is_err() => {
                self.append(*session, parent.as_deref(), entry);
            }
            Step::Reopen => self.workspace = self.takeback.workspace_at(&self.root).unwrap(),
            event => self.tell(&payload(event, model)),
        }
        End::Done(true)
    }

    pub(crate) fn look_at(&self, session: SessionId) -> Sight {
        let context = self.workspace.context(session).unwrap();
        let status = self.workspace.status(Some(session)).unwrap();
        Sight {
            head: context.head.map(|head| head.0),
            is_staged: context.is_staged,
            context: context.entries.into_iter().map(shown).collect(),
            transcript: self.workspace.transcript(session).unwrap().entries.into_iter().map(shown).collect(),
            undoable: status.undoable,
            redoable: status.redoable,
        }
    }

    /// What is on disk; anything that is no text of a story, or does not belong there at all, fails.
    pub(crate) fn texts(&self) -> Texts {
        let texts = PATHS.map(|path| read(&self.root.join(path)));
        let known = texts.iter().flatten().count() + 2;
        assert_eq!(names(&self.root).len() + names(&self.root.join("src")).len(), known, "something was left behind");
        texts
    }

    fn apply(&self, order: &Order) -> Option<Outcome> {
        self.workspace.apply(order, Agreement::Whatever, &mut |_, _| {}).ok().map(|report| report.outcome)
    }

    fn tell(&self, payload: &Value) {
        let mut payload = payload.clone();
        payload["cwd"] = self.root.to_str().unwrap().into();
        self.takeback.receive("generic", payload.to_string().as_bytes()).unwrap();
    }

    /// What is no text cannot be told as an event.
    fn append(&self, session: SessionId, parent: Option<&str>, entry: &Entry) {
        let Entry { id, turn, role, kind, payload, .. } = entry;
        let entry = NewEntry { id, parent, turn: *turn, role, kind: *kind, content: payload };
        self.workspace.append_entries(session, &[entry]).unwrap();
    }

    /// What is deleted goes to another folder, so that no file system can use its inode again and make a move of it.
    fn write(&self, path: usize, text: Text, way: Way) {
        let target = self.root.join(PATHS[path]);
        let other = self.folder.path().join("other");
        match (text, way) {
            (Some(text), Way::InPlace) => fs::write(target, render(text)).unwrap(),
            (Some(text), Way::ByRename) => {
                fs::write(&other, render(text)).unwrap();
                fs::rename(other, target).unwrap();
            }
            (None, _) => {
                let deleted = self.folder.path().join("deleted");
                fs::rename(target, deleted.join(names(&deleted).len().to_string())).unwrap();
            }
        }
    }
}

impl Sight {
    /// What the reference says.
    pub(crate) fn expected(model: &Model, session: SessionId) -> Self {
        let said =
            |entry: &Entry| (entry.id.clone(), entry.turn, entry.role.to_owned(), entry.kind, entry.payload.clone());
        Self {
            head: model.talk.selected(session).map(|version| version.id),
            is_staged: model.talk.is_staged(session),
            context: model.talk.context(session).iter().map(said).collect(),
            transcript: model.talk.transcript(session).iter().map(said).collect(),
            undoable: model.undoable(session, Scope::Both),
            redoable: model.redoable(session, Scope::Both),
        }
    }
}

fn shown(entry: takeback::SaidView) -> Said {
    (entry.id, entry.turn, entry.role, entry.kind, entry.payload)
}

/// The event of a step as an agent tells it.
fn payload(step: &Step, model: &Model) -> Value {
    let native = |session: &SessionId| model.sessions[session.0 as usize - 1].native.clone();
    match step {
        Step::Prompt { session, id } => {
            json!({"hook_event_name": "UserPromptSubmit", "session_id": native(session), "prompt": id, "prompt_id": id})
        }
        Step::Stop { session, status } => {
            json!({"hook_event_name": "Stop", "session_id": native(session), "status": status.code()})
        }
        Step::Interrupt { session } => json!({"hook_event_name": "Interrupt", "session_id": native(session)}),
        Step::BeginSession { native } => json!({"hook_event_name": "SessionStart", "session_id": native}),
        Step::LeaveSession { session } => json!({"hook_event_name": "SessionEnd", "session_id": native(session)}),
        Step::BeginFork { parent, native: child } => json!({"hook_event_name": "SessionStart", "session_id": child,
            "source": "fork", "parent_session_id": native(parent)}),
        Step::BeginAgent { session, id } => {
            json!({"hook_event_name": "SubagentStart", "session_id": native(session), "agent_id": id})
        }
        Step::EndAgent { session, id } => {
            json!({"hook_event_name": "SubagentStop", "session_id": native(session), "agent_id": id})
        }
        Step::BeginTool { session, agent, claim } => {
            let turn = model.turn_for(*session, agent.as_deref()).unwrap();
            let turn = model.turns.iter().find(|known| known.id == turn).unwrap();
            let step = StepId { turn: turn.id, number: turn.steps + 1 };
            tool("PreToolUse", &native(session), agent.as_deref(), *claim, step)
        }
        Step::EndTool { step, has_failed } => {
            let window = model.windows.iter().find(|window| window.step == *step).unwrap();
            let name = if *has_failed { "PostToolUseFailure" } else { "PostToolUse" };
            tool(name, &native(&window.session), window.agent.as_deref(), window.claim, *step)
        }
        Step::EndToolLate { session, turn, number } => {
            tool("PostToolUse", &native(session), None, None, StepId { turn: *turn, number: *number })
        }
        Step::Say { session, parent, entry } => {
            json!({"hook_event_name": "Message", "session_id": native(session), "id": entry.id, "parent": parent,
                "role": entry.role, "kind": entry.kind.code(), "content": str::from_utf8(&entry.payload).unwrap(),
                "turn_id": entry.turn.map(|turn| prompt_id(model, turn))})
        }
        Step::Compact { session, id, keeps_from } => json!({"hook_event_name": "PostCompact",
            "session_id": native(session), "id": id, "summary": id, "first_kept_id": keeps_from}),
        other => unreachable!("{other:?} is no event"),
    }
}

fn tool(name: &str, session: &str, agent: Option<&str>, claim: Option<usize>, step: StepId) -> Value {
    let (tool, input) = match claim {
        Some(path) => ("Write", json!({"file_path": PATHS[path]})),
        None => ("Bash", json!({"command": "change something"})),
    };
    json!({"hook_event_name": name, "session_id": session, "agent_id": agent, "tool_name": tool,
        "tool_input": input, "tool_use_id": format!("use-{step}")})
}

fn prompt_id(model: &Model, turn: TurnId) -> String {
    let versions = model.talk.versions.iter();
    versions.flat_map(|version| version.prompt(turn).map(|at| version.chain[at].id.clone())).next().unwrap()
}

fn render(text: [u32; PARTS]) -> String {
    text.iter().map(|number| format!("-- before --\n-- the part --\n{number}\n-- after --\n")).collect()
}

fn read(path: &Path) -> Text {
    let found = fs::read_to_string(path).ok()?;
    let numbers: Vec<u32> = found.lines().filter_map(|line| line.parse().ok()).collect();
    let text = numbers.try_into().expect("a number in each part");
    assert_eq!(found, render(text));
    Some(text)
}

fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

/// A folder in memory, where there is one.
fn in_memory() -> Option<&'static Path> {
    Some(Path::new("/dev/shm")).filter(|folder| folder.is_dir())
}
